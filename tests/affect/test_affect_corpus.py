"""The feelings in a corpus: shares of pairs, their distribution, the filtered corpus, and faithful summaries."""

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st
from typer.testing import CliRunner

from dialgauge.affect import (
    Spread,
    affective,
    describe_shares,
    faithful_summaries,
    filter_corpus,
    has_affect,
    psent,
    segments,
    shares_frame,
    tag_texts,
)
from dialgauge.cli._app import app
from dialgauge.corpus import Corpus, Dialogue, Rating, Summary, Turn, embedded_corpus, open_corpus, write_corpus
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.report import render_affect_corpus, render_affect_examples, spread_rows
from dialgauge.report._affect_figures import box_plot, paper_box_plot, scatter_plots, system_box_plot


def dialogue(name: str, *texts: str, domain: str | None = None) -> Dialogue:
    sides = (("Ann", "customer"), ("Bob", "agent"))
    turns = tuple(Turn(sides[i % 2][0], text, sides[i % 2][1]) for i, text in enumerate(texts))
    return Dialogue(name, turns, domain=domain)


#: Feeling on both sides, in the dialogue alone, in the summary alone, nowhere.
ROWS = {
    "both": ("I am happy", "Ann is happy"),
    "dialogue": ("I am sad", "Ann is here"),
    "summary": ("I am here", "Ann is angry"),
    "none": ("I am here", "Ann is there"),
}


@pytest.fixture
def corpus() -> Corpus:
    dialogues = [dialogue(name, said, "And you are there", domain="d") for name, (said, _) in ROWS.items()]
    references = [Summary(name, "reference", text, kind="reference") for name, (_, text) in ROWS.items()]
    outputs = [Summary(name, "system", "Ann is glad about it") for name in ROWS]
    ratings = [Rating(name, "system", "a", "quality", 3) for name in ROWS]
    return Corpus.build(dialogues, [*references, *outputs], ratings)


def test_shares_of_each_pair(corpus: Corpus) -> None:
    shares = shares_frame(corpus)
    assert shares.columns[:6] == ["dialogue_id", "system", "variant", "role", "kind", "domain"]
    assert (
        shares.select("dialogue_id", "system", "kind").rows()
        == corpus.summaries.select("dialogue_id", "system", "kind").rows()
    )
    both = shares.filter(dialogue_id="both", system="reference").row(0, named=True)
    assert both["dialogue_all"] == both["dialogue_positive"] == pytest.approx(1 / 7)
    assert both["summary_all"] == pytest.approx(1 / 3)
    assert both["dialogue_negative"] == both["summary_negative"] == 0


def test_shares_are_those_of_psent() -> None:
    corpus = embedded_corpus()
    shares = shares_frame(corpus)
    texts = corpus.summaries["text"].to_list()
    assert shares["summary_negative"].to_list() == psent(texts).share("negative").tolist()
    one = shares.row(5, named=True)
    assert one["dialogue_all"] == psent([corpus.dialogue(one["dialogue_id"]).text], speakers=True).share()[0]


def test_a_summary_of_one_role_stands_beside_its_turns() -> None:
    summaries = [
        Summary("d", "s", "Ann is angry.", role="customer"),
        Summary("d", "s", "Bob is kind.", role="agent"),
        Summary("d", "s", "A call.", role="other"),
    ]
    shares = shares_frame(Corpus.build([dialogue("d", "I am so angry", "Thanks for that")], summaries))
    assert shares["dialogue_negative"].to_list() == [0.25, 0.0, None]
    assert shares["dialogue_positive"].to_list() == [0.0, pytest.approx(1 / 3), None]


def test_texts_without_words_have_no_share() -> None:
    shares = shares_frame(Corpus.build([dialogue("d", "...")], [Summary("d", "s", "#Person1#")]))
    assert shares.select("dialogue_all", "summary_all").row(0) == (None, None)
    assert shares_frame(Corpus()).height == 0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_spread_is_tukeys(values: list[float]) -> None:
    spread = Spread.of(pl.Series([*values, None]))
    assert spread is not None
    assert spread.count == len(values)
    assert [spread.first, spread.median, spread.third] == np.percentile(values, [25, 50, 75]).tolist()
    inside = [v for v in values if spread.low <= v <= spread.high]
    assert len(values) - len(inside) == spread.outside
    assert min(values) <= spread.low <= spread.high <= max(values)
    reach = 1.5 * (spread.third - spread.first)
    assert spread.low >= spread.first - reach
    assert spread.high <= spread.third + reach


def test_distribution_full_and_filtered(corpus: Corpus) -> None:
    shares = shares_frame(corpus).filter(kind="reference")
    assert affective(shares)["dialogue_id"].to_list() == ["both"]
    found = describe_shares(shares, ["domain"]).filter(part="all", series="summary")
    assert found.select("set", "count").rows() == [("full", 4), ("filtered", 1)]
    assert found["median"].to_list() == pytest.approx([1 / 6, 1 / 3])
    nothing = describe_shares(shares.filter(dialogue_id="none"), []).filter(set="filtered")
    assert nothing["count"].to_list() == [0] * 6
    assert nothing["median"].null_count() == 6


