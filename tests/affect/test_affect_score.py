"""PSent and PSentScore: counts by hand, coefficients by SciPy, intervals by brute force, and what has no value."""

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st
from typer.testing import CliRunner

from dialgauge.affect import psent, psent_by_speaker, psent_score
from dialgauge.affect._association import concordance, partial_spearman, spearman, weighted_ranks
from dialgauge.affect._controls import LEAD, LONGEST, RANDOM, SHUFFLED, control_texts
from dialgauge.affect._psentscore import ALL_EQUAL, MEASURES, NO_AFFECT, NOTHING_LEFT, TOO_FEW
from dialgauge.cli._app import app
from dialgauge.corpus import Corpus, Dialogue, Summary, Turn, embedded_corpus, write_corpus
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.metrics import parse_request, score_pairs

SERIES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=30)


def dialogue(name: str, *texts: str) -> Dialogue:
    sides = (("Ann", "customer"), ("Bob", "agent"))
    return Dialogue(name, tuple(Turn(sides[i % 2][0], text, sides[i % 2][1]) for i, text in enumerate(texts)))


def corpus(rows: list[tuple[tuple[str, ...], str]], **more: str) -> Corpus:
    dialogues = [dialogue(f"d{i}", *turns) for i, (turns, _) in enumerate(rows)]
    summaries = [Summary(f"d{i}", "s", text, **more) for i, (_, text) in enumerate(rows)]
    return Corpus.build(dialogues, summaries)


def row(frame: pl.DataFrame, name: str, part: str = "all") -> dict[str, object]:
    return frame.filter((pl.col("name") == name) & (pl.col("part") == part)).row(0, named=True)


def test_psent_by_hand() -> None:
    found = psent(["#Person1# is happy, not sad.", "#Person1#", "", "?! ..."])
    assert found.total.tolist() == [4, 0, 0, 0]
    assert found.share().tolist() == pytest.approx([0.5, math.nan, math.nan, math.nan], nan_ok=True)
    assert found.share("positive")[0] == found.share("negative")[0] == 0.25
    assert psent(["#Person1# is happy, not sad."], tags="count").share()[0] == pytest.approx(2 / 5)


@pytest.mark.parametrize(("name", "value"), [("denominator", "letters"), ("tags", "keep")])
def test_bad_settings(name: str, value: str) -> None:
    with pytest.raises(ParameterError, match=name):
        psent(["good"], **{name: value})  # type: ignore[arg-type]


@settings(max_examples=80, deadline=None)
@given(rows=SERIES, seed=st.integers(0, 1000))
def test_coefficients_in_a_draw_are_those_of_the_drawn_values(rows: list[tuple[int, int]], seed: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    x, y = (np.array(values, dtype=float) for values in zip(*rows, strict=True))
    drawn = np.random.default_rng(seed).integers(0, len(x), len(x))
    weights = np.stack([np.ones(len(x)), np.bincount(drawn, minlength=len(x)).astype(float)])
    given_too = np.arange(len(x), dtype=float)
    found = {f: f(x, y, weights) for f in (spearman, concordance)}
    partial = partial_spearman(x, y, [given_too], weights)
    for place, chosen in enumerate((np.arange(len(x)), drawn)):
        a, b, z = x[chosen], y[chosen], given_too[chosen]
        assert weighted_ranks(x, weights)[place][chosen] == pytest.approx(stats.rankdata(a))
        if a.std() == 0 or b.std() == 0:
            assert np.isnan(found[spearman][place])
            assert np.isnan(found[concordance][place])
            continue
        assert found[spearman][place] == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-9)
        expected = 2 * np.cov(a, b, bias=True)[0, 1] / (a.var() + b.var() + (a.mean() - b.mean()) ** 2)
        assert found[concordance][place] == pytest.approx(expected, abs=1e-9)
        if z.std() > 0:
            r = np.corrcoef([stats.rankdata(v) for v in (a, b, z)])
            spread = (1 - r[0, 2] ** 2) * (1 - r[1, 2] ** 2)
            if spread > 1e-6:
                wanted = (r[0, 1] - r[0, 2] * r[1, 2]) / math.sqrt(spread)
                assert partial[place] == pytest.approx(wanted, abs=1e-6)


ROWS = [
    (("I am happy and glad today", "good"), "Ann is delighted."),
    (("this is a terrible table", "yes it is there"), "Ann has a bad table."),
    (("the table is here in this room now", "good"), "There is a table."),
    (("I hate it, awful, sad", "sorry"), "Ann is angry and Bob unhappy."),
    (("the bus comes at nine", "at ten"), "Ann takes a bus."),
]


