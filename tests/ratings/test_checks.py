"""Data checks: each finds its trap, and says nothing where there is none."""

import numpy as np
import polars as pl
import pytest

from dialgauge.corpus import Corpus, Dialogue, Rating, Summary, ratings_frame
from dialgauge.errors import InputError
from dialgauge.ratings import Finding, Findings, check_ratings, check_row_order


def checks_of(findings: Findings) -> set[str]:
    return {finding.check for finding in findings}


def noisy(units=60, annotators=3, seed=0, points=5):
    generator = np.random.default_rng(seed)
    truth = generator.integers(1, points + 1, size=(units, 1))
    return np.clip(truth + generator.integers(-1, 2, size=(units, annotators)), 1, points).astype(float)


def test_sound_ratings_have_no_findings(rate, corpus_of):
    ratings = pl.concat([rate(noisy()), rate(noisy(seed=1)).with_columns(system=pl.lit("t"))])
    assert len(check_ratings(corpus_of(ratings))) == 0


def test_a_copied_annotator_is_found(rate, corpus_of):
    values = noisy()
    values[:, 2] = values[:, 1]
    (finding,) = check_ratings(corpus_of(rate(values))).of("copied-annotator")
    assert finding.severity == "error"
    assert finding.where == "dimension relevance, annotators a1 and a2"
    assert finding.evidence["equal"] == finding.evidence["units"] == 60
    assert "equal in 60 of 60 units" in finding.message


def test_a_copy_with_a_corrected_value_is_found(rate, corpus_of):
    values = noisy(units=300)
    values[:, 2] = values[:, 1]
    values[7, 2] = values[7, 1] % 5 + 1
    (finding,) = check_ratings(corpus_of(rate(values))).of("copied-annotator")
    assert (finding.evidence["equal"], finding.evidence["units"]) == (299, 300)


def test_annotators_who_simply_agree_are_not_called_copies(rate, corpus_of):
    generator = np.random.default_rng(0)
    values = np.repeat(generator.integers(0, 2, size=(60, 1)), 3, axis=1).astype(float)
    values[0, 0] = 1 - values[0, 0]
    values[1, 1] = 1 - values[1, 1]  # an easy yes/no question: pairs agree in 58 to 59 of 60
    assert not check_ratings(corpus_of(rate(values, scale="yes/no"))).of("copied-annotator")
    few = noisy(units=10)
    few[:, 2] = few[:, 1]
    assert not check_ratings(corpus_of(rate(few))).of("copied-annotator")


def test_two_annotators_without_exception_are_a_warning(rate, corpus_of):
    values = noisy(annotators=2)
    values[:, 1] = values[:, 0]
    (finding,) = check_ratings(corpus_of(rate(values))).of("copied-annotator")
    assert finding.severity == "warning"


def test_a_constant_annotator_is_found(rate, corpus_of):
    values = noisy()
    values[:, 0] = 3
    (finding,) = check_ratings(corpus_of(rate(values))).of("constant-annotator")
    assert finding.where == "dimension relevance, annotator a0"
    assert finding.evidence == {"value": 3.0, "ratings": 60}


def test_unset_and_off_scale_values_are_found(rate, corpus_of):
    values = noisy()
    values[4, 1], values[5, 2], values[6, 0] = 0, 9, 2.5
    findings = check_ratings(corpus_of(rate(values)))
    (unset,) = findings.of("unset")
    assert (unset.where, unset.evidence["values"]) == ("d4 / s / a1", 1)
    (off,) = findings.of("off-scale")
    assert off.message.startswith("2 values that the scale does not allow")
    assert "9 is off the scale from 1 to 5" in off.evidence["rows"][0]


def test_scales_that_are_missing_or_mixed_are_found(rate, corpus_of):
    assert checks_of(check_ratings(corpus_of(rate(noisy(), scale=None)))) >= {"no-scale"}
    half = rate(noisy()).with_columns(
        scale=pl.when(pl.col("annotator") == "a0").then(pl.lit("1-7")).otherwise(pl.lit("1-5"))
    )
    (mixed,) = check_ratings(corpus_of(half)).of("mixed-scales")
    assert "1-5, 1-7" in mixed.message


def test_too_little_variety_is_found(rate, corpus_of):
    assert checks_of(check_ratings(corpus_of(rate([[2], [4]])))) == {"one-annotator", "one-system"}
    equal = check_ratings(corpus_of(rate([[4, 4], [4, 4]])))
    assert equal.of("all-equal")[0].message == "all 4 ratings are 4: nothing can correlate with them"
    (empty,) = check_ratings(corpus_of(rate([])))
    assert empty.check == "no-ratings"


def test_gaps_are_counted(rate, corpus_of):
    rows = [[None if (u, a) == (3, 1) else v for a, v in enumerate(row)] for u, row in enumerate(noisy().tolist())]
    (finding,) = check_ratings(corpus_of(rate(rows))).of("missing-ratings")
    assert finding.where == "dimension relevance, annotator a1"
    assert finding.evidence == {"missing": 1}


def test_large_gaps_and_half_rated_dimensions_are_counted(rate, corpus_of):
    whole, values = rate(noisy()), noisy(seed=1)
    rows = [[v if a == 0 or u < 20 else None for a, v in enumerate(row)] for u, row in enumerate(values.tolist())]
    few = rate(noisy(units=9, seed=2), "fluency")
    findings = check_ratings(corpus_of(pl.concat([whole, rate(rows, "coverage"), few])))
    assert [finding.message for finding in findings.of("missing-ratings")] == ["of 60 units, a1 rated 20, a2 rated 20"]
    assert findings.of("few-rated-twice")[0].evidence == {"units": 60, "rated_twice": 20}
    (finding,) = findings.of("few-rated")
    assert (finding.severity, finding.where) == ("warning", "dimension fluency")
    assert finding.message == "rated on 9 of the 60 summaries that have ratings: its numbers speak for these only"


