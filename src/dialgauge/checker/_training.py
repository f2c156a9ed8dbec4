"""Train a checker on the references of a corpus: wrong summaries by rules, dialogues held out, a shortcut control."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from dialgauge.checker._adapting import Batch, Task, adapted, batches, loss_of, tensors_of
from dialgauge.checker._calls import call_like, usable
from dialgauge.checker._combination import Combination, Scale, fit_calibration, parts_of
from dialgauge.checker._example import Couple, Example, Group
from dialgauge.checker._exchanges import exchange_groups
from dialgauge.checker._folder import (
    ADAPTER_FILE,
    CARD_FILE,
    CheckerCard,
    read_checker_card,
    shipped_folder,
    write_checker,
)
from dialgauge.checker._judge import read_marks
from dialgauge.checker._labelled import labelled_couples
from dialgauge.checker._material import Material, Source
from dialgauge.checker._network import Network, load_network
from dialgauge.checker._pairs import groups_of
from dialgauge.checker._rated import fit_to_ratings, rated_summaries
from dialgauge.checker._rules import RuleWeights, fit_rules
from dialgauge.checker._settings import CheckerSettings
from dialgauge.checker._values import values_in
from dialgauge.checks import check, refusal
from dialgauge.corpus import Corpus
from dialgauge.errors import InputError
from dialgauge.metaeval import area
from dialgauge.models import (
    TrainingPlan,
    TrainingRecord,
    choose_device,
    digest_of,
    load,
    remove_checkpoint,
    settle,
    train,
)
from dialgauge.progress import Progress, with_bar
from dialgauge.settings import takes

#: How much the parts count beside each other; a fit on rule-made errors alone would keep the first one only.
_WEIGHTS = {"worst": 1.0, "mean": 0.15, "likelihood": 0.15, "checks": 0.15}
#: A checker is called good only if it is this far above what can be seen without the dialogue.
_MARGIN = 0.05
_FEWEST = 8
#: Labelled summaries are rare and worth more than rule-made ones: they are read so often in an epoch.
_LABELLED = 4
_NEGATION = re.compile(r"\b(?:not|never|no|cannot)\b|n['’]t\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TrainedChecker:
    """What came of a training: the folder, and on held-out dialogues the area under the curve of right against wrong.

    ``shortcut`` is that of a control that never sees the dialogue; ``kinds`` has an area for each kind of error.
    ``ratings``, where the corpus has some: r of parts weighed by them with systems held out, r of the usual weights,
    and which of the two are used.
    """

    folder: Path
    auc: float
    shortcut: float
    kinds: Mapping[str, float]
    dialogues: Mapping[str, int]
    record: TrainingRecord
    ratings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        """Whether it reads the dialogue: clearly above the control."""
        return self.auc >= self.shortcut + _MARGIN

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON."""
        return {**asdict(self), "folder": str(self.folder), "good": self.good}


