"""What the perturbations cost beside the parse that they share: CPU time for all sixteen of the baseline family."""

import statistics

from dialgauge.bench._timing import BenchResult, interleave
from dialgauge.corpus import embedded_corpus
from dialgauge.perturb import Parsed, Task, Variant, outline, parse, parse_requests, parser_name, run_rules
from dialgauge.perturb._grammar import base_form, inflect
from dialgauge.progress import Progress

#: All perturbations of one summary must cost less than this many parses of it.
BAR = 1.5
_ROUNDS = 5
_TEXTS = 120


def run(progress: Progress | None = None) -> list[BenchResult]:
    """The one benchmark of this suite. Its ratio is the cost of all perturbations in parses: lower is better."""
    name = "perturb-baseline"
    if progress:
        progress(name, 0, 1)
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
    if progress:
        progress("done", 1, 1)
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
    return [BenchResult(name, statistics.median(costs), parser_name(), timing.seconds, timing.peer_seconds, detail)]