def test_gaps_of_a_crowd_are_one_note(rate, corpus_of):
    generator = np.random.default_rng(0)
    rows = []
    for _ in range(60):
        row: list[float | None] = [None] * 20
        for worker in generator.choice(20, size=3, replace=False):
            row[worker] = float(generator.integers(1, 6))
        rows.append(row)
    (finding,) = check_ratings(corpus_of(rate(rows))).of("missing-ratings")
    assert finding.message.startswith("20 of 20 annotators rated ")


def test_a_default_comment_is_found(rate, corpus_of):
    ratings = rate(noisy())
    text = pl.when(pl.col("annotator") == "a1").then(pl.lit(" Write your comment here… "))
    (finding,) = check_ratings(corpus_of(ratings.with_columns(comment=text))).of("default-comment")
    assert finding.where == "annotator a1"
    assert finding.evidence["count"] == finding.evidence["summaries"] == 60
    own = pl.when(pl.col("dialogue_id").is_in(["d1", "d2", "d3"])).then(pl.lit("missing info"))
    assert not check_ratings(corpus_of(ratings.with_columns(comment=own))).of("default-comment")


def corpus_with(*summaries: Summary) -> Corpus:
    dialogues = [Dialogue(name, ()) for name in sorted({s.dialogue_id for s in summaries})]
    ratings = [
        Rating(s.dialogue_id, s.system, a, "x", v, scale="1-5")
        for i, s in enumerate(summaries)
        for a, v in (("p", i % 5 + 1.0), ("q", (i + 1) % 5 + 1.0))
    ]
    return Corpus.build(dialogues, summaries, ratings)


def test_duplicated_summaries_are_found():
    findings = check_ratings(
        corpus_with(
            Summary("d1", "A", "They meet at  eight."),
            Summary("d1", "B", "they meet at eight. "),
            Summary("d2", "A", "She is late."),
            Summary("d2", "B", "They meet at eight."),
        )
    )
    by_where = {finding.where: finding for finding in findings.of("duplicated-summary")}
    assert by_where["systems A and B"].message == "the same summary in 1 of 2 dialogues"
    assert by_where["systems A and B"].severity == "note"
    assert by_where["dialogues d1, d2"].severity == "warning"
    assert len(by_where) == 2


def test_a_reference_counted_as_a_system_is_found():
    texts = {"d1": "One.", "d2": "Two."}
    findings = check_ratings(
        corpus_with(
            *(Summary(d, "gold", text) for d, text in texts.items()),
            *(Summary(d, "bart", f"{text} And more.") for d, text in texts.items()),
            *(Summary(d, "reference", text, kind="reference") for d, text in texts.items()),
        )
    )
    (finding,) = findings.of("system-is-reference")
    assert (finding.where, finding.evidence) == ("system gold", {"equal": 2, "of": 2})


def test_row_order():
    a = pl.DataFrame({"dialogue_id": ["1", "2", "3", "4"], "x": [1, 2, 3, 4]})
    assert len(check_row_order(a, a)) == 0
    (finding,) = check_row_order(a, a[[1, 0, 2, 3]], names=("ratings", "scores"))
    assert finding.evidence == {"positions": 4, "matching": 2}
    assert "2 of 4 positions match" in finding.message
    assert finding.where == "tables ratings and scores, by dialogue_id"


def test_row_order_of_tables_of_different_length():
    a = pl.DataFrame({"dialogue_id": ["1", "1", "2", "3", "9"], "system": ["A", "B", "A", "A", "A"]})
    b = pl.DataFrame({"dialogue_id": ["3", "1"]})
    findings = check_row_order(a, b)
    assert findings.of("row-order")[0].evidence == {"positions": 2, "matching": 0}
    assert findings.of("unmatched-keys")[0].evidence == {"only_in": "a", "keys": 2}
    both = check_row_order(a, a, on=["dialogue_id", "system"])
    assert len(both) == 0
    apart = check_row_order(pl.DataFrame({"dialogue_id": ["1"]}), pl.DataFrame({"dialogue_id": ["2"]}))
    assert all(finding.severity == "error" and "share no key" in finding.message for finding in apart)
    with pytest.raises(InputError, match="table 'b' has no column 'system'"):
        check_row_order(a, b, on="system")


def test_findings_are_sorted_counted_and_framed():
    findings = Findings((Finding("b", "note", "x", "m"), Finding("a", "error", "y", "n")))
    assert [finding.check for finding in findings] == ["a", "b"]
    assert len(findings) == 2
    assert findings.frame.row(0) == ("error", "a", "y", "n")
    assert str(next(iter(findings))) == "error: y: n"
    assert Findings().frame.is_empty()


def test_perturbed_variants_are_not_duplicates(corpus_of):
    summaries = [
        Summary("d1", "A", "Same."),
        Summary("d1", "A", "Same.", variant="negated"),
        Summary("d1", "B", "Other."),
    ]
    ratings = ratings_frame([Rating("d1", "A", "p", "x", 3, scale="1-5"), Rating("d1", "B", "q", "x", 4, scale="1-5")])
    corpus = Corpus.build([Dialogue("d1", ())], summaries)
    found = check_ratings(type(corpus)(corpus.dialogues, corpus.summaries, ratings))
    assert not found.of("duplicated-summary")
