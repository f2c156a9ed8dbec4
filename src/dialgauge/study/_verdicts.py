"""The verdict of a finished run, which report, explorer, tables, gates and the command line show."""

from dialgauge.errors import InputError
from dialgauge.metaeval import Verdicts
from dialgauge.study._finished import FinishedRun

VERDICT = "verdict.json"


def verdicts_of(run: FinishedRun) -> Verdicts | None:
    """Which metrics can be trusted; None where there are no ratings, or no metric that judges."""
    text = run.text(VERDICT)
    return None if text is None else Verdicts.from_json(text)


def needed_verdicts(run: FinishedRun) -> Verdicts:
    """The verdicts of a run; an error says why there are none."""
    found = verdicts_of(run)
    if found is None:
        if why := run.stage("verdict").get("no_verdict"):
            raise InputError(f"{run.folder}: the run has no verdict: {why}")
        raise InputError(f"{run.folder}: the run has no verdict; it needs a corpus with ratings, and 'dialgauge run'")
    return found


def judged_in(run: FinishedRun, *, of_classes: bool = False) -> list[str]:
    """What the run says of labels and preferences, or only of classes without an order: a sentence per dimension."""
    return list(run.stage("judgements").get("classes" if of_classes else "sentences", ()))


def told_in(run: FinishedRun) -> dict[tuple[str, str], str]:
    """What each metric of a run does with labels and preferences, in words, by dimension and metric."""
    from dialgauge.report import told_by_metrics

    return told_by_metrics(run.table("label-measures"), run.table("preference-accuracy"))
