"""What every metric of the registry must do, whoever wrote it.

Metrics that need a model run on tiny ones (tiny_models.py); those without tiny models are held to their declaration.
"""

import itertools
import random
import re
import time
from functools import cache

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from dialgauge.corpus import KEY, Corpus, Dialogue, Summary, Turn
from dialgauge.metrics import (
    SYSTEM_KEY,
    Metric,
    MetricRequest,
    Scores,
    all_metrics,
    kernel_name,
    parse_request,
    score,
    score_pairs,
    signed_values,
    use_kernels,
)
from dialgauge.metrics._plan import NO_NUMBER
from tests.metrics.tiny_models import computable, tiny_parameters, tolerance, write_vectors

EVERY = list(all_metrics().values())
COMPUTED = [metric for metric in EVERY if computable(metric)]
#: A metric with each of its targets.
REQUESTS = [
    MetricRequest.build(metric, target, tiny_parameters(metric)) for metric in COMPUTED for target in metric.targets
]
#: Those that no neural model takes part in: quick, and equal to the last bit.
EXACT = [request for request in REQUESTS if request.metric.extra is None]
#: Those whose identical text does not get the end of the range, and why.
NOT_PERFECT = {
    "meteor": "the penalty for fragmentation counts one chunk even where everything matches",
}
#: A likelihood is not highest for a text that repeats what was read.
NOT_BEST = {"bartscore", "lmscore"}
TOLERANCE = 1e-9

REFERENCES = [
    "Anna will call the bank tomorrow, because her card was blocked twice this week.",
    "Tom and Ben meet at 7 pm in front of the old cinema. They want to see a film.",
    "The customer asks for a refund.\nThe agent sends a form and promises an answer.",
    "Maria cannot come to the party. She is ill, but she sends her best wishes to Paul.",
]
SUMMARIES = [
    "Anna calls the bank tomorrow since her card got blocked.",
    "Tom and Ben will meet at 7 pm in front of the old cinema to see a film.",
    "The agent promises a refund, and the customer sends an answer to the form.",
    "Paul is ill. Maria sends wishes to the party.",
]
ODD = {
    "empty": "",
    "blank": " \n\t ",
    "punctuation": "?! ... -- ()",
    "one word": "hello",
    "one letter": "a",
    "emoji": "🙂🎉 👩‍👩‍👧",
    "chinese": "客户要求退款。客服同意了。",
    "arabic": "العميل يطلب المال.",
    "mixed": "Ann 说 OK 🙂 naïve café",
    "controls": "a\u0000b\u200bc\ufeff",
    "unpaired": "x \udc80 y",
    "plain": REFERENCES[0],
}


write_vectors([*REFERENCES, *SUMMARIES, ODD["one word"]])


def name_of(entry: Metric | MetricRequest) -> str:
    if isinstance(entry, Metric):
        return entry.name
    return entry.metric.name if entry.target == entry.metric.targets[0] else f"{entry.metric.name}@{entry.target}"


every = pytest.mark.parametrize("metric", EVERY, ids=name_of)
requests = pytest.mark.parametrize("request_", REQUESTS, ids=name_of)


def build(pairs: list[tuple[str, list[str]]], *, one_system: bool = False) -> Corpus:
    """A dialogue per pair. The targets serve as references, the first as the source, too."""
    return _built(tuple((text, tuple(targets)) for text, targets in pairs), one_system=one_system)


@cache
def _built(pairs: tuple[tuple[str, tuple[str, ...]], ...], *, one_system: bool) -> Corpus:
    """Every metric scores the same few corpora; a corpus does not change."""
    dialogues, summaries = [], []
    for i, (text, targets) in enumerate(pairs):
        dialogues.append(Dialogue(f"d{i:04}", (Turn("", targets[0]),)))
        summaries.append(Summary(f"d{i:04}", "system" if one_system else f"s{i:04}", text))
        summaries += [Summary(f"d{i:04}", f"ref{k}", target, kind="reference") for k, target in enumerate(targets)]
    return Corpus.build(dialogues, summaries)


