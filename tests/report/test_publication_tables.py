"""Tables for papers: the numbers of the run, in LaTeX that compiles, Markdown that holds and CSV that reads back."""

import csv
import io
import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import polars as pl
import pytest

from dialgauge.cli import main
from dialgauge.corpus import RATINGS, embedded_corpus, write_corpus
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.metaeval import Coefficient, headline
from dialgauge.metrics import Scores
from dialgauge.report import correlation_table, system_table
from dialgauge.study import FinishedRun, TableOptions, publication_table, run_study, table_kinds
from dialgauge.tables import FORMATS, Table, render_table

STUDY = """\
[study]
name = "paper"
[corpus]
source = "corpus"
[metrics]
use = ["rouge-1", "rouge-l", "ter", "length", "corpus-bleu"]
[ratings]
clean = "majority-noise-removal"
[verdict]
null_runs = 0
[correlation]
resamples = 20
coefficients = ["pearson", "kendall"]
[perturbations]
use = ["jumble", "remove_punct"]
dimensions = ["consistency", "relevance"]
priors = true
[affect]
roles = ["customer"]
[learn]
targets = ["consistency"]
learner = "ridge"
split = "dialogues"
[reproduction]
original = "embedded"
"""


_CELL = {
    "metric": "m",
    "dimension": "d",
    "level": "summary",
    "coefficient": "pearson",
    "value": 0.0,
    "direction": "higher",
    "p_value": None,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    folder = tmp_path_factory.mktemp("paper")
    corpus = embedded_corpus()
    write_corpus(corpus.select(dialogues=corpus.dialogues["dialogue_id"].head(12)), folder / "corpus")
    (folder / "study.toml").write_text(STUDY)
    return FinishedRun.open(run_study(folder / "study.toml").folder)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """A run without ratings, variants, affect or learning."""
    folder = tmp_path_factory.mktemp("bare")
    corpus = embedded_corpus().select(dialogues=embedded_corpus().dialogues["dialogue_id"].head(3))
    write_corpus(replace(corpus, ratings=pl.DataFrame(schema=RATINGS)), folder / "corpus")
    (folder / "study.toml").write_text(
        '[study]\nname="b"\n[corpus]\nsource="corpus"\n[metrics]\nuse=["rouge-1","ter"]\n'
    )
    return FinishedRun.open(run_study(folder / "study.toml").folder)


def _latex_rows(text: str) -> list[list[str]]:
    """The cells of every row of a tabular; fails where the structure would not compile."""
    environments = re.findall(r"\\(begin|end)\{(\w+)\}", text)
    open_ones: list[str] = []
    for what, name in environments:
        if what == "begin":
            open_ones.append(name)
        else:
            assert open_ones.pop() == name
    assert not open_ones
    bare = re.sub(r"\\[\\{}$&#%_]", "", text)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    rows = []
    for specification, body in re.findall(r"\\begin\{tabular\}\{([lr]+)\}(.*?)\\end\{tabular\}", text, re.DOTALL):
        assert body.split()[0] == r"\toprule"
        assert body.split()[-1] == r"\bottomrule"
        for line in body.strip().splitlines():
            if not line.rstrip().endswith(r"\\"):
                assert re.fullmatch(r"\s*(\\(top|mid|bottom)rule|(\\cmidrule\(lr\)\{\d+-\d+\} ?)+)", line), line
                continue
            cells = re.split(r"(?<!\\)&", line.strip().removesuffix(r"\\"))
            spans = [int(found[1]) if (found := re.match(r"\s*\\multicolumn\{(\d+)\}", cell)) else 1 for cell in cells]
            assert sum(spans) == len(specification), line
            rows.append([cell.strip() for cell in cells])
    assert rows
    return rows


#: Tables of judgements that this corpus does not have.
JUDGEMENTS = (
    "labels",
    "label-thresholds",
    "preferences",
    "preference-accuracy",
    "best-worst",
    "spans",
    "span-labels",
    "span-systems",
)


@pytest.mark.parametrize("kind", JUDGEMENTS)
def test_what_a_table_of_judgements_needs(run: FinishedRun, kind: str) -> None:
    with pytest.raises(InputError, match="it needs a corpus with"):
        publication_table(run, kind)


# The tables of Tweak to Trust need a section of their own: tests/study/test_tweak_stage.py.
@pytest.mark.parametrize(
    "kind", [kind for kind in table_kinds() if not kind.startswith("tweak-") and kind not in JUDGEMENTS]
)
def test_every_kind_in_every_format(run: FinishedRun, kind: str) -> None:
    table = publication_table(run, kind)
    for row in table.rows:
        assert len(row.cells) == len(table.columns)
    text = render_table(table, "latex")
    _latex_rows(text)
    assert text.isascii() or kind == "affect"
    assert f"\\label{{tab:{kind}}}" in text
    for line in render_table(table, "markdown").splitlines():
        if line.startswith("|") and table.split is None:
            assert len(re.findall(r"(?<!\\)\|", line)) - 2 - any(row.group for row in table.rows) == len(table.columns)
    rows = list(csv.reader(io.StringIO(render_table(table, "csv"))))
    assert len({len(row) for row in rows}) == 1
    assert len(rows) == len(table.rows) + 1


def test_a_reproduction_is_that_of_the_run(run: FinishedRun) -> None:
    text = render_table(publication_table(run, "reproduction", TableOptions(digits=6)), "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    saved = run.table("reproduction")
    assert saved is not None
    assert [row["system"] for row in rows] == saved["system"].unique(maintain_order=True).to_list()
    for row in rows:
        found = saved.row(
            by_predicate=(pl.col("system") == row["system"]) & (pl.col("dimension") == "fluency"), named=True
        )
        for head, key in (("embedded", "original"), ("paper", "reproduction"), ("CV*", "cv_star")):
            assert float(row[f"fluency {head}"]) == pytest.approx(found[key], abs=1e-6)


def test_correlations_are_those_of_the_run(run: FinishedRun) -> None:
    rows = list(
        csv.DictReader(io.StringIO(render_table(publication_table(run, "correlations", TableOptions(digits=6)), "csv")))
    )
    saved = run.table("correlations")
    assert saved is not None
    assert [row["metric"] for row in rows] == ["rouge-1", "rouge-l", "ter", "length", "corpus-bleu"]
    for row in rows:
        for short, level in (("sys", "system"), ("sum", "summary")):
            value = saved.filter(metric=row["metric"], dimension="fluency", level=level, coefficient="pearson")[
                "value"
            ][0]
            shown = row[f"fluency {short}"]
            assert shown == "" if value is None else float(shown) == pytest.approx(value, abs=5e-7)


def test_stars_and_bold_follow_the_numbers(run: FinishedRun) -> None:
    saved = run.table("correlations")
    assert saved is not None
    table = publication_table(run, "correlations", TableOptions(best=2))
    for i, column in enumerate(table.columns):
        level = {"sys": "system", "sum": "summary"}[column.name]
        here = saved.filter(dimension=column.group, level=level, coefficient="pearson")
        judging = here.filter(pl.col("direction") != "none", pl.col("value") > 0).sort("value", descending=True)
        bold = {row.name for row in table.rows if row.cells[i].parts[0].bold}
        printed = {name: f"{value:.2f}" for name, value in judging.select("metric", "value").iter_rows()}
        ahead = list(printed.values())[:2]
        assert bold == {name for name, text in printed.items() if float(text) >= float(ahead[-1])}
        for row in table.rows:
            p = here.filter(metric=row.name)["p_value"][0]
            expected = "" if p is None or p > 0.05 else "**" if p <= 0.01 else "*"
            assert row.cells[i].parts[0].stars == expected
    assert "*" not in re.sub(r"\*\*[\d.−]+\*\*", "", render_table(table, "markdown", stars=False))
    assert "*" not in render_table(table, "csv")


def test_five_best_of_many() -> None:
    rows = [{**_CELL, "metric": f"m{i}", "level": "system", "value": i / 100} for i in range(20)]
    table = correlation_table(pl.DataFrame(rows, schema_overrides={"p_value": pl.Float64}))
    assert [row.name for row in table.rows if row.cells[0].parts[0].bold] == ["m15", "m16", "m17", "m18", "m19"]
    assert "the 5 best" in table.caption


def test_every_coefficient_has_its_table() -> None:
    names = get_args(Coefficient)
    rows = [{**_CELL, "level": "system", "value": 0.5, "coefficient": name} for name in names]
    frame = pl.DataFrame(rows, schema_overrides={"p_value": pl.Float64})
    captions = [correlation_table(frame, coefficient=name).caption for name in names]
    assert len(set(captions)) == len(names)
    assert "mean of Pearson's r, Spearman's ρ and Kendall's τ" in captions[3]
    alone = correlation_table(frame.filter(coefficient="mean"))  # what a study without Pearson's has
    assert alone.caption == captions[3]
    assert not any("Stars" in note for note in alone.notes)  # there is no p-value of a mean
    assert headline(frame) == ("system", "pearson")
    assert headline(frame.filter(coefficient="mean")) == ("system", "mean")


def test_systems_have_the_means_of_ratings_and_scores(run: FinishedRun) -> None:
    options = TableOptions(metrics=("ter", "rouge-1"), digits=6)
    rows = list(csv.DictReader(io.StringIO(render_table(publication_table(run, "systems", options), "csv"))))
    ratings = run.table("ratings")
    assert ratings is not None
    glib = next(row for row in rows if row["system"] == "glib")
    assert float(glib["rating consistency"]) == pytest.approx(
        ratings.filter(system="glib")["consistency"].mean(), abs=5e-7
    )
    assert float(glib["metric ter"]) == pytest.approx(run.scores.frame.filter(system="glib")["ter"].mean(), abs=5e-7)
    table = publication_table(run, "systems", TableOptions(metrics=("ter",), best=1))
    means = dict(run.scores.means().select("system", "ter").iter_rows())
    bold = [row.name for row in table.rows if row.cells[-1].parts[0].bold]
    assert bold == [min(means, key=lambda name: means[name])]


def test_what_is_printed_alike_is_bold_alike_and_what_only_describes_is_named() -> None:
    values = {"a": (1.0, "higher"), "b": (0.9999999, "lower"), "c": (0.99, "higher"), "length": (1.0, "none")}
    rows = [{**_CELL, "metric": name, "value": value, "direction": way} for name, (value, way) in values.items()]
    table = correlation_table(pl.DataFrame(rows, schema_overrides={"p_value": pl.Float64}))
    assert [row.name for row in table.rows if row.cells[0].parts[0].bold] == ["a", "b"]
    assert "Never bold (descriptive metrics): length." in table.notes
    plain = correlation_table(pl.DataFrame(rows, schema_overrides={"p_value": pl.Float64}), best=0)
    assert not any("bold" in note for note in plain.notes)


def test_a_table_without_a_value_says_why() -> None:
    row = {**_CELL, "level": "system", "value": None, "reason": "two systems: a correlation needs three"}
    table = correlation_table(pl.DataFrame([row], schema_overrides={"value": pl.Float64, "p_value": pl.Float64}))
    assert table.notes == ("No values: two systems: a correlation needs three.",)
    assert "Bold" not in table.caption


@pytest.mark.parametrize(
    ("count", "bold", "caption"), [(1, [], ""), (2, ["s1"], "Bold: the best of"), (3, ["s1", "s2"], "Bold: the 2 best")]
)
def test_where_all_would_be_bold_fewer_are(count: int, bold: list[str], caption: str) -> None:
    names = [f"s{i}" for i in range(count)]
    keys = {"dialogue_id": ["d"] * count, "system": names, "variant": "original", "role": "overall"}
    frame = pl.DataFrame({**keys, "m": [float(i) for i in range(count)], "length": 3.0})
    scores = Scores(frame, {"m": "m", "length": "length"}, {"m": "higher", "length": "none"})
    table = system_table(None, scores)
    assert [row.name for row in table.rows if row.cells[0].parts[0].bold] == bold
    assert caption in table.caption
    assert ("Bold" in table.caption) == bool(bold)
    assert table.notes == (("Never bold (descriptive metrics): length.",) if bold else ())
    assert sum(row.cells[0].parts[0].bold for row in system_table(None, scores, best=3).rows) == count


def test_systems_without_ratings(bare: FinishedRun) -> None:
    table = publication_table(bare, "systems", TableOptions(metrics=("rouge-1", "ter")))
    assert [column.name for column in table.columns] == ["rouge-1", "ter"]
    assert "ratings" not in table.caption


def test_agreement_counts_what_cleaning_took(run: FinishedRun) -> None:
    table = publication_table(run, "agreement")
    texts = {row.name: [cell.parts[0].text for cell in row.cells] for row in table.rows}
    assert texts["ratings"] == [str(12 * 6 * 3)] * 4 + [str(12 * 6 * 3 * 4)]
    removed = run.stage("correlations")["ratings_removed_as_noise"]
    assert f"removed {removed} of them" in table.notes[0]
    assert r"Krippendorff's $\alpha$" in render_table(table, "latex")


def test_affect_has_three_numbers_in_a_cell(run: FinishedRun) -> None:
    saved = run.table("psentscore")
    assert saved is not None
    table = publication_table(run, "affect", TableOptions(metrics=("rouge-1",)))
    row = next(row for row in table.rows if row.name == "rough")
    here = saved.filter(name="rough", part="negative", side="").row(0, named=True)
    shown = [part.text.replace("−", "-") for part in row.cells[-1].parts]
    assert shown == [f"{here[name]:.3f}" for name in ("spearman", "ccc", "mae")]
    assert "control" not in render_table(table, "markdown")
    assert "the customer" in publication_table(run, "affect", TableOptions(side="customer")).caption
    with pytest.raises(UnknownNameError, match="did you mean 'customer'"):
        publication_table(run, "affect", TableOptions(side="costumer"))


def test_blocks_of_six_metrics(run: FinishedRun) -> None:
    table = publication_table(run, "perturbed-correlations")
    assert [row.name for row in table.rows] == ["original", "baseline − original"] * 2
    assert [row.group for row in table.rows] == ["consistency"] * 2 + ["relevance"] * 2
    text = render_table(table, "latex", split=2)
    assert text.count(r"\begin{tabular}") == 2
    assert r"baseline $-$ original" in text


def test_learned_beside_what_it_must_beat(run: FinishedRun) -> None:
    table = publication_table(run, "learned")
    names = [row.name for row in table.rows]
    assert names[0] == "learned"
    assert names[1].startswith("best single metric (")
    assert names[-3].startswith("human ceiling (")
    assert names[-2:] == ["new rater", "perfect metric"]
    assert {row.group for row in table.rows} == {"consistency"}
    with pytest.raises(UnknownNameError, match="level"):
        publication_table(run, "learned", TableOptions(level="global"))


def test_captions_and_digits(run: FinishedRun) -> None:
    table = replace(publication_table(run, "systems", TableOptions(digits=0)), caption="100 % of A_B & C", notes=())
    assert r"\caption{100 \% of A\_B \& C}" in render_table(table, "latex")
    assert "." not in render_table(table, "csv")


def test_nothing_is_minus_zero() -> None:
    rows = [{**_CELL, "value": -0.001}]
    table = correlation_table(pl.DataFrame(rows, schema_overrides={"p_value": pl.Float64}))
    assert table.rows[0].cells[0].parts[0].text == "0.00"


@pytest.mark.parametrize("kind", [kind for kind in table_kinds() if kind not in ("systems", "paired-systems")])
def test_what_the_run_has_not_is_said(bare: FinishedRun, kind: str) -> None:
    with pytest.raises(InputError, match=r"the run has no \S+; it needs"):
        publication_table(bare, kind)


def test_refusals(run: FinishedRun, tmp_path: Path) -> None:
    for kind, options, says in (
        ("corelations", TableOptions(), "did you mean 'correlations'"),
        ("correlations", TableOptions(metrics=("rouge-11",)), "did you mean 'rouge-1'"),
        ("correlations", TableOptions(coefficient="pearsons"), "did you mean 'pearson'"),
    ):
        with pytest.raises(UnknownNameError, match=says):
            publication_table(run, kind, options)
    for kind, options, says in (
        ("agreement", TableOptions(best=1), "has no option 'best'; its options are digits"),
        ("correlations", TableOptions(side="customer"), "has no option 'role'"),
        ("systems", TableOptions(digits=11), "between 0 and 10"),
        ("systems", TableOptions(best=-1), "0 .nothing bold. or more"),
    ):
        with pytest.raises(InputError, match=says):
            publication_table(run, kind, options)
    with pytest.raises(InputError, match="not a dialgauge run folder"):
        publication_table(tmp_path, "systems")
    copy = tmp_path / "copy"
    shutil.copytree(run.folder, copy)
    (copy / "agreement.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"agreement\.parquet: changed since"):
        publication_table(copy, "agreement")


def _command(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["dialgauge", *map(str, arguments)])
    try:
        main()
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    return 0


def test_the_command(
    run: FinishedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "table.tex"
    assert _command(monkeypatch, "table", run.folder, "-k", "systems", "-o", target, "--caption", "Mine_1.") == 0
    assert r"\caption{Mine\_1.}" in target.read_text("utf-8")
    capsys.readouterr()
    assert _command(monkeypatch, "table", run.folder, "-f", "csv", "--stars") == 0
    assert capsys.readouterr().out.startswith("metric,coherence sys,")
    assert _command(monkeypatch, "table", run.folder, "-f", "csv", "--stars", "--raw-csv") == 0
    raw = capsys.readouterr().out
    assert not re.search(r"(?m)(^|,)'", raw)
    assert _command(monkeypatch, "table", run.folder, "--json") == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "correlations"
    assert _command(monkeypatch, "table", run.folder, "-f", "text", "-k", "systems") == 0
    assert capsys.readouterr().out.split()[:7] == [*["rating"] * 4, "metric", "metric", "system"]
    for wrong in (("-f", "pdf"), ("-k", "nonsense"), ("--json", "-o", target)):
        assert _command(monkeypatch, "table", run.folder, *wrong) == 2
    assert set(FORMATS) == {"latex", "markdown", "csv", "html", "json", "text"}


def test_render_is_pure(run: FinishedRun) -> None:
    table: Table = publication_table(run, "perturbations")
    assert render_table(table, "latex") == render_table(table, "latex")
    assert r"remove\_punct" in render_table(table, "latex")