@pytest.mark.parametrize(
    ("keep", "kept"),
    [("both", ["both"]), ("dialogue", ["both", "dialogue"]), ("summary", ["both", "summary"])],
)
def test_filter(corpus: Corpus, keep: str, kept: list[str]) -> None:
    found = filter_corpus(corpus, keep=keep)  # type: ignore[arg-type]
    assert found.corpus.dialogues["dialogue_id"].to_list() == kept
    assert found.corpus.summaries.height == 2 * len(kept)
    assert found.corpus.ratings["dialogue_id"].to_list() == kept
    counts = found.full, found.kept, found.zero_dialogues, found.zero_summaries
    assert counts == (4, len(kept), 2, 2)
    assert found.share == len(kept) / 4


def test_a_dialogue_stays_with_its_affective_references_only() -> None:
    references = [
        Summary("d", name, text, kind="reference") for name, text in (("r1", "A call."), ("r2", "Bob is sad."))
    ]
    found = filter_corpus(Corpus.build([dialogue("d", "I am sad")], [*references, Summary("d", "s", "Nothing here.")]))
    assert found.corpus.summaries["system"].to_list() == ["r2", "s"]
    assert (found.full, found.kept) == (2, 1)


def test_subsample_is_of_equal_size_and_seeded() -> None:
    texts = [("happy day" if i % 3 else "the day") for i in range(60)]
    corpus = Corpus.build(
        [dialogue(f"d{i:02}", text) for i, text in enumerate(texts)],
        [Summary(f"d{i:02}", "r", text, kind="reference") for i, text in enumerate(texts)],
    )
    filtered, drawn = filter_corpus(corpus), filter_corpus(corpus, subsample=True, seed=3)
    assert filtered.kept == drawn.kept == drawn.corpus.dialogues.height == 40
    assert has_affect(filtered.corpus.references["text"].to_list()).all()
    assert not has_affect(drawn.corpus.references["text"].to_list()).all()
    again = filter_corpus(corpus, subsample=True, seed=3)
    assert drawn.corpus.dialogues.equals(again.corpus.dialogues)
    assert not drawn.corpus.dialogues.equals(filter_corpus(corpus, subsample=True, seed=4).corpus.dialogues)


def test_what_cannot_be_filtered(corpus: Corpus) -> None:
    with pytest.raises(UnknownNameError, match="keep"):
        filter_corpus(corpus, keep="neither")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no references"):
        filter_corpus(Corpus())
    with pytest.raises(InputError, match="no pairs are left"):
        filter_corpus(corpus.select(dialogues=["none"]))


def test_most_and_least_faithful() -> None:
    dialogues = [dialogue(name, "I am happy") for name in ("a", "b", "c")]
    summaries = [
        Summary("a", "s", "Ann feels happy"),
        Summary("b", "s", "Ann feels terrible"),
        Summary("c", "s", "Ann does speak"),
        Summary("c", "r", "Ann is happy", kind="reference"),
    ]
    found = faithful_summaries(Corpus.build(dialogues, summaries), count=9)
    assert [pair.dialogue_id for pair in found.most] == ["a", "c"]
    assert [pair.dialogue_id for pair in found.least] == ["b"]
    assert [pair.distance for pair in found.most] == pytest.approx([0, 1 / 3])
    assert found.least[0].distance == pytest.approx(2 / 3)
    assert found.most[0].dialogue == (("Ann: I am ", "neutral"), ("happy", "positive"))
    assert found.least[0].summary == (("Ann feels ", "neutral"), ("terrible", "negative"))
    assert json.loads(json.dumps(found.most[0].as_dict()))["summary"][1] == {"text": "happy", "label": "positive"}
    assert found.pairs == 3


def test_what_has_no_faithful_summary(corpus: Corpus) -> None:
    with pytest.raises(InputError, match="affective word"):
        faithful_summaries(corpus.select(dialogues=["none"]))
    with pytest.raises(ParameterError, match="count"):
        faithful_summaries(corpus, count=0)
    with pytest.raises(UnknownNameError, match="sistem"):
        faithful_summaries(corpus, system="sistem")
    found = faithful_summaries(corpus, system="reference")
    assert (found.pairs, found.zero) == (2, 2)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80) | st.lists(st.sampled_from(["happy", "sad", " ", "#P1#", "\n", "x:"])).map("".join))
def test_segments_are_the_text(text: str) -> None:
    found = segments(tag_texts([text])[0])
    assert "".join(part for part, _ in found) == text
    assert all(part for part, _ in found)


