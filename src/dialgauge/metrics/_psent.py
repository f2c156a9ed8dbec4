"""PSent per summary: how close the share of affective words in a summary is to that of its dialogue."""

from collections.abc import Callable, Mapping

import numpy as np

from dialgauge.affect import PSent, Tags, path_of_spec, psent, tagger
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import Metric, Parameter, Values
from dialgauge.metrics._registry import register
from dialgauge.metrics._texts import IdArray

_CITATION = (
    "Zhou et al. 2024, PSentScore: evaluating sentiment polarity in dialogue summarization, LREC-COLING (the measure "
    "per summary is ours)"
)
_PARAMETERS = {
    "tagger": Parameter(
        "vader",
        (),
        "sentiment tagger: vader, token-dict, lexicon:FILE, lookup:FOLDER, contextual:MODEL, sst3:FOLDER or "
        "combined:FOLDER, with options as in token-dict:case=keep",
        path=path_of_spec,
    ),
    "tags": Parameter("omit", ("omit", "count"), "speaker tags and markup: omit them, or count them as words"),
}
_PARTS = {"": ("all", "affective"), "-p": ("positive", "positive"), "-n": ("negative", "negative")}


def _signature(spec: str) -> str:
    return tagger(spec).signature


def _counted(job: Job, parameters: Mapping[str, str]) -> tuple[PSent, PSent]:
    """PSent of each item's summary and of each pair's source; each distinct text is tagged once."""

    def count(ids: IdArray, speakers: bool) -> PSent:
        tags: Tags = "count" if parameters["tags"] == "count" else "omit"
        unique, where = np.unique(ids, return_inverse=True)
        texts = [job.texts.strings[i] for i in unique.tolist()]
        found = psent(texts, tagger(parameters["tagger"]), tags=tags, speakers=speakers)
        return PSent(found.parts, found.counts[where], found.total[where])

    key = ("psent", parameters["tagger"], parameters["tags"])
    return job.memo(key, lambda: (count(job.hypothesis_ids, False), count(job.target_ids, True)))


def _values(job: Job, parameters: Mapping[str, str], part: str, *, signed: bool) -> Values:
    """The mean over the targets that have words: a corpus has one source per summary, score_pairs may give several."""
    summaries, sources = _counted(job, parameters)
    gaps = summaries.share(part)[job.pair_items] - sources.share(part)
    found = gaps if signed else 1 - np.abs(gaps)
    known = ~np.isnan(found)
    counts = np.bincount(job.pair_items[known], minlength=len(job))
    sums = np.bincount(job.pair_items[known], weights=found[known], minlength=len(job))
    numbers = np.divide(sums, counts, out=np.full(len(job), np.nan), where=counts > 0)
    reasons = dict.fromkeys(np.flatnonzero(counts == 0).tolist(), "the source has no words")
    reasons |= dict.fromkeys(np.flatnonzero(summaries.total == 0).tolist(), "the summary has no words")
    return Values(numbers, reasons)


def _compute(part: str, *, signed: bool) -> Callable[[Job, Mapping[str, str]], Values]:
    return lambda job, parameters: _values(job, parameters, part, signed=signed)


for _suffix, (_part, _called) in _PARTS.items():
    register(
        Metric(
            name=f"psent{_suffix}",
            family="affect",
            description=f"1 minus the difference between the shares of {_called} words in summary and dialogue",
            direction="higher",
            targets=("source",),
            range=(0, 1),
            citation=_CITATION,
            compute=_compute(_part, signed=False),
            parameters=_PARAMETERS,
            signatures={"tagger": _signature},
        ),
        Metric(
            name=f"psent-signed{_suffix}",
            family="affect",
            description=f"the share of {_called} words in the summary minus that in the dialogue",
            direction="none",
            targets=("source",),
            range=(-1, 1),
            citation=_CITATION,
            compute=_compute(_part, signed=True),
            parameters=_PARAMETERS,
            signatures={"tagger": _signature},
        ),
    )