def test_scores_and_controls() -> None:
    found = psent_score(corpus(ROWS), resamples=50)
    assert set(found.frame["name"]) == {"s", LEAD, LONGEST, RANDOM, SHUFFLED, "constant"}
    mine = row(found.frame, "s")
    assert (mine["pairs"], mine["dialogues"], mine["zero"], mine["empty"], mine["reason"]) == (4, 4, 1, 0, None)
    texts = [dialogue("d", *turns).text for turns, _ in ROWS]
    x, y = psent(texts, speakers=True).share(), psent([text for _, text in ROWS]).share()
    assert mine["mae"] == pytest.approx(np.abs(x - y)[x > 0].mean())
    for name in (LEAD, LONGEST, RANDOM, "constant"):
        assert row(found.frame, name)["adjusted"] == 0  # nothing in their own words
    constant = row(found.frame, "constant")
    assert constant["spearman"] is constant["ccc"] is None
    assert constant["reason"] == ALL_EQUAL
    again = psent_score(corpus(ROWS), resamples=50)
    assert again.frame.equals(found.frame)
    assert again.signature == found.signature
    assert (
        psent_score(corpus(ROWS), resamples=50, seed=1).frame["spearman_low"].to_list()
        != found.frame["spearman_low"].to_list()
    )


def test_no_affective_word_anywhere_is_null_with_a_reason() -> None:
    found = psent_score(corpus([(("the bus", "at ten"), "A bus.")] * 4), resamples=20)
    mine = row(found.frame, "s")
    assert [mine[measure] for measure in MEASURES] == [None] * 4
    assert (mine["reason"], mine["zero"]) == (NO_AFFECT, 4)
    assert found.differences().is_empty()


def test_empty_summaries_and_dialogues_are_left_out_and_counted() -> None:
    rows = [*ROWS[:2], (("", ""), "Good."), (("good", ""), ""), (("bad", ""), "#Person1#")]
    mine = row(psent_score(corpus(rows), resamples=20).frame, "s")
    assert (mine["pairs"], mine["zero"], mine["empty"], mine["reason"]) == (2, 1, 2, TOO_FEW)


def test_an_empty_corpus_and_bad_settings_are_refused() -> None:
    with pytest.raises(InputError, match="no dialogue"):
        psent_score(Corpus())
    for name, value in (("several", "best"), ("resamples", 5), ("confidence", 1.0), ("denominator", "x")):
        with pytest.raises((ParameterError, UnknownNameError), match=name):
            psent_score(corpus(ROWS), **{name: value})  # type: ignore[arg-type]


def test_several_references() -> None:
    built = corpus(ROWS)
    references = [Summary(f"d{i}", f"r{k}", ROWS[(i + k) % 5][1], kind="reference") for i in range(5) for k in range(2)]
    both = Corpus.build(built.iter_dialogues(), references)
    pairs, mean = (row(psent_score(both, several=way, resamples=20).frame, "references") for way in ("pairs", "mean"))
    assert (pairs["pairs"], mean["pairs"]) == (8, 4)
    shares = psent([summary.text for summary in references]).share().reshape(5, 2).mean(axis=1)
    x = psent([d.text for d in both.iter_dialogues()], speakers=True).share()
    assert mean["mae"] == pytest.approx(np.abs(x - shares)[x > 0].mean())


def test_differences_are_paired_over_common_dialogues() -> None:
    built = corpus(ROWS)
    twin = [Summary(f"d{i}", "t", text) for i, (_, text) in enumerate(ROWS[:4])]
    rows = [Summary(f"d{i}", "s", text) for i, (_, text) in enumerate(ROWS)]
    found = psent_score(Corpus.build(built.iter_dialogues(), [*rows, *twin]), resamples=50)
    only = found.differences("mae").row(0, named=True)
    assert (only["a"], only["b"], only["difference"], only["p_value"], only["dialogues"]) == ("s", "t", 0, 1, 4)
    with pytest.raises(UnknownNameError, match="nobody"):
        found.differences(names=["s", "nobody"])
    with pytest.raises(ParameterError, match="measure"):
        found.differences("kendall")  # type: ignore[arg-type]