def values(scores: Scores, request: MetricRequest) -> list[float | None]:
    """A value per pair of :func:`build` (each is a system of its own)."""
    if request.metric.level == "system":
        return scores.systems.sort(SYSTEM_KEY)[request.column].to_list()
    return scores.frame.sort(KEY)[request.column].to_list()


@cache
def plain_values(column: str) -> list[float | None]:
    request = parse_request(column)
    pairs = [(summary, [reference]) for summary in SUMMARIES for reference in REFERENCES]
    return values(score(build(pairs), [column]), request)


def check_range(metric: Metric, numbers: list[float | None]) -> None:
    low, high = metric.range
    for number in numbers:
        if number is not None:
            assert np.isfinite(number)
            assert low is None or number >= low - TOLERANCE
            assert high is None or number <= high + TOLERANCE


@every
def test_declaration(metric: Metric) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9+]*(-[a-z0-9+]+)*", metric.name)
    assert re.fullmatch(r"[a-z][a-z0-9-]*", metric.family)
    assert metric.name != "all"
    assert len(metric.description) >= 15
    assert "\n" not in metric.description
    assert metric.direction in ("higher", "lower", "none")
    assert metric.targets
    assert set(metric.targets) <= {"reference", "source", "both", "none"}
    assert len(set(metric.targets)) == len(metric.targets)
    assert metric.level in ("summary", "system")
    assert metric.cost in ("low", "medium", "high")
    assert len(metric.citation) >= 10
    assert re.fullmatch(r"\d+(\.\d+)*", metric.version)
    low, high = metric.range
    assert low is None or high is None or low < high
    for name, parameter in metric.parameters.items():
        assert re.fullmatch(r"[a-z][a-z0-9_-]*", name)
        if parameter.choices:
            assert parameter.default in parameter.choices
            assert len(set(parameter.choices)) == len(parameter.choices) >= 2
        elif parameter.pattern:
            assert re.fullmatch(parameter.pattern, parameter.default)
        assert not any(set(choice) & set(",:=@| ") or not choice for choice in parameter.choices)
        assert len(parameter.help) >= 10


@every
def test_signature_holds_every_parameter(metric: Metric) -> None:
    for name, parameter in metric.parameters.items():
        signatures = set()
        for choice in parameter.choices:
            request = MetricRequest.build(metric, None, {name: choice})
            parts = request.signature.split("|")
            assert parts[0] == metric.name
            (signed_as,) = (part.removeprefix(f"{name}:") for part in parts if part.startswith(f"{name}:"))
            assert signed_as == choice or choice == "auto", "what a machine chooses is signed as what it is"
            assert f"target:{metric.targets[0]}" in parts
            assert f"v:{metric.version}" in parts
            signed = {"target", "v", *signed_values(metric.parameters, request.parameters)}
            assert {part.partition(":")[0] for part in parts[1:]} == signed >= {*metric.parameters} - {"lang"}
            assert parse_request(request.column) == request
            signatures.add((signed_as, request.signature))
        assert len(signatures) == len({signed_as for signed_as, _ in signatures}) >= len(parameter.choices) - 1


@pytest.mark.parametrize("metric", [metric for metric in COMPUTED if metric.parameters], ids=name_of)
def test_every_choice_of_a_parameter_gives_numbers_in_range(metric: Metric) -> None:
    for name, parameter in metric.parameters.items():
        for choice in parameter.choices:
            request = MetricRequest.build(metric, None, tiny_parameters(metric) | {name: choice})
            pairs = [
                (summary, [reference, REFERENCES[0]]) for summary, reference in zip(SUMMARIES, REFERENCES, strict=True)
            ]
            numbers = values(score(build(pairs), [request.column]), request)
            assert None not in numbers
            check_range(metric, numbers)


