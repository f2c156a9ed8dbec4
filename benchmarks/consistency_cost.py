"""How many summaries a second the rule-based checks and the metric ``consistency`` judge, models loaded, texts new.

Six summaries to each dialogue of about 300 words (embedded corpus). On a processor the seconds are those of CPU, in one
thread; on a card they are those of the clock.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from benchmarks.timing import BenchResult
from dialgauge.checker import judge_many
from dialgauge.checks import check_many
from dialgauge.corpus import embedded_corpus
from dialgauge.progress import Progress

Group = tuple[str, list[str]]
_WORDS, _SUMMARIES, _DIALOGUES, _ROUNDS = 300, 6, 6, 3
#: A card is busy only with many dialogues.
_COPIES = {"cpu": 1, "cuda": 100}


def groups() -> list[Group]:
    """The dialogues whose length is nearest to 300 words, each with six summaries."""
    corpus = embedded_corpus()
    texts = {dialogue.id: dialogue.text for dialogue in corpus.iter_dialogues()}
    nearest = sorted(texts, key=lambda one: abs(len(texts[one].split()) - _WORDS))[:_DIALOGUES]
    summaries: dict[str, list[str]] = {one: [] for one in nearest}
    for row in corpus.summaries.iter_rows(named=True):
        if len(summaries.get(row["dialogue_id"], [""] * _SUMMARIES)) < _SUMMARIES:
            summaries[row["dialogue_id"]].append(row["text"])
    return [(texts[one], summaries[one]) for one in nearest]


def run(progress: Progress | None = None, device: str = "cpu") -> list[BenchResult]:
    """Both metrics; ``ratio`` is the number of summaries a second."""
    place = device.partition(":")[0]
    clock = time.process_time if place == "cpu" else time.perf_counter

    def checks(number: int) -> int:
        # Texts that were never parsed: what is remembered would flatter.
        pairs = [(source, f"{text} Take {number}.") for source, texts in groups() for text in texts]
        return len(list(check_many(pairs)))

    def consistency(rules: bool) -> Callable[[int], int]:
        def judged(number: int) -> int:
            made = [(source, [f"{text} Take {number}." for text in texts]) for source, texts in groups()]
            many = [(f"{source}\nA: {copy}", texts) for copy in range(_COPIES[place]) for source, texts in made]
            return sum(map(len, judge_many(many, checks=rules, device=device)))

        return judged

    wanted = {"consistency, model alone": consistency(False)}
    if place == "cpu":
        wanted = {"checks, parse included": checks, **wanted, "consistency": consistency(True)}
    found = []
    with one_thread():
        for done, (name, task) in enumerate(wanted.items()):
            if progress:
                progress(name, done, len(wanted))
            task(0)
            rates = [_rate(task, number, clock) for number in range(1, _ROUNDS + 1)]
            about = {
                "texts": f"six summaries to each of {_DIALOGUES} dialogues of about {_WORDS} words",
                "rates": rates,
            }
            found.append(BenchResult(name, median(rates), "a second", 1 / median(rates), None, about))
    return found


def _rate(task: Callable[[int], int], number: int, clock: Callable[[], float]) -> float:
    start = clock()
    done = task(number)
    return done / (clock() - start)


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute in one thread: others would wait in loops that count as CPU time."""
    import torch

    before: Any = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
