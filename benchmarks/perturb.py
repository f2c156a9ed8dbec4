"""What the perturbations cost beside the parse that they share, and beside those of other packages."""

import statistics

from benchmarks.perturb_peers import CONTESTS, beside_peer, shared_texts
from benchmarks.timing import BenchResult, interleave
from dialgauge.corpus import embedded_corpus
from dialgauge.perturb import Parsed, Task, Variant, outline, parse, parse_requests, parser_name, run_rules
from dialgauge.perturb._grammar import base_form, inflect
from dialgauge.progress import Progress

#: All perturbations of one summary must cost less than this many parses of it.
BAR = 1.5
_ROUNDS = 5
_TEXTS = 120
_BASELINE = "perturb-baseline"


def run(progress: Progress | None = None) -> list[BenchResult]:
    """All benchmarks of this suite: first the cost in parses (lower is better), then each contest with a peer."""
    steps = 1 + len(CONTESTS)
    if progress:
        progress(_BASELINE, 0, steps)
    results = [_over_a_parse(_BASELINE)]
    texts = shared_texts()
    for done, contest in enumerate(CONTESTS, 1):
        if progress:
            progress(contest.name, done, steps)
        results += beside_peer(contest, texts)
    if progress:
        progress("done", steps, steps)
    return results


def _over_a_parse(name: str) -> BenchResult:
    """All baseline perturbations over one parse of each text; the ratio is their cost in parses."""
    requests = parse_requests(["baseline"])
    texts = list(dict.fromkeys(embedded_corpus().summaries["text"]))[:_TEXTS]
    tasks = [
        Task(request, text, None, (str(i), "", "original", "overall"), 0)
        for i, text in enumerate(texts)
        for request in requests
    ]
    parsed_texts = [parse(text) for text in texts]  # shared by all perturbations, and outside the clock

    def ours() -> int:
        return sum(isinstance(run_rules(task), Variant) for task in tasks)

    def one_parse() -> list[Parsed]:
        return [parse.__wrapped__(text) for text in texts]

    def forget() -> None:
        for cache in (inflect, base_form, outline):
            cache.cache_clear()

    timing = interleave(ours, one_parse, rounds=_ROUNDS, before_each=forget)
    if timing.theirs != parsed_texts:
        raise AssertionError("a text was parsed in two ways")
    costs = [1 / ratio for ratio in timing.ratios]
    detail = {
        "workload": f"{len(requests)} perturbations of {len(texts)} summaries over one parse of each; lower is better, "
        f"the bar is {BAR}",
        "direction": "lower is better",
        "bar": BAR,
        "variants_made": timing.ours,
        "ratios": [round(cost, 3) for cost in costs],
        "texts": "the distinct summaries of the embedded corpus",
    }
    return BenchResult(name, statistics.median(costs), parser_name(), timing.seconds, timing.peer_seconds, detail)