@requests
def test_plain_texts_give_numbers_in_range_each_time(request_: MetricRequest) -> None:
    numbers = plain_values(request_.column)
    assert None not in numbers
    check_range(request_.metric, numbers)
    plain_values.cache_clear()
    assert plain_values(request_.column) == numbers


@requests
def test_other_items_change_nothing(request_: MetricRequest) -> None:
    """Order, duplicates and company: an item has its value, whatever else is scored with it."""
    pairs = [(summary, reference) for summary in SUMMARIES for reference in REFERENCES]
    expected = dict(zip(pairs, plain_values(request_.column), strict=True))
    if request_.metric.level == "system":
        shuffled = score(build([(s, [r]) for s, r in pairs[::-1]], one_system=True), [request_.column])
        straight = score(build([(s, [r]) for s, r in pairs], one_system=True), [request_.column])
        assert shuffled.systems[request_.column].item() == pytest.approx(straight.systems[request_.column].item())
        return
    mixed = [*pairs, *pairs]
    random.Random(3).shuffle(mixed)
    frame = score_pairs([summary for summary, _ in mixed], [reference for _, reference in mixed], [request_.column])
    near = tolerance(request_.metric)
    assert frame[request_.column].to_list() == pytest.approx([expected[pair] for pair in mixed], rel=near, abs=near)
    alone = score_pairs([pairs[5][0]], [pairs[5][1]], [request_.column])
    assert alone[request_.column].item() == pytest.approx(expected[pairs[5]], rel=near, abs=near)


@requests
def test_odd_texts_give_a_number_or_a_reason(request_: MetricRequest) -> None:
    pairs = [(text, [target]) for text, target in itertools.product(_odd(), _odd())]
    scores = score(build(pairs), [request_.column])
    numbers = values(scores, request_)
    assert len(numbers) == len(pairs)
    check_range(request_.metric, numbers)
    assert scores.failures.height == sum(number is None for number in numbers)
    assert not {None, "", NO_NUMBER} & set(scores.failures["reason"])
    assert numbers[-1] is not None, "the plain text against itself"


def _odd() -> list[str]:
    # A surrogate without its partner is no text that a frame can hold; score_pairs meets it in a test of its own.
    return [text for name, text in ODD.items() if name != "unpaired"]


@requests
def test_an_unpaired_surrogate_does_no_harm(request_: MetricRequest) -> None:
    texts = [ODD["unpaired"], ODD["plain"]]
    frame = score_pairs(texts, texts[::-1], [request_.column])
    check_range(request_.metric, frame[request_.column].to_list())


@cache
def long_text(seed: int, words: int = 50_000) -> str:
    rng = random.Random(seed)
    return " ".join(
        f"word{min(int(rng.paretovariate(0.9)), 30_000)}" + rng.choice(["", "", "", "", "", ",", "."])
        for _ in range(words)
    )


@requests
def test_long_texts_are_scored_in_a_few_seconds(request_: MetricRequest) -> None:
    pairs = [("long", "short"), ("short", "long"), ("long", "other")]
    for seed in (1, 3, 5):  # packages load and machines are busy at times; too much work is too much each time
        texts = {"long": long_text(seed), "other": long_text(seed + 1), "short": REFERENCES[0]}
        corpus = build([(texts[summary], [texts[target]]) for summary, target in pairs])
        start = time.process_time()
        scores = score(corpus, [request_.column])
        seconds = time.process_time() - start
        if seconds < 2.5:
            break
    numbers = values(scores, request_)
    assert len(numbers) == len(pairs)
    check_range(request_.metric, numbers)
    assert scores.failures.height == numbers.count(None)
    assert not {None, "", NO_NUMBER} & set(scores.failures["reason"])
    assert seconds < 2.5, f"{seconds:.1f} s"


