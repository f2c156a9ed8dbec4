"""Metrics behind the interface of ``evaluate``."""

import pytest

from dialgauge import score_pairs
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.integrations import load_metrics

PREDICTIONS = ["Ann wants a refund.", "The agent books a flight to Oslo."]
REFERENCES = ["Ann asks for a refund.", "A flight to Oslo is booked."]
SOURCES = ["Ann: I want my money back.", "Agent: I'll book your flight to Oslo."]


def test_means_are_those_of_the_pairs() -> None:
    found = load_metrics("rouge-1", "chrf@source", "length").compute(
        predictions=PREDICTIONS, references=REFERENCES, sources=SOURCES
    )
    assert list(found) == ["rouge-1", "chrf@source", "length"]
    assert found["rouge-1"] == score_pairs(PREDICTIONS, REFERENCES, ["rouge-1"])["rouge-1"].mean()
    assert found["chrf@source"] == score_pairs(PREDICTIONS, SOURCES, ["chrf@source"])["chrf@source"].mean()


def test_batches_and_single_ones_add_up_and_are_forgotten() -> None:
    module = load_metrics("rouge-1")
    whole = module.compute(predictions=PREDICTIONS, references=REFERENCES)
    module.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
    module.add_batch(predictions=PREDICTIONS[1:], references=[REFERENCES[1:]])
    assert module.compute() == whole
    with pytest.raises(InputError, match="nothing to compute"):
        module.compute()


def test_what_cannot_be_scored_is_counted() -> None:
    found = load_metrics("ter").compute(predictions=["", "a b"], references=["a b", "a b"])
    assert found == {"ter": 0.0, "unscored": 1}
    assert load_metrics("ter").compute(predictions=[""], references=["a"]) == {"ter": None, "unscored": 1}


def test_what_is_missing_is_named() -> None:
    with pytest.raises(InputError, match=r"rouge-1 needs references; 2 of 2 predictions have none"):
        load_metrics("rouge-1").compute(predictions=PREDICTIONS, sources=SOURCES)
    with pytest.raises(InputError, match=r"2 predictions and 1 references: give one for each"):
        load_metrics("rouge-1").compute(predictions=PREDICTIONS, references=REFERENCES[:1])
    with pytest.raises(InputError, match="no metric was given"):
        load_metrics()
    with pytest.raises(UnknownNameError, match="did you mean"):
        load_metrics("rogue-1")
