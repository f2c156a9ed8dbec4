"""The checker as a metric: ``consistency``, the probability that a summary is right."""

from collections.abc import Mapping, Sequence

from dialgauge.checker._folder import folder_of, folder_signature, read_checker_card, settled_dtype
from dialgauge.checker._judge import Judged, judge_many
from dialgauge.checker._marked import marked
from dialgauge.checks import evidence_note, refusal
from dialgauge.errors import ParameterError
from dialgauge.metrics import (
    EMPTY,
    EMPTY_SOURCE,
    Job,
    Metric,
    Pair,
    Pairs,
    Parameter,
    Reading,
    Values,
    blank,
    device_parameters,
    in_parts,
    register,
    values,
)
from dialgauge.models import DTYPES

_PAIRS_AT_ONCE = 256


def _reading(source: str, summary: str, judged: Judged, part: str) -> Reading:
    """The value with its evidence; one part alone is no probability, and has none."""
    if part != "all":
        return Reading(judged.parts[part])
    remark = f"the dialogue was read in {judged.windows} parts" if judged.windows > 1 else ""
    return Reading(judged.p_right, note=evidence_note(marked(source, summary, judged)) or remark)


def _compute(job: Job, parameters: Mapping[str, str]) -> Values:
    def read(pairs: Sequence[Pair]) -> list[Reading]:
        found: dict[Pair, Reading] = {}
        groups: dict[str, list[str]] = {}
        for summary, source in pairs:
            if blank(summary) or blank(source):
                found[summary, source] = EMPTY if blank(summary) else EMPTY_SOURCE
            elif why := refusal(source, summary):
                found[summary, source] = Reading(reason=why)
            else:
                groups.setdefault(source, []).append(summary)
        judged = judge_many(
            list(groups.items()),
            checks=parameters["checks"] == "yes",
            folder=parameters["folder"],
            device=parameters["device"],
            dtype=parameters["dtype"],
            parts=() if parameters["part"] == "all" else (parameters["part"],),
        )
        for (source, summaries), mine in zip(groups.items(), judged, strict=True):
            for summary, one in zip(summaries, mine, strict=True):
                found[summary, source] = _reading(source, summary, one, parameters["part"])
        return [found[pair] for pair in pairs]

    return values(job, in_parts(Pairs.of(job).texts, _PAIRS_AT_ONCE, read))


def _check(parameters: Mapping[str, str]) -> None:
    """Refuse a folder that is no checker, or one for another model, before anything is computed."""
    card = read_checker_card(folder_of(parameters["folder"]))
    if card.base != parameters["model"]:
        raise ParameterError(
            "metric 'consistency'", "model", f"{card.base!r}, which this checker changes", parameters["model"]
        )


register(
    Metric(
        name="consistency",
        family="consistency",
        description="the probability that a summary is right: words that a trained checker doubts, likelihood, checks",
        direction="higher",
        targets=("source",),
        range=(None, None),
        citation="dialgauge's own; docs/consistency.md",
        compute=_compute,
        parameters={
            "model": Parameter(
                "embedded:smollm2", (), "the language model that the checker changes; a checker of your own names it"
            ),
            "folder": Parameter(
                "",
                (),
                "a checker written by 'dialgauge train-checker'; empty: the one of the package",
                path=lambda value: value or None,
            ),
            "checks": Parameter("yes", ("yes", "no"), "whether the rule-based checks count (they need the parser)"),
            "part": Parameter(
                "all",
                ("all", "worst", "mean", "likelihood", "contrast"),
                "all: the probability that the summary is right; or one of the parts that it is computed from",
            ),
            **device_parameters(),
            "dtype": Parameter(
                "auto",
                ("auto", *DTYPES),
                "precision of the model; auto: bf16 where the processor or card computes with it, else fp32",
            ),
        },
        cost="high",
        extra="models",
        models={"model": "causal-lm"},
        signatures={"folder": folder_signature, "dtype": settled_dtype},
        check=_check,
        version="3",
    )
)