def test_a_system_may_be_called_as_a_control() -> None:
    built = corpus(ROWS)
    rows = [Summary(f"d{i}", LEAD, text) for i, (_, text) in enumerate(ROWS)]
    frame = psent_score(Corpus.build(built.iter_dialogues(), rows), resamples=20).frame
    assert row(frame, LEAD)["kind"] == "system"
    assert row(frame, f"{LEAD} (control)")["kind"] == "control"


def test_a_system_may_be_called_references() -> None:
    built = corpus(ROWS)
    rows = [Summary(f"d{i}", "references", text) for i, (_, text) in enumerate(ROWS)]
    people = [Summary(f"d{i}", "r", "Good.", kind="reference") for i in range(len(ROWS))]
    frame = psent_score(Corpus.build(built.iter_dialogues(), [*rows, *people]), resamples=20).frame
    assert row(frame, "references")["kind"] == "reference"
    assert row(frame, "references (system)")["mae"] == row(psent_score(built, resamples=20).frame, "s")["mae"]


def test_the_name_of_a_speaker_is_not_a_feeling_of_the_summary() -> None:
    said = ["I hate it", "a bad, bad day", "so sad and good here", "awful"]
    names = ["Joy", "Bob", "Joy", "Bob"]
    dialogues = [Dialogue(f"d{i}", (Turn(name, text),)) for i, (name, text) in enumerate(zip(names, said, strict=True))]
    told = [Summary(f"d{i}", "s", f"{name} said so") for i, name in enumerate(names)]
    frame = psent_score(Corpus.build(dialogues, told), resamples=20).frame
    assert row(frame, "s")["adjusted"] == row(frame, LEAD)["adjusted"] == 0


def test_a_missing_adjusted_value_has_a_reason() -> None:
    mine = row(psent_score(corpus([*ROWS[:2], (("a very bad day", ""), "Awful.")]), resamples=20).frame, "s")
    assert mine["spearman"] is not None
    assert (mine["adjusted"], mine["reason"]) == (None, NOTHING_LEFT)


def test_summaries_of_roles_alone_ask_for_a_role() -> None:
    built = corpus(ROWS, role="customer")
    with pytest.raises(InputError, match="only of the roles customer: choose a role"):
        psent_score(built)
    of_all = [Summary(f"d{i}", "s", "Bob is happy.") for i in range(len(ROWS))]
    of_customer = [Summary(f"d{i}", "s", text, role="customer") for i, (_, text) in enumerate(ROWS)]
    mixed = Corpus.build(built.iter_dialogues(), [*of_customer, *of_all])
    # There is no summary of the agent: the sentences of the whole are taken, not those of the customer as well.
    assert row(psent_score(mixed, role="agent", resamples=20).frame, "s")["empty"] == 0


def test_shuffled_outputs_never_stay_with_their_dialogue() -> None:
    dialogues = [dialogue(f"d{i}", f"text {i}") for i in range(7)]
    shuffled = control_texts(dialogues, [(i, str(i)) for i in range(7)], seed=3)[SHUFFLED]
    assert all(str(place) != text for place, text in shuffled)
    assert control_texts(dialogues[:1], [(0, "0")], seed=3)[SHUFFLED] == []


def test_sides() -> None:
    rows = [(("I am angry, awful, angry", "sorry, happy to help"), "Ann is furious. Bob is happy. He helps.")] * 3
    built = corpus(rows)
    frame = psent_by_speaker(built, by="role")
    assert frame.columns[:3] == ["dialogue_id", "role", "words"]
    assert frame.filter(pl.col("role") == "customer")["psent_negative"][0] == pytest.approx(3 / 5)
    assert psent_by_speaker(built)["speaker"].to_list()[:2] == ["Ann", "Bob"]
    mine = row(psent_score(built, role="customer", resamples=20).frame, "s", "negative")
    assert mine["mae"] == pytest.approx(3 / 5 - 1 / 3)  # "Ann is furious." alone
    other = row(psent_score(built, role="Bob", resamples=20).frame, "s", "positive")
    assert other["mae"] == pytest.approx(abs(psent(["sorry, happy to help"]).share("positive")[0] - 2 / 5))
    with pytest.raises(UnknownNameError, match="nurse"):
        psent_score(built, role="nurse")
    of_role = Corpus.build(built.iter_dialogues(), [Summary(f"d{i}", "s", "Sad.", role="customer") for i in range(3)])
    assert row(psent_score(of_role, role="customer", resamples=20).frame, "s", "negative")["mae"] == pytest.approx(0.4)


