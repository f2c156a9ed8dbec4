"""Perturbations over a whole corpus."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from dialgauge.corpus import KEY, ORIGINAL, Corpus, Dialogue, Summary, summaries_frame
from dialgauge.errors import InputError
from dialgauge.perturb._apply import Declined, Task, Variant, run_rules
from dialgauge.perturb._bank import bank_of
from dialgauge.perturb._parse import missing_parser
from dialgauge.perturb._perturbation import PerturbationRequest
from dialgauge.perturb._registry import parse_requests
from dialgauge.perturb._settings import PerturbSettings
from dialgauge.progress import Progress, with_bar
from dialgauge.settings import takes

#: Turns tasks into variants or reasons, in any order. The one by rules is :func:`by_rules`.
Generator = Callable[[Sequence[Task], Progress | None], Iterable[tuple[Task, Variant | Declined]]]

_DECLINED = pl.Schema({**dict.fromkeys(KEY, pl.String()), "perturbation": pl.String(), "reason": pl.String()})
_UPDATE_EVERY = 16


@dataclass(frozen=True, slots=True)
class Perturbed:
    """A corpus with variants added, and the declined variants.

    ``declined`` has a row per variant that could not be made: the key it would have had, the name of the perturbation
    and the reason. ``labels`` are the requested kinds of variants, in order.
    """

    corpus: Corpus
    declined: pl.DataFrame
    labels: tuple[str, ...]

    @property
    def variants(self) -> pl.DataFrame:
        """The rows of the summaries that are variants."""
        return self.corpus.summaries.filter(pl.col("variant") != ORIGINAL)


@with_bar
@takes(PerturbSettings)
def perturb(
    corpus: Corpus,
    names: Iterable[str],
    settings: PerturbSettings | None = None,
    *,
    generator: Generator | None = None,
    progress: Progress | None = None,
    **changes: Any,
) -> Perturbed:
    """Add perturbed variants of the original summaries of every system.

    ``names`` are specifications as in ``add_negation``, ``typos_2``, ``jumble:scope=sentence``, ``baseline`` or
    ``all``. ``per_item`` is the number of different variants of each. The result for a summary depends on its key
    and the seed alone: not on the order, the other names, or the machine (noise_addition also on the other summaries,
    from which it borrows). With ``include_references`` references are
    perturbed as well; their variants count as summaries of a system, so that they are scored and never used as
    references. Requesting variants that the corpus already has is an error.
    """
    asked = PerturbSettings.chosen(settings, changes, "perturb")
    requests = parse_requests(names)
    tasks = list(_tasks(corpus, requests, asked))
    _refuse_present(corpus, tasks)
    made: dict[tuple[tuple[str, ...], str], Summary] = {}
    declined: list[tuple[str, ...]] = []
    for task, outcome in (generator or by_rules)(tasks, progress):
        dialogue_id, system, _, role = task.key
        if isinstance(outcome, Variant):
            made[task.key, task.variant] = Summary(
                dialogue_id, system, outcome.text, task.variant, role, provenance=outcome.provenance.as_dict()
            )
        else:
            name = task.request.perturbation.name
            declined.append((dialogue_id, system, task.variant, role, name, outcome.reason))
    added = summaries_frame(made[task.key, task.variant] for task in tasks if (task.key, task.variant) in made)
    frame = pl.DataFrame(declined, schema=_DECLINED, orient="row").sort(KEY, maintain_order=True)
    whole = replace(corpus, summaries=pl.concat([corpus.summaries, added]))
    return Perturbed(whole, frame, tuple(request.label for request in requests))


def by_rules(tasks: Sequence[Task], progress: Progress | None = None) -> Iterator[tuple[Task, Variant | Declined]]:
    """The offline generator: each perturbation's own rules, one task after the other."""
    taken: set[str] = set()
    previous: tuple[object, ...] = ()
    for done, task in enumerate(tasks):
        if progress and done % _UPDATE_EVERY == 0:
            progress(task.request.label, done, len(tasks))
        current = (task.key, task.request.label)
        if current != previous:
            taken, previous = set(), current
        outcome = run_rules(task, taken)
        if isinstance(outcome, Variant):
            taken.add(outcome.text)
        yield task, outcome
    if progress:
        progress("done", len(tasks), len(tasks))


def by_rules_without_parser(
    tasks: Sequence[Task], progress: Progress | None = None
) -> Iterator[tuple[Task, Variant | Declined]]:
    """Like :func:`by_rules`, but without a parser, perturbations that need one are declined instead of an error."""
    reason = missing_parser()
    if reason is None:
        yield from by_rules(tasks, progress)
        return
    possible = []
    for task in tasks:
        if "parse" in task.request.perturbation.needs:
            yield task, Declined(reason)
        else:
            possible.append(task)
    yield from by_rules(possible, progress)


def _tasks(corpus: Corpus, requests: Sequence[PerturbationRequest], asked: PerturbSettings) -> Iterator[Task]:
    dialogues: dict[str, Dialogue] = {dialogue.id: dialogue for dialogue in corpus.iter_dialogues()}
    rows = corpus.summaries.filter(pl.col("variant") == ORIGINAL)
    if not asked.include_references:
        rows = rows.filter(pl.col("kind") == "system")
    borrowing = any("corpus" in request.perturbation.needs for request in requests)
    bank = bank_of(corpus) if borrowing else None
    for row in rows.iter_rows(named=True):
        key = (row["dialogue_id"], row["system"], row["variant"], row["role"])
        for request in requests:
            for draw in range(1, asked.per_item + 1):
                dialogue = dialogues.get(row["dialogue_id"])
                yield Task(request, row["text"] or "", dialogue, key, asked.seed, draw, asked.gate, bank)


def _refuse_present(corpus: Corpus, tasks: Sequence[Task]) -> None:
    present = set(corpus.summaries.select(KEY).iter_rows())
    for task in tasks:
        key = (task.key[0], task.key[1], task.variant, task.key[3])
        if key in present:
            named = ", ".join(f"{column}={value}" for column, value in zip(KEY, key, strict=True))
            raise InputError(f"the corpus already has this variant: {named}; perturb a corpus without it")
