"""A study that repeats another: compared before anything is scored, published, and shown side by side in the report."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import RATINGS, Corpus, embedded_corpus, write_corpus
from dialgauge.errors import DialgaugeError, InputError
from dialgauge.ratings import aggregate, majority_noise_removal
from dialgauge.reproduce import (
    ComparisonReport,
    check_claims,
    compare,
    comparison_json,
    rated_results,
    read_claims,
    read_printed,
)
from dialgauge.reproduce.papers.re_dialsummeval_data import read_bundle
from dialgauge.study import FinishedRun, StudyRun, report_of_run, run_study

STUDY = """\
[study]
name = "again"
[corpus]
source = "corpus"
[metrics]
use = ["rouge-1", "length"]
[verdict]
null_runs = 0
[correlation]
resamples = 20
levels = ["summary"]
coefficients = ["pearson"]
"""
SECTION = '[reproduction]\noriginal = "first.csv"\nclaims = "claims.toml"\n'
FIRST = """\
system,dimension,value,scale
careful,consistency,4.2,1-5
terse,consistency,4.4,1-5
rough,consistency,2.0,1-5
careful,fluency,4.1,1-5
terse,fluency,4.3,1-5
rough,fluency,3.4,1-5
gone,fluency,3.4,1-5
"""
CLAIMS = """\
[[claims]]
id = "best"
text = "careful beats rough <everywhere>"
claim = "careful > rough"
dimension = ["consistency", "fluency"]
[[claims]]
id = "worst"
claim = "rough > terse"
dimension = "fluency"
"""


@pytest.fixture(scope="module")
def small() -> Corpus:
    whole = embedded_corpus()
    return whole.select(dialogues=whole.dialogues["dialogue_id"].head(8))


def _study(folder: Path, corpus: Corpus, more: str = SECTION, first: str = FIRST, claims: str = CLAIMS) -> StudyRun:
    write_corpus(corpus, folder / "corpus")
    (folder / "first.csv").write_text(first, "utf-8")
    (folder / "claims.toml").write_text(claims, "utf-8")
    (folder / "study.toml").write_text(STUDY + more, "utf-8")
    return run_study(folder / "study.toml")


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory, small: Corpus) -> Path:
    """The folder of a study that was run."""
    folder = tmp_path_factory.mktemp("again")
    _study(folder, small)
    return folder


def test_it_is_what_compare_says(done: Path, small: Corpus) -> None:
    run = FinishedRun.open(done / "runs" / "again")
    studies = [read_printed(done / "first.csv"), rated_results(small.ratings, "again")]
    comparison = compare(studies)
    expected = comparison_json(ComparisonReport(comparison, check_claims(read_claims(done / "claims.toml"), studies)))
    assert run.document("reproduction.json") == json.loads(json.dumps(expected))
    table = run.table("reproduction")
    assert table is not None
    assert table["cv_star"].to_list() == comparison.cells["cv_star"].to_list()
    assert table["difference"].to_list() == [after - before for before, after in comparison.cells["values"]]
    ranks = dict(comparison.ranks.filter(dimension="fluency").select("system", "ranks").iter_rows())
    for row in table.filter(dimension="fluency").iter_rows(named=True):
        assert [row["rank_original"], row["rank_reproduction"]] == ranks[row["system"]]
        assert row["rank_change"] == ranks[row["system"]][0] - ranks[row["system"]][1]


def test_the_page_shows_it_and_can_be_made_again(done: Path) -> None:
    folder = done / "runs" / "again"
    page = (folder / "report.html").read_text("utf-8")
    assert '<a href="#reproduction">Reproduction</a>' in page
    assert "Partly confirmed: 1 of 2 claims of first hold here." in page
    assert "careful beats rough &lt;everywhere&gt;" in page
    assert "system gone: not in again" in page
    assert "Belz, Popović and Mille 2022" in page
    assert report_of_run(folder) == page


def test_nothing_of_it_without_the_section(tmp_path: Path, small: Corpus) -> None:
    run = _study(tmp_path, small, more="")
    assert "reproduction" not in run.stages
    assert not list(run.folder.glob("reproduction*"))
    page = run.report.read_text("utf-8")
    assert 'id="reproduction"' not in page
    assert "#reproduction" not in page
    assert "CV*" not in page


def test_only_what_changed_is_done_again(done: Path, tmp_path: Path) -> None:
    shutil.copytree(done, tmp_path / "copy")
    folder = tmp_path / "copy"
    assert set(run_study(folder / "study.toml").stages.values()) == {"unchanged"}
    for name in ("claims.toml", "first.csv"):
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace("best", "first").replace("4.2", "4.0"))
        again = run_study(folder / "study.toml")
        assert {stage for stage, state in again.stages.items() if state == "done"} == {"reproduction", "report"}, name


def test_a_changed_result_is_refused(done: Path, tmp_path: Path) -> None:
    shutil.copytree(done / "runs" / "again", tmp_path / "run")
    (tmp_path / "run" / "reproduction.json").write_text("{}")
    with pytest.raises(InputError, match=r"reproduction\.json: changed since the run wrote it"):
        report_of_run(tmp_path / "run")


def test_ratings_of_the_original_are_read_too(tmp_path: Path, small: Corpus) -> None:
    milder = small.ratings.with_columns((pl.col("value") + 1).clip(1, 5))
    write_corpus(replace(small, ratings=milder), tmp_path / "older")
    run = _study(tmp_path, small, '[reproduction]\noriginal = "older"\nname = "The older"\nagreement = 0.5\n')
    found = FinishedRun.open(run.folder).document("reproduction.json")
    assert [study["name"] for study in found["studies"]] == ["The older", "again"]
    assert [agreed["origin"] for agreed in found["studies"][0]["agreement"]] == ["computed", "computed", "reported"]
    assert found["concordance"][0]["items"] == small.ratings.select("dialogue_id", "system").unique().height
    assert "α between the studies is" in run.report.read_text("utf-8")


def test_the_embedded_corpus_against_itself(tmp_path: Path, small: Corpus) -> None:
    write_corpus(small, tmp_path / "corpus")
    text = STUDY.replace('source = "corpus"', 'source = "embedded"') + '[reproduction]\noriginal = "embedded"\n'
    (tmp_path / "study.toml").write_text(text)
    page = run_study(tmp_path / "study.toml").report.read_text("utf-8")
    assert "The order of the systems is the same as in embedded." in page
    assert "CV* is 0.00 on average and 0.00 at most" in page


@pytest.mark.parametrize("clean", ["none", "majority-noise-removal"])
def test_the_ratings_are_treated_as_the_study_says(tmp_path: Path, small: Corpus, clean: str) -> None:
    settings = f'[ratings]\naggregate = "median"\nclean = "{clean}"\ndimensions = ["fluency"]\n'
    run = _study(tmp_path, small, settings + '[reproduction]\noriginal = "first.csv"\n')
    table = FinishedRun.open(run.folder).table("reproduction")
    assert table is not None
    assert set(table["dimension"]) == {"fluency"}
    fluency = small.ratings.filter(dimension="fluency")
    treated = fluency if clean == "none" else majority_noise_removal(fluency).ratings
    expected = rated_results(treated, "again", aggregate="median")
    for system, value in table.select("system", "reproduction").iter_rows():
        assert value == pytest.approx(expected.value("fluency", "overall", system))
    # People are measured as they rated, whatever was taken out afterwards.
    agreed = FinishedRun.open(run.folder).document("reproduction.json")["studies"][1]["agreement"]
    assert agreed[0]["value"] == rated_results(fluency, "again").agreement[0].value


@pytest.fixture(scope="module")
def spoiled(small: Corpus) -> Corpus:
    """The first annotator left every rating of one system unset."""
    first = small.ratings["annotator"].min()
    unset = (pl.col("system") == "careful") & (pl.col("annotator") == first)
    return replace(small, ratings=small.ratings.with_columns(value=pl.when(unset).then(0.0).otherwise("value")))


@pytest.mark.parametrize("clean", ["none", "majority-noise-removal"])
@pytest.mark.parametrize("on_invalid", ["keep", "drop"])
def test_ratings_off_their_scale_count_as_on_the_rest_of_the_page(
    tmp_path: Path, spoiled: Corpus, on_invalid: str, clean: str
) -> None:
    settings = f'[ratings]\naggregate = "mean"\non_invalid = "{on_invalid}"\nclean = "{clean}"\n'
    run = FinishedRun.open(_study(tmp_path, spoiled, settings + SECTION).folder)
    compared, counted = run.table("reproduction"), run.table("ratings")
    assert compared is not None
    assert counted is not None
    for dimension, system, value in compared.select("dimension", "system", "reproduction").iter_rows():
        assert value == pytest.approx(counted.filter(system=system)[dimension].mean())
    dropped = aggregate(spoiled.ratings, "mean").wide().filter(system="careful")["fluency"].mean()
    careful = compared.filter(dimension="fluency", system="careful")["reproduction"].item()
    assert clean != "none" or (careful == pytest.approx(dropped)) == (on_invalid == "drop")
    (said,) = run.document("reproduction.json")["studies"][1]["remarks"]
    assert ("kept, though not allowed" if on_invalid == "keep" else "left out, not allowed") in said


@pytest.mark.parametrize("section", ["", SECTION])
def test_no_rating_on_its_scale(tmp_path: Path, small: Corpus, section: str) -> None:
    unset = replace(small, ratings=small.ratings.with_columns(pl.lit(0.0).alias("value")))
    message = rf"^ratings\.on_invalid: 'drop' leaves no ratings: all {small.ratings.height} ratings are off"
    with pytest.raises(InputError, match=message):
        _study(tmp_path, unset, section)


def test_scales_and_normalising(tmp_path: Path, small: Corpus) -> None:
    tenths = "system,dimension,value,scale\n" + "".join(
        f"{s},fluency,{v},0-10\n" for s, v in (("careful", 8), ("rough", 3))
    )
    with pytest.raises(InputError, match=r"^reproduction: .*different scales.*normalise = true in a study file"):
        _study(tmp_path, small, SECTION.replace('claims = "claims.toml"\n', ""), first=tenths)
    run = _study(tmp_path, small, SECTION.replace('claims = "claims.toml"', "normalise = true"), first=tenths)
    table = FinishedRun.open(run.folder).table("reproduction")
    assert table is not None
    assert sorted(table["original"]) == [0.3, 0.8]
    assert table["reproduction"].is_between(0, 1).all()
    bare = "system,dimension,value\ncareful,fluency,4\nrough,fluency,3\n"
    run = _study(tmp_path, small, SECTION.replace('claims = "claims.toml"', 'scale = "1-5"'), first=bare)
    assert FinishedRun.open(run.folder).document("reproduction.json")["shifts"][0]["lowest"] == 1


@pytest.mark.parametrize(
    ("section", "files", "message"),
    [
        ('original = "none.csv"', {}, r"reproduction\.original: .*none\.csv does not exist \(paths are relative"),
        ('original = "first.csv"\nclaims = "none.toml"', {}, r"reproduction\.claims: .*none\.toml does not exist"),
        (
            'original = "first.csv"',
            {"first": "system,dimension,value\nX,fluency,3\nY,fluency,4\n"},
            r"^reproduction: the studies share no system, so there is nothing to compare \(first: X, Y; again: careful",
        ),
        (
            'original = "first.csv"',
            {"first": "system,dimension,value\ncareful,fluency,much\n"},
            r"^reproduction\.original: .*line 2.*much",
        ),
        (
            'original = "first.csv"',
            {"first": "system,dimension,value\ncareful,charm,3\n"},
            "^reproduction: .* share no dimension",
        ),
        ('original = "corpus"\nmethod = "annotator:nobody"', {}, r"^reproduction\.original: .*nobody"),
        (
            'original = "first.csv"\nname = "again"',
            {},
            r"reproduction\.name: the original must not have the name of the study itself, 'again'",
        ),
        (
            'original = "first.csv"\nclaims = "claims.toml"',
            {"claims": "claims = 3"},
            r"^reproduction\.claims: .*claims\.toml: no \[\[claims\]\]",
        ),
        (
            'original = "first.csv"\nclaims = "claims.toml"',
            {"claims": "claims = []"},
            r"^reproduction\.claims: .*claims\.toml: no \[\[claims\]\]",
        ),
        ('original = "first.csv"\nclaims = "claims.toml"', {"claims": "[[claims"}, r"claims\.toml: "),
        (
            'original = "first.csv"\nclaims = "claims.toml"',
            {"claims": '[[claims]]\nclaim = "a > b"\ndimension = "fluency"\n'},
            r"^reproduction\.claims: claim '1': study 'first' has no value for fluency / overall / a",
        ),
        ('original = "first.csv"\nscale = "one to five"', {}, r":15: reproduction\.scale: .*one to five"),
        ('original = "first.csv"\nmethod = "meen"', {}, r"reproduction\.method: unknown method of aggregation 'meen'"),
        ('original = "first.csv"\nagreement = 2.0', {}, r"reproduction\.agreement: must be at most 1"),
        ('orignal = "first.csv"', {}, r"reproduction\.orignal: unknown key 'orignal'; did you mean 'original'"),
        ('original = "../first.csv"', {}, r":14: reproduction\.original: '\.\./first\.csv' is outside of"),
        ('original = "a.csv"\nclaims = "/etc/claims.toml"', {}, r":15: reproduction\.claims: .* is outside of"),
    ],
)
def test_bad_input_is_named_before_the_long_work(
    tmp_path: Path, small: Corpus, section: str, files: dict[str, str], message: str
) -> None:
    with pytest.raises(DialgaugeError, match=message):
        _study(tmp_path, small, f"[reproduction]\n{section}\n", **files)
    assert not (tmp_path / "runs" / "again" / "scores.parquet").exists()


def test_no_ratings_on_either_side(tmp_path: Path, small: Corpus) -> None:
    bare = replace(small, ratings=pl.DataFrame(schema=RATINGS))
    with pytest.raises(InputError, match="reproduction: study 'again' has no ratings and no other judgements"):
        _study(tmp_path / "one", bare)
    write_corpus(bare, tmp_path / "other" / "unrated")
    with pytest.raises(InputError, match=r"reproduction\.original: study \'unrated\' has no ratings and no other judg"):
        _study(tmp_path / "other", small, '[reproduction]\noriginal = "unrated"\n')


def test_the_folder_of_a_run_is_led_to_its_ratings(done: Path, tmp_path: Path, small: Corpus) -> None:
    shutil.copytree(done / "runs" / "again", tmp_path / "first")
    section = '[reproduction]\noriginal = "first{}"\nname = "first"\n'
    with pytest.raises(InputError, match=r'is a run folder; its ratings are in "first/corpus"'):
        _study(tmp_path, small, section.format(""))
    assert _study(tmp_path, small, section.format("/corpus")).stages["reproduction"] == "done"


@pytest.mark.data
def test_dialsummeval_as_its_reproduction_printed_it(data_dir: Path, tmp_path: Path) -> None:
    """Table 6 of the reproduction: the differences of the means. It averaged four unset rows as zeros; we do not."""
    corpora = read_bundle(data_dir / "dialsummeval").corpora
    write_corpus(corpora["original"], tmp_path / "first")
    settings = '[ratings]\naggregate = "majority-or-mean"\n[reproduction]\noriginal = "first"\n'
    run = _study(tmp_path, corpora["reproduction"], settings)
    table = FinishedRun.open(run.folder).table("reproduction")
    assert table is not None
    ours = {(row["dimension"], row["system"]): row["difference"] for row in table.iter_rows(named=True)}
    printed = json.loads((data_dir / "dialsummeval" / "expected_tables.json").read_text("utf-8"))["table6"]
    unset = corpora["reproduction"].ratings.filter(pl.col("value") == 0)["system"].unique().to_list()
    assert sorted(unset) == ["A", "B", "D"]
    for system, row in zip("ABCDEFGHIJKLMN", printed, strict=True):
        for dimension in ("coherence", "consistency", "fluency", "relevance"):
            reach = 0.05 if system in unset else 0.005 + 1e-9
            assert ours[dimension, system] == pytest.approx(row[dimension.title()]["value"], abs=reach)
    facts = FinishedRun.open(run.folder).document("reproduction.json")
    assert facts["studies"][1]["invalid"] == {"unset": 16}
