"""The embedded corpus keeps what its documentation promises."""

import json

import polars as pl

from dialgauge.corpus import Corpus, embedded_corpus

WRITTEN = {"careful", "terse", "glib", "rough"}
ERROR_TYPES = {
    "extrinsic-hallucination",
    "wrong-speaker",
    "wrong-reasoning",
    "missing-key-point",
    "negation-flipped",
    "disfluent",
    "redundant",
    "feelings-dropped",
    "disjointed",
    "unfocused",
}


def planted_errors(corpus: Corpus) -> pl.DataFrame:
    rows = []
    for system, provenance in corpus.summaries.select("system", "provenance").iter_rows():
        for error in json.loads(provenance or "{}").get("errors", []):
            rows.append({"system": system, "type": error["type"], "severity": error["severity"], "note": error["note"]})
    return pl.DataFrame(rows)


def test_size_and_domains() -> None:
    corpus = embedded_corpus()
    assert corpus.dialogues.height >= 36
    assert corpus.systems == ["careful", "glib", "lead-3", "longest-3", "rough", "terse"]
    assert corpus.references.height == corpus.dialogues.height
    assert set(corpus.dialogues["domain"]) == {
        "banking",
        "insurance",
        "medical",
        "telecom",
        "travel",
        "education",
        "automotive",
        "chat",
    }
    turns = corpus.dialogues["turns"].list.len()
    assert turns.min() >= 8
    assert turns.max() <= 40


def test_a_third_reads_as_a_recogniser_leaves_it() -> None:
    meta = [json.loads(text) for text in embedded_corpus().dialogues["meta"]]
    assert sum(entry["asr"] for entry in meta) >= len(meta) / 3


def test_every_error_type_is_planted_in_written_summaries() -> None:
    errors = planted_errors(embedded_corpus())
    assert set(errors["type"]) == ERROR_TYPES
    assert set(errors["severity"]) == {"minor", "major"}
    assert all(errors["note"])
    written = errors.filter(pl.col("system").is_in(list(WRITTEN)))
    assert set(written["type"]) == ERROR_TYPES


def test_extracts_are_computed_from_the_dialogue() -> None:
    corpus = embedded_corpus()
    for dialogue in corpus.iter_dialogues():
        texts = dict(corpus.summaries.filter(pl.col("dialogue_id") == dialogue.id).select("system", "text").iter_rows())
        assert texts["lead-3"] == dialogue.lead(3)
        assert texts["longest-3"] == dialogue.longest(3)
        assert len(set(texts.values())) == len(texts)


def test_ratings_are_constructed_complete_and_on_their_scale() -> None:
    corpus = embedded_corpus()
    assert corpus.info.ratings_origin == "constructed"
    assert corpus.ratings.height == corpus.dialogues.height * 6 * 4 * 3
    assert set(corpus.ratings["value"]) <= {1.0, 2.0, 3.0, 4.0, 5.0}
    assert set(corpus.ratings["scale"]) == {"1-5"}


def test_ratings_follow_the_planted_errors() -> None:
    means = {
        (system, dimension): value
        for system, dimension, value in embedded_corpus()
        .ratings.group_by("system", "dimension")
        .agg(pl.col("value").mean())
        .iter_rows()
    }
    assert means["careful", "consistency"] > means["glib", "consistency"] + 1
    assert means["careful", "fluency"] > means["rough", "fluency"] + 1
    assert means["careful", "relevance"] > means["terse", "relevance"] + 1
    assert means["terse", "coherence"] > means["longest-3", "coherence"] + 1


def test_same_ratings_every_time() -> None:
    first = embedded_corpus()
    embedded_corpus.cache_clear()
    assert first.ratings.equals(embedded_corpus().ratings)