@with_bar
@takes(CheckerSettings)
def train_checker(
    corpus: Corpus,
    output: Path | str,
    settings: CheckerSettings | None = None,
    *,
    progress: Progress | None = None,
    **changes: Any,
) -> TrainedChecker:
    """Train a checker on the references of a corpus and write it as a folder; rerun to resume a stopped training."""
    chosen = CheckerSettings.chosen(settings, changes, "train_checker")
    folder = Path(output)
    if (folder / CARD_FILE).is_file():
        raise InputError(f"{folder}: has a trained checker already; choose another folder, or remove this one")
    labelled = labelled_couples(corpus, chosen.ratings)
    learn, held = _split(sources_of(corpus, chosen.trusted, labelled, readable=chosen.checks), chosen)
    material = Material([*learn, *held], chosen.vectors)
    model = load("causal-lm", chosen.model, "cpu")
    start = _start(chosen)
    module, network = adapted(model, chosen.rank, start, chosen.seed)
    words = network.words
    families = _families(learn, material, chosen, labelled)
    groups = [group for family in families for group in _repeated(family)]
    groups += _calls(groups, round(chosen.calls * len(families)), chosen.seed)
    tasks = [Task.of(words, group, model.max_length // 2) for group in groups]

    def of_epoch(epoch: int) -> list[Batch]:
        return batches(words, tasks, chosen.examples, chosen.tokens, f"{chosen.seed}:{epoch}")

    identity = digest_of(
        [chosen.model, chosen.start, str(chosen.examples), str(chosen.calls)]
        + [text for group in groups for text in (group.dialogue, *(one.text for one in group.examples))]
    )
    plan = settle(chosen).subset(TrainingPlan)
    folder.mkdir(parents=True, exist_ok=True)
    record = train(
        module, of_epoch, lambda trained, batch: loss_of(network, trained, batch), plan,
        folder=folder, identity=identity, progress=progress,
    )  # fmt: skip
    tensors = tensors_of(module)
    reader = load_network(chosen.model, tensors, choose_device(chosen.device))
    rules = fit_rules(families, chosen.seed) if chosen.checks else None
    counts = {"train": len(families), "held out": len({source.key for source in held})}
    combination, numbers = _assessed(reader, held, material, chosen, corpus, rules, labelled)
    card = CheckerCard(
        folder.name, chosen.model, int(tensors["layers.0.q.A"].shape[0]), combination, "",
        data={"corpus": corpus.info.name, "dialogues": counts, "labelled": len(labelled), "digest": identity},
        licence="CC-BY-NC-SA-4.0, as the adapter that it starts from" if start is not None else "",
        numbers=numbers, settings=chosen.model_dump(mode="json", exclude={"device"}),
        rules=rules.as_dict() if rules is not None else {},
    )  # fmt: skip
    result = TrainedChecker(
        folder, numbers["auc"], numbers["shortcut"], numbers["kinds"], counts, record, numbers.get("ratings", {})
    )
    write_checker(folder, card, tensors, {"README.md": _readme(card, result)})
    remove_checkpoint(folder)
    return result


def sources_of(
    corpus: Corpus,
    trusted: Sequence[str] = (),
    labelled: Mapping[str, Sequence[Couple]] | None = None,
    *,
    readable: bool = False,
) -> list[Source]:
    """The dialogues of a corpus with their right summaries: the first reference of the whole dialogue, trusted ones.

    A dialogue that has neither gives one that people called right. A dialogue comes as often as it has such summaries.
    ``readable`` keeps those that the rule-based checks can read.
    """
    right = _right_summaries(corpus, trusted)
    for key, couples in (labelled or {}).items():
        right.setdefault(key, [" ".join(couples[0].right.text.split())])
    found, foreign = [], 0
    for dialogue in corpus.iter_dialogues():
        turns = tuple(
            (turn.speaker or turn.role or "Speaker", turn.text) for turn in dialogue.turns if turn.text.strip()
        )
        made = [Source(dialogue.id, turns, text) for text in right.get(dialogue.id, ())] if turns else []
        able = [one for one in made if not readable or not refusal(one.text, one.summary)]
        foreign += bool(made) and not able
        found += able
    count = len({source.key for source in found})
    if count < _FEWEST:
        wanted = f"a reference{', a trusted or a labelled summary' if trusted or labelled else ''}"
        others = f" ({foreign} more are not in English, which the rules need: --no-checks)" if foreign else ""
        raise InputError(
            f"training a checker needs at least {_FEWEST} dialogues with {wanted}; the corpus has {count}{others}"
        )
    return found


def _right_summaries(corpus: Corpus, trusted: Sequence[str]) -> dict[str, list[str]]:
    """For each dialogue the texts that are taken as right, no text twice."""
    if unknown := sorted(set(trusted) - set(corpus.systems)):
        known = ", ".join(corpus.systems) or "none"
        raise InputError(f"no system of the corpus is called {unknown[0]!r} (trusted); there are: {known}")
    found: dict[str, list[str]] = {}
    for row in corpus.references.filter(role="overall").iter_rows(named=True):
        if text := " ".join(row["text"].split()):
            found.setdefault(row["dialogue_id"], [text])
    for row in corpus.summaries.filter(pl.col("system").is_in(list(trusted))).iter_rows(named=True):
        mine, text = found.setdefault(row["dialogue_id"], []), " ".join(row["text"].split())
        if text and text not in mine:
            mine.append(text)
    return found


def _split(sources: Sequence[Source], chosen: CheckerSettings) -> tuple[list[Source], list[Source]]:
    """Dialogues to learn from and dialogues that are held out, by a digest of seed and key."""
    keys = sorted({source.key for source in sources}, key=lambda key: digest_of([str(chosen.seed), key]))
    held = set(keys[: min(max(4, round(len(keys) * chosen.held_out)), len(keys) // 2)])
    place = {key: number for number, key in enumerate(keys)}
    ordered = sorted(sources, key=lambda source: place[source.key])
    return [one for one in ordered if one.key not in held], [one for one in ordered if one.key in held]


def _groups(source: Source, material: Material, chosen: CheckerSettings) -> list[Group]:
    """Changed references and changed dialogues, and exchanges put into the dialogue."""
    return [*groups_of(source, material, chosen.seed), *exchange_groups(source, chosen.seed)]


def _families(
    sources: Sequence[Source],
    material: Material,
    chosen: CheckerSettings,
    labelled: Mapping[str, tuple[Couple, ...]],
) -> list[list[Group]]:
    """The groups of each dialogue: those made from its right summaries, and its labelled ones."""
    found: dict[str, list[Group]] = {}
    for source in sources:
        if source.key not in found:
            couples = labelled.get(source.key, ())
            found[source.key] = [Group(source.text, couples)] if couples else []
        found[source.key] += _groups(source, material, chosen)
    return list(found.values())


def _repeated(family: Sequence[Group]) -> list[Group]:
    """The groups as often as they are read in an epoch."""
    return [group for group in family for _ in range(_LABELLED if group.labelled else 1)]


def _calls(groups: Sequence[Group], count: int, seed: int) -> list[Group]:
    """Groups joined like calls, up to four in one."""
    draw = random.Random(f"calls:{seed}")
    able = [group for group in groups if usable(group)]
    made = (
        call_like(draw.sample(able, k=min(len(able), draw.choice((1, 2, 2, 3, 4)))), f"{seed}:{number}")
        for number in range(count)
    )
    return [group for group in made if group is not None]


def _start(chosen: CheckerSettings) -> Mapping[str, Any] | None:
    if chosen.start == "new":
        return None
    from safetensors.torch import load_file

    folder = shipped_folder()
    base = read_checker_card(folder).base
    if base != chosen.model:
        raise InputError(f"the shipped adapter is for {base}, not for {chosen.model}; start a new one with start=new")
    tensors: Mapping[str, Any] = load_file(folder / ADAPTER_FILE)
    return tensors


def _assessed(
    network: Network,
    held: Sequence[Source],
    material: Material,
    chosen: CheckerSettings,
    corpus: Corpus,
    rules: RuleWeights | None,
    labelled: Mapping[str, tuple[Couple, ...]],
) -> tuple[Combination, dict[str, Any]]:
    """Scales and calibration from half of the held-out dialogues, areas under the curve from the other half."""
    rows = []
    for place, groups in enumerate(_families(held, material, chosen, labelled)):
        # No text twice for one dialogue, but every text for each of the dialogues that it is right or wrong for.
        asked = [(group.dialogue, [one.text for one in group.examples]) for group in groups]
        for group, found in zip(groups, read_marks(network, asked, tuple(_WEIGHTS)), strict=True):
            rows += [
                (place % 2 == 0, example, parts_of(marks) | _checked(group.dialogue, example.text, rules))
                for example, (marks, _) in zip(group.examples, found, strict=True)
                if len(marks.wrong)
            ]
    fit, test = ([(e, p) for first, e, p in rows if first is half] for half in (True, False))
    parts = {}
    for name, weight in _WEIGHTS.items():
        if name == "checks" and rules is None:
            continue
        values = np.array([p[name] for _, p in fit])
        parts[name] = Scale(float(values.mean()), max(float(values.std()), 1e-6), weight)
    plain, ratings = _weighed(network, Combination(parts, 1.0, 0.0), held, chosen, corpus, rules)
    slope, intercept = fit_calibration(
        np.array([plain.total(p) for _, p in fit]), np.array([float(e.right) for e, _ in fit])
    )
    totals = np.array([plain.total(p) for _, p in test])
    right = np.array([e.right for e, _ in test])
    kinds = sorted({e.kind for e, _ in test if not e.right})
    of_kind = {k: np.array([e.kind == k and not e.right for e, _ in test]) for k in kinds}
    numbers = {
        "auc": round(area(totals[right], totals[~right]), 4),
        "shortcut": round(_shortcut([e for e, _ in fit], [e for e, _ in test], material), 4),
        "kinds": {k: round(area(totals[right], totals[mine]), 4) for k, mine in of_kind.items()},
    } | ({"rules": rules.numbers} if rules is not None else {})
    return Combination(plain.parts, slope, intercept), numbers | ({"ratings": ratings} if ratings else {})


def _weighed(
    network: Network,
    combination: Combination,
    held: Sequence[Source],
    chosen: CheckerSettings,
    corpus: Corpus,
    rules: RuleWeights | None,
) -> tuple[Combination, dict[str, Any]]:
    """The combination with weights from ratings of summaries of the held-out dialogues, where there are any."""
    rated = rated_summaries(corpus, chosen.ratings, [source.key for source in held])
    if not rated:
        return combination, {}
    texts = {source.key: source.text for source in held}
    asked = {key: [one for one in rated if one.dialogue == key] for key in dict.fromkeys(r.dialogue for r in rated)}
    marked = read_marks(
        network, [(texts[key], [one.text for one in mine]) for key, mine in asked.items()], tuple(_WEIGHTS)
    )
    ordered, parts = [], []
    for mine, found in zip(asked.values(), marked, strict=True):
        for one, (marks, _) in zip(mine, found, strict=True):
            ordered.append(one)
            parts.append(parts_of(marks) | _checked(texts[one.dialogue], one.text, rules))
    weighed, numbers = fit_to_ratings(combination, ordered, parts)
    return weighed, {"dimension": chosen.ratings, **numbers}


def _checked(dialogue: str, text: str, rules: RuleWeights | None) -> dict[str, float]:
    """What the rule-based checks say, as the metric will ask them; of a text in another language, nothing."""
    if rules is None:
        return {}
    return {"checks": 0.0 if refusal(dialogue, text) else check(dialogue, text, weights=rules.weights).logit}


def _shortcut(fit: Sequence[Example], test: Sequence[Example], material: Material) -> float:
    """What a classifier reaches that sees the summary only: length, negations, values, capitals, rarity of words."""
    first, second = (np.array([_without_dialogue(e.text, material) for e in some]) for some in (fit, test))
    centre, spread = first.mean(axis=0), first.std(axis=0) + 1e-9
    right = np.array([float(e.right) for e in fit])
    weights = np.linalg.lstsq(
        np.vstack([(first - centre) / spread, np.eye(first.shape[1])]),
        np.concatenate([right - right.mean(), np.zeros(first.shape[1])]),
        rcond=None,
    )[0]
    totals = (second - centre) / spread @ weights
    wanted = np.array([e.right for e in test])
    return area(totals[wanted], totals[~wanted])


def _without_dialogue(text: str, material: Material) -> list[float]:
    words = re.findall(r"[^\W\d_]+", text)
    ranks = [np.log1p(material.rank(word.lower())) for word in words] or [0.0]
    return [
        float(np.log1p(len(words))),
        float(text.count(".")),
        float(len(_NEGATION.findall(text))),
        float(len(values_in(text))),
        float(sum(word[:1].isupper() for word in words)),
        float(np.mean(ranks)),
        float(np.max(ranks)),
    ]


def _readme(card: CheckerCard, result: TrainedChecker) -> str:
    verdict = (
        "It is clearly above the control that never sees the dialogue."
        if result.good
        else "**It is not clearly above the control that never sees the dialogue: do not trust it.**"
    )
    kinds = "\n".join(f"| {kind} | {value:.3f} |" for kind, value in result.kinds.items())
    return (
        f"# {card.name}\n\nA checker for `consistency:folder=PATH,model={card.base}`.\n\n"
        f"Area under the curve on held-out dialogues: {result.auc:.3f}; without the dialogue: {result.shortcut:.3f}. "
        f"{verdict}\n\n| error | area |\n|---|---|\n{kinds}\n\nLicence: {card.licence or 'yours to choose'}\n"
    )
