"""What every metric that reads pairs with a model must do, on tiny models: the same as all metrics, but for length.

The common tests give each metric texts of 50,000 words; what masks every word or generates questions takes minutes for
those even with a tiny model, so these have tests of their own.
"""

import logging
import random
import shutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from dialgauge.metrics import Job, Metric, TextTable, Values, all_metrics, find_metric, parse_request, score_pairs
from dialgauge.models import unload, watching
from dialgauge.registry import defining_module
from tests.metrics.golden_pairs import GOLDEN, model
from tests.metrics.rule_parser import save_rule_parser

_FOLDER = TemporaryDirectory(prefix="dialgauge-parser-")
FAMILIES = ("blanc", "shannon", "estime", "unieval", "nli", "summaqa", "questeval", "feqa", "dae")
METRICS = [metric for metric in all_metrics().values() if metric.family in FAMILIES]
SUMMARY, SOURCE = "Mia has an exam on Monday. Tom brings a cake.", "Tom: party on Saturday? Mia: no, an exam on Monday."
TEXTS = {
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
    "special": "[CLS] [SEP] [MASK] </s> <pad> MASKED",
    "plain": SUMMARY,
}


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module", autouse=True)
def _short_questions() -> Iterator[None]:
    """Untrained models write until they are stopped. What the tests ask for does not depend on how much that is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dialgauge.metrics._questeval._LONGEST", 12)
        patch.setattr("dialgauge.metrics._feqa._LONGEST_QUESTION", 12)
        yield


@cache
def parser() -> str:
    return save_rule_parser(Path(_FOLDER.name) / "rules")


@cache
def dae_model() -> str:
    folder = Path(shutil.copytree(GOLDEN / "models" / "tiny-bert", Path(_FOLDER.name) / "dae"))
    tensors = load_file(folder / "model.safetensors")
    weight = torch.randn(2, 96, generator=torch.Generator().manual_seed(0))
    (folder / "model.safetensors").unlink()
    added = {"dep_label_classifier.weight": weight, "dep_label_classifier.bias": torch.zeros(2)}
    save_file(tensors | added, folder / "model.safetensors")
    return f"folder:{folder}"


def specification(name: str) -> str:
    """The metric on tiny models."""
    settings = {
        "blanc": {"model": model("tiny-bert-mlm")},
        "shannon": {"model": model("tiny-gpt2")},
        "estime": {"model": model("tiny-bert-mlm"), "layer": "2"},
        "unieval": {"model": model("tiny-t5"), "max-length": "128"},
        "nli": {"model": model("tiny-bert-nli")},
        "summaqa": {"model": model("tiny-bert-qa")},
        "questeval": {"generator": model("tiny-t5"), "answerer": model("tiny-t5"), "encoder": model("tiny-bert")},
        "feqa": {"generator": model("tiny-bart"), "reader": model("tiny-bert-qa"), "beams": "2"},
        "dae": {"model": ""},
    }[find_metric(name).family]
    more = {"estime-soft": {"embeddings": model("tiny-bert-mlm")}, "nli-consistency": {"entailment": "1"}}.get(name, {})
    if name == "blanc-tune":
        more = {"epochs": "1", "rate": "5e-3", "batch": "8"}
    if name == "dae":
        more = {"model": dae_model()}
    if "parser" in find_metric(name).parameters:
        more = {**more, "parser": parser()}
    given = ",".join(f"{key}={value}" for key, value in {**settings, **more, "device": "cpu"}.items())
    return f"{name}:{given}"


def compute(metric: Metric, summaries: list[str], targets: list[str]) -> Values:
    texts = TextTable()
    per_item = {"none": 0, "both": 2}.get(metric.targets[0], 1)
    flat = [text for target in targets for text in (target, SUMMARY)[:per_item]]
    job = Job(
        texts,
        metric.targets[0],
        texts.intern(summaries),
        texts.intern(flat),
        np.arange(len(summaries) + 1) * per_item,
        np.zeros(len(summaries), dtype=np.int64),
    )
    return metric.compute(job, parse_request(specification(metric.name)).parameters)


def run(metric: Metric, summaries: list[str], targets: list[str]) -> list[float | None]:
    """The values, after a look at whether they are in range and every null has a reason."""
    values = compute(metric, summaries, targets)
    low, high = metric.range
    known = values.numbers[~np.isnan(values.numbers)]
    assert np.isfinite(known).all()
    assert low is None or (known >= low - 1e-6).all()
    assert high is None or (known <= high + 1e-6).all()
    assert set(values.reasons) == set(np.flatnonzero(np.isnan(values.numbers)).tolist())
    assert all(values.reasons.values())
    assert all(values.notes.values())
    return [None if np.isnan(number) else number for number in values.numbers.tolist()]


#: The two halves of QuestEval are computed with it.
WHOLE = [metric for metric in METRICS if metric.name not in ("questeval-recall", "questeval-precision")]
metrics = pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
whole_metrics = pytest.mark.parametrize("metric", WHOLE, ids=lambda metric: metric.name)


def test_the_list_is_complete() -> None:
    assert {metric.name for metric in METRICS} == {
        *("blanc-help", "blanc-tune", "shannon", "shannon-difference", "nli-consistency", "factcc", "feqa", "dae"),
        *(f"estime-{name}" for name in ("alarms", "alarms-adjusted", "alarms-all", "soft", "coherence")),
        *(f"unieval-{name}" for name in ("coherence", "consistency", "fluency", "relevance", "overall")),
        *("summaqa-prob", "summaqa-fscore", "questeval", "questeval-recall", "questeval-precision"),
    }


@whole_metrics
def test_odd_texts_give_a_number_or_null_in_any_company(metric: Metric) -> None:
    sides = [(text, SOURCE) for text in TEXTS.values()] + [(SUMMARY, text) for text in TEXTS.values()]
    numbers = run(metric, *map(list, zip(*sides, strict=True)))
    assert numbers[0] is None or metric.family in ("blanc", "shannon", "summaqa"), "an empty summary"
    mixed = [*range(len(sides)), 3, 3, 0]
    random.Random(2).shuffle(mixed)
    again = run(metric, *map(list, zip(*(sides[i] for i in mixed), strict=True)))
    expected = [np.nan if numbers[i] is None else numbers[i] for i in mixed]
    assert [np.nan if one is None else one for one in again] == pytest.approx(expected, abs=2e-4, rel=2e-4, nan_ok=True)
    if metric.name != "dae":  # the parser of these tests gives no arcs
        assert numbers[len(TEXTS) - 1] is not None, "the plain summary"


@metrics
def test_nothing_to_score(metric: Metric) -> None:
    assert run(metric, [], []) == []


#: What is read whole however long it is, in windows or in parts; and what is not read at all.
NEVER_CUT = {
    *((f"estime-{name}", side) for name in ("alarms", "soft", "coherence") for side in ("summary", "target")),
    ("blanc-tune", "summary"),
    ("feqa", "target"),
    ("unieval-fluency", "target"),
}
#: Those of ESTIME share one reading; BLANC-tune is not made to learn a long text by heart.
SIDES = [
    pytest.param(metric, side, id=f"{metric.name}-{side}")
    for metric in WHOLE
    for side in ("summary", "target")
    if not metric.name.startswith("estime-alarms-") and (metric.name, side) != ("blanc-tune", "summary")
]


@pytest.mark.parametrize(("metric", "side"), SIDES)
def test_a_text_that_is_cut_does_not_pass_in_silence(metric: Metric, side: str) -> None:
    """One long sentence, as transcripts without marks are: more than any of the tiny models reads."""
    long = " ".join(["Mia has a cake", *["and then it is late and they are here"] * 60])
    pair = ([long], [SOURCE]) if side == "summary" else ([SUMMARY], [long])
    found, short = compute(metric, *pair), compute(metric, [SUMMARY], [SOURCE])
    said = found.notes.get(0, "") + found.reasons.get(0, "")
    assert bool(said) is ((metric.name, side) not in NEVER_CUT)
    told = ("truncated", "no room", "too many for the model")
    assert metric.name == "dae" or not said or any(words in said for words in told)  # dae: no arcs from this parser
    assert not short.notes


@whole_metrics
def test_a_long_text_is_scored_or_refused_with_a_reason(metric: Metric) -> None:
    words = ["Mia", "has", "an", "exam.", "Tom", "pays", "the", "bill", "on", "Monday.", "customer"]
    rng = random.Random(4)
    long = " ".join(rng.choice(words) for _ in range(1500 if metric.name != "blanc-tune" else 300))
    run(metric, [SUMMARY, long], [long, SOURCE])


@whole_metrics
def test_every_choice_of_a_parameter_works(metric: Metric) -> None:
    spec = specification(metric.name)
    for name, parameter in metric.parameters.items():
        for choice in parameter.choices:
            if (name, choice) in (("measure", "difference"),):
                continue  # asks for a label of contradiction, which the tiny classifier has not
            request = parse_request(f"{spec},{name}={choice}") if f"{name}=" not in spec else None
            if request is not None:
                targets = None if metric.targets == ("none",) else [[SOURCE, SUMMARY]]
                score_pairs([SUMMARY], targets, [request.column])
                assert f"{name}:{choice}" in request.signature.split("|")


@pytest.mark.parametrize("name", [metric.name for metric in METRICS if metric.name != "unieval-overall"])
def test_progress_is_that_of_all_pairs_and_never_goes_back(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are read in parts, some of them in several runs of a model: the bar must not jump back for each."""
    request = parse_request(specification(name))
    module = import_module(defining_module(request.metric.compute))
    for size in ("_PAIRS_AT_ONCE", "_AT_ONCE"):
        monkeypatch.setattr(module, size, 2, raising=False)
    summaries = [f"{who} has an exam on Monday." for who in ("Mia", "Tom", "Ann", "Ben", "Eva")]
    seen: list[tuple[int, int]] = []
    with watching(lambda done, total: seen.append((done, total))):
        score_pairs(summaries, None if request.target == "none" else [SOURCE] * 5, [specification(name)])
    assert seen[-1] == (5, 5)
    assert {total for _, total in seen} == {5}
    assert seen == sorted(seen)
    assert len(set(seen)) >= 3


@pytest.fixture
def warned(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """What transformers warns of; it keeps its warnings from the loggers above its own."""
    logger = logging.getLogger("transformers")
    logger.addHandler(caplog.handler)
    yield caplog
    logger.removeHandler(caplog.handler)


def test_long_texts_make_no_noise(warned: pytest.LogCaptureFixture) -> None:
    """Tokenizers warn, once, of texts that their model cannot read whole; here those are cut, with a note."""
    unload()  # a tokenizer that has warned does not do so again
    long = f"{' '.join(['Tom'] + ['apples and pears'] * 120)} {'x' * 300}."
    for family in FAMILIES:
        name = next(metric.name for metric in METRICS if metric.family == family)
        score_pairs([long], None if find_metric(name).targets[0] == "none" else [long], [specification(name)])
        assert not warned.messages, family