def test_texts_and_names_are_escaped_on_pages() -> None:
    evil = "<script>alert(1)</script> happy & sad"
    corpus = Corpus.build(
        [dialogue("<i>d</i>", evil, domain="<u>domain</u>")], [Summary("<i>d</i>", "<b>system</b>", evil)]
    )
    pages = [
        render_affect_corpus(shares_frame(corpus), "<h1>t</h1>", "vader", ["<em>warning</em>"]),
        render_affect_examples(faithful_summaries(corpus), "<h1>t</h1>"),
    ]
    for page in pages:
        for raw in ("<script>alert", "<b>system", "<i>d", "<h1>t", "<u>domain", "<em>warning"):
            assert raw not in page
        assert "http" not in re.sub(r'http-equiv="[^"]*"', "", page)
    assert '<b class="positive">happy</b>' in pages[1]
    assert '<b class="negative">sad</b>' in pages[1]


def test_figures() -> None:
    shares = shares_frame(embedded_corpus())
    assert paper_box_plot(shares).count('class="box"') == 4
    assert system_box_plot(shares).count('class="box"') == 1 + shares["system"].n_unique()
    plots = scatter_plots(shares)
    assert list(plots) == shares["system"].unique(maintain_order=True).to_list()
    assert plots["terse"].count("<circle") == 40
    assert "no pair" in box_plot([("nobody", "summary", None)], "nothing")
    many = pl.concat([shares.filter(system="terse")] * 100)
    assert scatter_plots(many)["terse"].count("<circle") == pytest.approx(1334, abs=1)
    assert "every 3rd pair" in scatter_plots(many)["terse"]


def test_rows_of_domains(corpus: Corpus) -> None:
    rows = spread_rows(shares_frame(corpus).filter(kind="reference"), "domain")
    assert [(row.name, row.pairs, row.zero_dialogues, row.zero_summaries) for row in rows] == [("d", 4, 2, 2)]
    assert rows[0].cells[3] == "33.3 [33.3, 33.3]"


@pytest.fixture
def path(corpus: Corpus, tmp_path: Path) -> str:
    write_corpus(corpus, tmp_path / "c.jsonl")
    return str(tmp_path / "c.jsonl")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["affect", *arguments], env={"COLUMNS": "100"}, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_filter_on_the_command_line(path: str, tmp_path: Path) -> None:
    out = str(tmp_path / "out.jsonl")
    told = json.loads(run("filter", path, "-o", out, "--json"))
    assert {name: told[name] for name in ("full", "kept", "share", "zero_dialogues", "zero_summaries")} == {
        "full": 4,
        "kept": 1,
        "share": 0.25,
        "zero_dialogues": 2,
        "zero_summaries": 2,
    }
    assert open_corpus(out).dialogues["dialogue_id"].to_list() == ["both"]
    shown = run("filter", path, "-o", out, "--keep", "dialogue", "--subsample")
    assert "50.0 %" in shown
    assert "drawn at random" in shown


def test_describe_on_the_command_line(path: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    told = json.loads(run("describe", path, "--html", str(page), "--json"))
    full = [row for row in told["groups"] if row["set"] == "full" and row["kind"] == "reference"]
    assert {row["count"] for row in full} == {4}
    assert told["warnings"] == []
    assert "PSentDial" in page.read_text("utf-8")
    shown = run("describe", path)
    assert "PSentSumm, filtered" in shown
    assert max(map(len, shown.splitlines())) <= 100


def test_describe_without_feeling_says_so(corpus: Corpus, tmp_path: Path) -> None:
    write_corpus(corpus.select(dialogues=["none"]), tmp_path / "c.jsonl")
    told = json.loads(run("describe", str(tmp_path / "c.jsonl"), "--html", str(tmp_path / "p.html"), "--json"))
    assert "no dialogue has an affective word" in told["warnings"][0]
    assert "No dialogue has an affective word" in (tmp_path / "p.html").read_text("utf-8")


def test_examples_on_the_command_line(path: str, tmp_path: Path) -> None:
    shown = run("examples", path, "-n", "1", "--html", str(tmp_path / "e.html"))
    assert "+happy+" in shown
    assert "−sad−" in shown
    assert (tmp_path / "e.html").is_file()
    assert len(json.loads(run("examples", path, "-n", "1", "--json"))["most"]) == 1


def test_bad_input_on_the_command_line(path: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"negative-words\.txt"):
        run("examples", path, "--tagger", f"token-dict:folder={tmp_path}")
    write_corpus(Corpus.build([dialogue("d", "Hello")]), tmp_path / "alone.jsonl")
    with pytest.raises(InputError, match="no summaries"):
        run("describe", str(tmp_path / "alone.jsonl"))
    with pytest.raises(InputError, match="no references"):
        run("filter", str(tmp_path / "alone.jsonl"), "-o", str(tmp_path / "o.jsonl"))
