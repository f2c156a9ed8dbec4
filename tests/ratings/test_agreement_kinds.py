"""Agreement of dimensions without an order, and judgements of models beside those of people."""

from dataclasses import replace

import krippendorff
import numpy as np
import polars as pl
import pytest

from dialgauge.corpus import ANNOTATORS, Corpus, Dialogue, Dimension, Rating, Summary
from dialgauge.corpus._model_names import is_named_like_model
from dialgauge.ratings import agreement, check_ratings, class_shares, drift, outliers

NAMES = [[1, 3, 2, 1, 3, 2, 1, 1], [3, 3, 2, 1, 1, 2, 1, 3]]


@pytest.fixture
def corpus() -> Corpus:
    dialogues = [Dialogue(f"d{n}", ()) for n in range(8)]
    summaries = [Summary(d.id, "s", "text") for d in dialogues]
    ratings = [
        Rating(f"d{n}", "s", who, dimension, float(row[n]), scale="1-3")
        for who, row in zip("ab", NAMES, strict=True)
        for n in range(8)
        for dimension in ("error type", "fluency")
    ]
    ratings += [Rating(f"d{n}", "s", "gpt", "fluency", 1.0, scale="1-3") for n in range(8)]
    built = Corpus.build(dialogues, summaries, ratings, declared=[Dimension("error type", "nominal", "1-3")])
    return replace(built, annotators=pl.DataFrame([("gpt", "model", None)], schema=ANNOTATORS, orient="row"))


def test_names_without_an_order_are_nominal(corpus: Corpus) -> None:
    people = corpus.without_models()
    found = agreement(people.ratings, ("krippendorff-alpha",), nominal=people.dimensions_of("nominal"), resamples=0)
    for level, dimension in (("nominal", "error type"), ("ordinal", "fluency")):
        right = krippendorff.alpha(reliability_data=np.array(NAMES, float), level_of_measurement=level)
        assert found.value("krippendorff-alpha", dimension) == pytest.approx(right, abs=1e-12)
    # What has no order is no part of the pool of dimensions that have one.
    assert found.value("krippendorff-alpha") == found.value("krippendorff-alpha", "fluency")


def test_models_take_no_part(corpus: Corpus) -> None:
    assert corpus.models == ["gpt"]
    assert set(corpus.without_models().ratings["annotator"]) == {"a", "b"}
    assert corpus.without_models().without_models().ratings.height == 32


def test_models_are_known_by_name_beside_people(corpus: Corpus) -> None:
    unsaid = replace(corpus, annotators=corpus.annotators.clear())
    assert unsaid.models == ["gpt"]
    person = pl.DataFrame([("gpt", "expert", None)], schema=ANNOTATORS, orient="row")
    assert replace(corpus, annotators=person).models == [], "the table decides"
    alone = replace(unsaid, ratings=unsaid.ratings.filter(pl.col("annotator") == "gpt"))
    assert alone.models == [], "where all are models, they are who was asked"
    (found,) = check_ratings(unsaid).of("models")
    assert found.evidence == {"annotators": ["gpt"]}
    assert check_ratings(unsaid.without_models()).of("models") == ()


@pytest.mark.parametrize(
    "name", ["GPT-4o", "openai/gpt-4o-mini", "ChatGPT", "Claude 3.5 Sonnet", "llama-3-70b", "LLM_judge"]
)
def test_names_of_models(name: str) -> None:
    assert is_named_like_model(name)


@pytest.mark.parametrize(
    "name", ["Claude", "Gemini", "gemma", "worker-3", "model", "expert-1", "Phil", "gptest user", ""]
)
def test_names_of_people(name: str) -> None:
    assert not is_named_like_model(name)


def test_nothing_is_computed_from_the_numbers_of_names(corpus: Corpus) -> None:
    """Correlations, drift and bias need an order; which annotator stands apart is asked at nominal level."""
    named = corpus.dimensions_of("nominal")
    found = agreement(corpus.ratings, ("pearson", "spearman", "icc-a1"), nominal=named, resamples=0).frame
    told = {row["dimension"]: (row["value"], row["note"]) for row in found.iter_rows(named=True)}
    assert told["error type"] == (None, "classes have no order")
    assert told["fluency"][0] is not None
    trends = drift(corpus.ratings, nominal=named).trends.filter(dimension="error type")
    assert trends["change"].null_count() == trends.height == 2
    third = corpus.ratings.filter(annotator="a").with_columns(pl.lit("c").alias("annotator"))
    three = outliers(pl.concat([corpus.without_models().ratings, third]), nominal=named, resamples=0).frame
    rows = [*NAMES, NAMES[0]]
    for name, level in (("error type", "nominal"), ("fluency", "interval")):
        right = krippendorff.alpha(reliability_data=np.array(rows, float), level_of_measurement=level)
        assert three.filter(dimension=name)["alpha"].to_list() == [pytest.approx(right, abs=1e-12)] * 3
    assert three.filter(dimension="error type")["bias"].null_count() == 3


def test_shares_of_classes(corpus: Corpus) -> None:
    shares = class_shares(corpus)
    assert shares.select("dimension", "system", "class", "judgements", "share").rows() == [
        ("error type", "s", "1", 16, 7 / 16),
        ("error type", "s", "2", 16, 4 / 16),
        ("error type", "s", "3", 16, 5 / 16),
    ]
