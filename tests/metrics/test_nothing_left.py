"""What is left out with a note, and what is an error: a request of which nothing is left."""

import pytest

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from dialgauge.errors import InputError
from dialgauge.metrics import score, score_pairs


@pytest.fixture
def bare() -> Corpus:
    """A corpus without references."""
    dialogue = Dialogue("d", (Turn("Ann", "I want a refund."), Turn("Bob", "You will get it.")))
    return Corpus.build([dialogue], [Summary("d", "s", "Ann wants a refund.")])


def test_a_family_leaves_out_what_needs_references(bare: Corpus) -> None:
    scores = score(bare, ["rouge", "length"])
    assert scores.metrics == ["length"]
    assert "the corpus has no references" in scores.left_out["rouge-1"]
    assert "rouge-1@source" in score(bare, ["rouge@source"]).metrics


def test_a_metric_by_name_is_still_an_error(bare: Corpus) -> None:
    with pytest.raises(InputError, match="'rouge-1' needs references"):
        score(bare, ["rouge-1", "length"])


def test_nothing_left_is_an_error(bare: Corpus) -> None:
    with pytest.raises(
        InputError, match=r"none of the requested metrics can run: rouge-1.* \(and \d+ more\): the corpus"
    ):
        score(bare, ["rouge"])
    with pytest.raises(InputError, match=r"none of the requested metrics can run: bartscore-src-hyp.*not here"):
        score_pairs(["a"], ["b"], ["bartscore:model=nobody/no-such-model"])


def test_a_name_is_no_corpus() -> None:
    with pytest.raises(InputError, match=r"got 'embedded': open it with dialgauge\.corpus\.open_corpus"):
        score("embedded", ["rouge-1"])  # type: ignore[arg-type]