@pytest.mark.parametrize(
    "request_",
    [
        r
        for r in REQUESTS
        if r.target == "reference" and r.metric.direction != "none" and r.metric.family not in NOT_BEST
    ],
    ids=name_of,
)
def test_the_reference_itself_is_the_best_summary(request_: MetricRequest) -> None:
    metric = request_.metric
    pairs = [(reference, [reference]) for reference in REFERENCES]
    identical = values(score(build(pairs), [request_.column]), request_)
    sign = 1 if metric.direction == "higher" else -1
    others = np.array(plain_values(request_.column)).reshape(len(SUMMARIES), len(REFERENCES))
    for i, number in enumerate(identical):
        assert number is not None
        # Precision and recall alone can be perfect for another text, too; not for all of them.
        assert all(sign * number >= sign * other for other in others[:, i])
        assert any(sign * number > sign * other for other in others[:, i])
    end = metric.range[1] if metric.direction == "higher" else metric.range[0]
    perfect = end is not None and identical == pytest.approx([end] * len(identical), abs=TOLERANCE)
    assert perfect is (metric.name not in NOT_PERFECT)


@pytest.mark.parametrize("request_", [r for r in REQUESTS if r.target == "reference"], ids=name_of)
def test_several_references(request_: MetricRequest) -> None:
    metric = request_.metric
    summary = SUMMARIES[1]
    lists = [REFERENCES[:2], REFERENCES[1::-1], [REFERENCES[1]], [REFERENCES[1]] * 3, REFERENCES]
    both, swapped, single, repeated, several = values(
        score(build([(summary, targets) for targets in lists]), [request_.column]), request_
    )
    check_range(metric, [both, swapped, single, repeated, several])
    near = max(tolerance(metric), 1e-12)
    assert both == pytest.approx(swapped, abs=near)
    assert repeated == pytest.approx(single, abs=near)
    assert None not in (both, single, several)


@pytest.mark.parametrize("metric", [m for m in COMPUTED if m.targets == ("none",)], ids=name_of)
def test_metrics_of_the_summary_alone_do_not_look_at_targets(metric: Metric) -> None:
    column = MetricRequest.build(metric, None, tiny_parameters(metric)).column
    without = score_pairs(SUMMARIES, None, [column])
    beside = score_pairs(SUMMARIES, REFERENCES, [column])
    assert without.equals(beside)


WORDS = ["the", "cat", "cats", "sat", "on", "mat", "3.5", "U.S.", "don't", "re-run", "running", "ran", "big", "large"]
MARKS = [",", ".", "!", "\n", "(", "“", "é", "ñandú", "客", "户", "🙂", "&amp;", "%", "a"]
TEXT = st.lists(st.sampled_from(WORDS) | st.sampled_from(MARKS), max_size=14).map(" ".join) | st.text(max_size=20)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(pairs=st.lists(st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=3)), min_size=1, max_size=5))
def test_both_kernels_give_the_same_values(pairs: list[tuple[str, list[str]]]) -> None:
    if kernel_name() != "c":
        pytest.skip("the compiled kernels were not built here")
    summaries, targets = [summary for summary, _ in pairs], [several for _, several in pairs]
    columns = [request.column for request in EXACT]
    with use_kernels("c"):
        compiled = score_pairs(summaries, targets, columns)
    with use_kernels("python"):
        python = score_pairs(summaries, targets, columns)
    for column in columns:
        own, twin = compiled[column].to_list(), python[column].to_list()
        assert [x is None for x in own] == [x is None for x in twin], column
        assert [x for x in own if x is not None] == pytest.approx([x for x in twin if x is not None], abs=1e-12), column


def test_scores_of_everything_at_once_equal_those_one_by_one() -> None:
    """Metrics share tokens and counts within a run; that must not change a number."""
    pairs = [(summary, [reference]) for summary in SUMMARIES for reference in REFERENCES]
    scores = score(build(pairs), [request.column for request in REQUESTS])
    for request in REQUESTS:
        assert values(scores, request) == plain_values(request.column), request.column
    assert isinstance(scores.failures, pl.DataFrame)
    assert scores.failures.is_empty()