def test_a_side_that_is_copied_from_the_other_side_has_nothing_of_its_own() -> None:
    said = [("bad", "sad"), ("awful day", "a bad thing"), ("so good, bad", "hate"), ("a nice, sad, awful bus", "fine")]
    copied = [Summary(f"d{i}", "s", f"Ann said {other}.") for i, (_, other) in enumerate(said)]
    built = Corpus.build([dialogue(f"d{i}", *texts) for i, texts in enumerate(said)], copied)
    mine = row(psent_score(built, role="customer", resamples=20).frame, "s")
    assert (mine["pairs"], mine["adjusted"]) == (4, 0)


def test_metrics_per_summary() -> None:
    columns = ["psent", "psent-signed", "psent-n", "psent-signed-p"]
    source = "Ann: I am happy\nBob: this is a bad day"
    frame = score_pairs(["I am happy", "bad bad", "", "#Person1#"], [source] * 4, columns)
    assert frame["psent-signed"].to_list() == pytest.approx([1 / 3 - 2 / 8, 1 - 2 / 8, None, None])
    assert frame["psent"].to_list() == pytest.approx([1 - (1 / 3 - 2 / 8), 2 / 8, None, None])
    assert frame["psent-n"].to_list()[:2] == pytest.approx([1 - 1 / 8, 1 / 8])
    assert frame["psent-signed-p"].to_list()[:2] == pytest.approx([1 / 3 - 1 / 8, -1 / 8])
    assert score_pairs(["good"], [" "], ["psent"])["psent"].to_list() == [None]
    several = score_pairs(["good day"], [["good", "a day", "..."]], ["psent", "psent-signed"])
    assert several.row(0) == pytest.approx((0.5, 0.0))


def test_the_signature_of_a_metric_holds_the_tagger(tmp_path: Path) -> None:
    signatures = set()
    for word in ("good", "bad"):
        folder = tmp_path / word
        folder.mkdir()
        (folder / "words.tsv").write_text(f"{word}\tpositive\n")
        signatures.add(parse_request(f"psent:tagger=lexicon:{folder / 'words.tsv'}").signature)
    assert len(signatures) == 2
    assert all(signature.startswith("psent|target:source|tagger:") for signature in signatures)


def test_commands(tmp_path: Path) -> None:
    runner = CliRunner()
    tagged = runner.invoke(app, ["affect", "tag", "A happy, sad :)", "--json"])
    assert tagged.exit_code == 0, tagged.output
    data = json.loads(tagged.stdout)
    assert data["counts"] == {"all": 3, "positive": 2, "negative": 1}
    assert [token["label"] for token in data["tokens"]] == ["neutral", "positive", "neutral", "negative", "positive"]
    nothing = json.loads(runner.invoke(app, ["affect", "tag", "...", "--json"]).stdout)
    assert nothing["psent"]["all"] is None
    assert nothing["reason"].startswith("the text has no words")
    assert "no share: the text has no words" in runner.invoke(app, ["affect", "tag", "#Person1#"]).stderr
    assert "+happy+" in runner.invoke(app, ["affect", "tag", "A happy"]).stdout
    assert "token-dict" in runner.invoke(app, ["affect"]).stdout
    path = tmp_path / "corpus.jsonl"
    write_corpus(embedded_corpus(), path)
    scored = runner.invoke(app, ["affect", "score", str(path), "--resamples", "20", "--json"])
    assert scored.exit_code == 0, scored.output
    data = json.loads(scored.stdout)
    assert {entry["part"] for entry in data["scores"]} == {"all", "positive", "negative"}
    assert data["differences"]["rows"]
    shown = runner.invoke(app, ["affect", "score", str(path), "--resamples", "20"])
    assert "PSentScore, negative words" in shown.stdout
    assert "Paired bootstrap" in shown.stdout


def test_get_takes_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    source = tmp_path / "lists"
    source.mkdir()
    (source / "positive-words.txt").write_text("good\n")
    (source / "negative-words.txt").write_text("bad\n")
    runner = CliRunner()
    got = runner.invoke(app, ["affect", "get", "opinion-lexicon", "--from", str(source), "--json"])
    assert got.exit_code == 0, got.output
    tagged = runner.invoke(app, ["affect", "tag", "bad", "-t", "token-dict", "--json"])
    assert json.loads(tagged.stdout)["counts"]["negative"] == 1
    with pytest.raises(UnknownNameError):
        runner.invoke(app, ["affect", "get", "something"], catch_exceptions=False)
