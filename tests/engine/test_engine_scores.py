"""Scores made by workers, part by part, are those that one process makes."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn, embedded_corpus
from dialgauge.engine import engine
from dialgauge.errors import InputError
from dialgauge.metrics import Scores, _sharded, parse_requests, register, score, suitable_engine
from dialgauge.metrics._registry import METRICS
from tests.engine.engine_tasks import SLOW, Inline

NGRAM = ["rouge", "chrf", "bleu", "meteor", "ter", "rouge-l@source:stem=yes"]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sharded, "_LEAST", 40)


def assert_same(one: Scores, other: Scores) -> None:
    assert one.frame.equals(other.frame)
    assert one.systems.equals(other.systems)
    assert one.failures.equals(other.failures)
    assert one.notes.equals(other.notes)
    assert list(one.signatures.items()) == list(other.signatures.items())
    assert list(one.directions.items()) == list(other.directions.items())
    assert list(one.seconds) == list(other.seconds)


def holed_corpus() -> Corpus:
    """The embedded corpus without the references of half its dialogues, and with a summary that says nothing."""
    corpus = embedded_corpus()
    holes = corpus.dialogues["dialogue_id"].head(20).implode()
    lost = pl.col("dialogue_id").is_in(holes) & (pl.col("kind") == "reference")
    silent = (pl.col("system") == corpus.systems[0]) & (pl.col("dialogue_id") == corpus.dialogues["dialogue_id"][30])
    summaries = corpus.summaries.filter(~lost).with_columns(
        text=pl.when(silent).then(pl.lit("…")).otherwise(pl.col("text"))
    )
    return Corpus(corpus.dialogues, summaries, info=corpus.info)


@pytest.mark.parametrize("workers", [1, 2])
def test_processes_give_the_same_bits(workers: int) -> None:
    corpus = holed_corpus()
    alone = score(corpus, NGRAM, include_references=True)
    together = score(corpus, NGRAM, include_references=True, engine=engine("processes", workers=workers))
    assert not alone.failures.is_empty()
    assert alone.systems.width > 3
    assert_same(alone, together)


def test_the_serial_engine_is_no_other_way() -> None:
    assert_same(score(holed_corpus(), ["rouge-1"]), score(holed_corpus(), ["rouge-1"], engine=engine("serial")))


_WORDS = st.sampled_from(["red", "green", "blue", "one", "two", "…"])
_TEXTS = st.lists(_WORDS, max_size=6).map(" ".join)


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    count = draw(st.integers(1, 8))
    dialogues = [Dialogue(f"d{i}", (Turn("A", draw(_TEXTS)),)) for i in range(count)]
    summaries = [Summary("d0", "gold", draw(_TEXTS), kind="reference"), Summary("d0", "s0", draw(_TEXTS))]
    for i in range(1, count):
        summaries += [Summary(f"d{i}", f"s{k}", draw(_TEXTS)) for k in range(draw(st.integers(0, 4)))]
        summaries += [
            Summary(f"d{i}", f"gold{k}", draw(_TEXTS), kind="reference") for k in range(draw(st.integers(0, 2)))
        ]
    order = draw(st.permutations(range(len(summaries))))
    return Corpus.build(dialogues, [summaries[i] for i in order])


@settings(max_examples=20, deadline=None)
@given(corpora(), st.booleans(), st.integers(1, 5))
def test_however_a_corpus_is_cut(corpus: Corpus, include_references: bool, least: int) -> None:
    metrics = ["rouge-1", "rouge-l:refs=mean", "chrf@source", "corpus-bleu", "bleu-4"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_sharded, "_LEAST", least)
        alone = score(corpus, metrics, include_references=include_references)
        parts = score(corpus, metrics, include_references=include_references, engine=Inline(workers=9))
    assert_same(alone, parts)


def test_models_agree_to_five_digits(golden_dir: Path) -> None:
    pytest.importorskip("torch")
    folder = next(path for path in sorted((golden_dir / "models").iterdir()) if "bert" in path.name and path.is_dir())
    metric = f"bertscore-f1:model=folder:{folder}"
    corpus = embedded_corpus().select(dialogues=embedded_corpus().dialogues["dialogue_id"].head(20))
    alone, parts = (score(corpus, [metric], cache=False, engine=used) for used in (None, Inline()))
    difference = (alone.frame[metric] - parts.frame[metric]).abs().max()
    assert isinstance(difference, float)
    assert difference < 1e-5
    assert alone.failures.equals(parts.failures)


def test_values_that_depend_on_their_company_stay_with_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    requests = parse_requests(["bertscore-f1:idf=distinct", "corpus-bleu", "bertscore-f1", "rouge-1"])
    shared = _sharded.shareable(embedded_corpus(), requests)
    assert [request.column for request in shared] == ["bertscore-f1", "rouge-1"]


def test_a_corpus_without_references_is_refused_all_the_same() -> None:
    corpus = embedded_corpus()
    bare = Corpus(corpus.dialogues, corpus.summaries.filter(kind="system"))
    with pytest.raises(InputError, match="needs references"):
        score(bare, ["rouge-1"], engine=Inline())
    assert_same(score(bare, ["rouge-1@source"]), score(bare, ["rouge-1@source"], engine=Inline()))


def test_a_metric_of_ones_own_travels_with_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(METRICS, "_entries", dict(METRICS.all()))
    register(SLOW)
    assert_same(
        score(embedded_corpus(), ["test-slow"]),
        score(embedded_corpus(), ["test-slow"], engine=engine("processes", workers=2)),
    )


def test_little_work_stays_here() -> None:
    assert suitable_engine(1_000, ["rouge"]) is None
    assert suitable_engine(1_000_000, ["rouge"]) is not None
    assert suitable_engine(1_000, ["rouge"], workers=2) is not None
    assert suitable_engine(1_000_000, ["rouge", "bertscore-f1"]) is None  # torch has its own threads
