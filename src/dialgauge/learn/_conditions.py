"""The four conditions of Table 7: a metric out of the box, trained on originals, and on originals with variants.

After Patel, Agrawal and Kumar 2024 ("Tweak to Trust"). They report one correlation on a mix of all test summaries; here
the originals and each family of variants are reported as well. Dialogues are split, not summaries.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge import __version__
from dialgauge.corpus import KEY, ORIGINAL, Corpus
from dialgauge.errors import InputError
from dialgauge.files import write_text
from dialgauge.learn._augment import Augmented, add_variants, has_no_variants, prior_means
from dialgauge.learn._extrapolate import Extrapolated, extrapolate
from dialgauge.learn._finetune import finetune, make_recipe
from dialgauge.learn._finetune_data import (
    RatedSplit,
    RatedSummary,
    check_enough,
    rated_summaries,
    split_dialogues,
    target_ratings,
    with_families,
)
from dialgauge.learn._finetune_measures import agreement
from dialgauge.learn._settings import CONDITIONS, ConditionSettings, VariantSettings
from dialgauge.metaeval import label_of
from dialgauge.models import digest_of, model_signature
from dialgauge.progress import Progress, with_bar
from dialgauge.ratings import RatingPolicy, Scale
from dialgauge.settings import chosen_pair, takes

#: The test sets: the mix that the paper reports, and its parts.
SETS = ("all", ORIGINAL, "domain", "baseline")
TABLE_FILE = "conditions.json"
_FRAME = pl.Schema(
    {
        "condition": pl.String(),
        "set": pl.String(),
        "value": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "order": pl.Float64(),
        "summaries": pl.Int64(),
        "ratings": pl.String(),
    }
)


@dataclass(frozen=True, slots=True)
class Conditions:
    """The table: a row per condition and test set, with the mean correlation, its interval and the order accuracy.

    ``ratings`` says where the ratings of the set come from. ``types`` is what each kind of perturbation was assigned
    in training, ``specs`` how the trained metric of each condition is named in ``dialgauge score``.
    """

    frame: pl.DataFrame
    types: pl.DataFrame
    specs: Mapping[str, str]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "settings": dict(self.settings),
            "rows": self.frame.to_dicts(),
            "types": self.types.to_dicts(),
            "metrics": dict(self.specs),
        }


@with_bar
@takes(ConditionSettings, RatingPolicy)
def run_conditions(
    corpus: Corpus,
    folder: Path | str,
    settings: ConditionSettings | None = None,
    policy: RatingPolicy | None = None,
    *,
    progress: Progress | None = None,
    **changes: Any,
) -> Conditions:
    """Train the metric under each condition and test all of them on the same held-out dialogues.

    Each trained metric is a subfolder of ``folder``, named after its condition; the table is written next to them.
    What an earlier call with the same data and settings has finished there is not trained again.
    """
    settings, policy = chosen_pair("run_conditions", changes, (ConditionSettings, settings), (RatingPolicy, policy))
    if settings.as_paper and settings.metric == "encoder-head":
        raise InputError("as_paper: the paper trained bartscore and unieval; name one of them as the metric (-m)")
    conditions, seed = settings.conditions, settings.seed
    folder = Path(folder)
    ratings, found = target_ratings(corpus, settings.target, policy)
    needed = {family for name in conditions for family in CONDITIONS[name]} - {ORIGINAL}
    if needed or not has_no_variants(corpus):
        augmented = add_variants(corpus, settings.perturbations, needed=sorted(needed), seed=seed, progress=progress)
    else:
        augmented = Augmented(corpus, {}, made=False)
    whole, families = augmented.corpus, augmented.families
    originals = rated_summaries(corpus, ratings.filter(pl.col("variant") == ORIGINAL), found)
    check_enough(originals, f"originals rated on {settings.target!r}")
    split = split_dialogues(originals, dev=settings.dev, test=settings.test, seed=seed)
    sides = {name: {item.dialogue_id for item in getattr(split, name)} for name in ("train", "dev", "test")}
    learnt, tested = _rated_variants(whole, ratings, found, settings, sides)
    _require_families(learnt, families, needed, settings.target)
    train_items = _items(whole, learnt.frame, found, families, sides["train"], settings.most, seed)
    dev_items = _items(whole, learnt.frame, found, families, sides["dev"], None, seed)
    test_items = (*split.test, *_items(whole, tested.frame, found, families, sides["test"], None, seed))
    rows: list[dict[str, Any]] = []
    specs: dict[str, str] = {}
    for name in conditions:
        wanted = set(CONDITIONS[name]) - {ORIGINAL}
        part = RatedSplit(
            (*split.train, *with_families(train_items, wanted)),
            (*split.dev, *with_families(dev_items, wanted)),
            test_items,
        )
        kept = _Kept(folder, name, _identity(settings, name, part))
        if not kept.rows:
            kept.rows, kept.spec = _tested(corpus, folder, settings, found, name, part, progress)
            kept.write()
        rows += kept.rows
        if kept.spec:
            specs[name] = kept.spec
    result = Conditions(
        pl.DataFrame(rows, schema=_FRAME), learnt.types, specs, _settings(corpus, settings, found, sides)
    )
    write_text(folder / TABLE_FILE, json.dumps(result.as_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n")
    return result


def _tested(
    corpus: Corpus,
    folder: Path,
    settings: ConditionSettings,
    scale: Scale,
    condition: str,
    part: RatedSplit,
    progress: Progress | None,
) -> tuple[list[dict[str, Any]], str]:
    """Train under one condition, if it trains, and test; the rows, and the specification of what was trained."""
    recipe, spec = make_recipe(settings), ""
    if not CONDITIONS[condition]:
        usable = recipe.readable(part.test)
        return _rows(condition, usable, recipe.untrained(usable)), spec
    data = {"corpus": corpus.info.name, "condition": condition, "rounding": settings.rounding}
    done = finetune(
        part, scale, settings, folder / condition, data=data, progress=_named(progress, condition), recipe=recipe
    )
    usable = recipe.readable(part.test)
    return _rows(condition, usable, recipe.predict(recipe.module, usable)), done.spec


def _identity(settings: ConditionSettings, condition: str, part: RatedSplit) -> str:
    """What the results of a condition depend on."""
    chosen = {key: value for key, value in settings.as_dict().items() if key != "plan"}
    plan = {key: value for key, value in settings.as_dict()["plan"].items() if key != "device"}
    known = [__version__, condition, repr(sorted(chosen.items())), repr(sorted(plan.items()))]
    return digest_of([*known, model_signature(settings.model), repr(part)])


class _Kept:
    """The results of a condition that an earlier call has finished."""

    def __init__(self, folder: Path, condition: str, identity: str) -> None:
        self.file, self.identity = folder / f"{condition}.results.json", identity
        self.rows: list[dict[str, Any]] = []
        self.spec = ""
        if not self.file.is_file():
            return
        try:
            known = json.loads(self.file.read_text(encoding="utf-8"))
            if known["identity"] == identity and (not known["spec"] or (folder / condition).is_dir()):
                self.rows, self.spec = known["rows"], known["spec"]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{self.file}: not a file of results; delete it to train again") from error

    def write(self) -> None:
        """Keep them for the next call."""
        known = {"identity": self.identity, "spec": self.spec, "rows": self.rows}
        write_text(self.file, json.dumps(known, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def _rated_variants(
    corpus: Corpus,
    ratings: pl.DataFrame,
    scale: Scale,
    settings: ConditionSettings,
    sides: Mapping[str, set[str]],
) -> tuple[Extrapolated, Extrapolated]:
    """Ratings of the variants for training and for testing.

    Training ratings are extrapolated without using the test dialogues.
    """
    priors = prior_means(settings.target) if settings.priors else None
    rows = corpus.summaries.filter(pl.col("variant") != ORIGINAL, pl.col("kind") == "system").select(KEY)
    held = pl.col("dialogue_id").is_in(sorted(sides["test"]))
    seed, rounding = settings.seed, settings.rounding
    learnt = extrapolate(
        rows.filter(~held),
        ratings.filter(~held),
        scale,
        rounding=rounding,
        annotated=settings.annotated,
        priors=priors,
        seed=seed,
    )
    # For testing, given ratings are used unchanged; only unrated variants get an assigned one.
    tested = extrapolate(rows, ratings, scale, rounding=rounding, priors=priors, seed=seed)
    return learnt, tested


def _require_families(learnt: Extrapolated, families: Mapping[str, str], needed: set[str], target: str) -> None:
    rated = {families[label] for label in learnt.types["perturbation"]}
    for family in sorted(needed - rated):
        raise InputError(
            f"no variant of the family {family!r} has a rating on {target!r}: rate some (the paper rated 25 of each "
            "kind), or use the published means of another corpus with --priors"
        )


def _items(
    corpus: Corpus,
    frame: pl.DataFrame,
    scale: Scale,
    families: Mapping[str, str],
    dialogues: set[str],
    most: int | None,
    seed: int,
) -> tuple[RatedSummary, ...]:
    """The rated variants of these dialogues; at most ``most`` of each family, drawn by key and seed."""
    family = pl.col("variant").map_elements(lambda name: families[label_of(name)], return_dtype=pl.String)
    wanted = frame.filter(pl.col("dialogue_id").is_in(sorted(dialogues))).with_columns(family.alias("family"))
    items = rated_summaries(corpus, wanted, scale)
    if most is None:
        return tuple(items)
    drawn = sorted(items, key=lambda item: hashlib.sha256(json.dumps([seed, *item.key]).encode()).digest())
    kept = {item.key for name in set(families.values()) for item in with_families(drawn, (name,))[:most]}
    return tuple(item for item in items if item.key in kept)


def _rows(condition: str, items: Sequence[RatedSummary], numbers: Any) -> list[dict[str, Any]]:
    rows = []
    for name in SETS:
        places = [i for i, item in enumerate(items) if name in ("all", item.family)]
        part = [items[i] for i in places]
        origins = " and ".join(sorted({item.origin for item in part}))
        rows.append(
            {"condition": condition, "set": name, **asdict(agreement(numbers[places], part)), "ratings": origins}
        )
    return rows


def _named(progress: Progress | None, condition: str) -> Callable[[str, int, int], None] | None:
    if progress is None:
        return None
    return lambda what, done, total: progress(f"{condition}: {what}", done, total)


def _settings(
    corpus: Corpus,
    settings: ConditionSettings,
    scale: Scale,
    sides: Mapping[str, set[str]],
) -> dict[str, Any]:
    return {
        "corpus": corpus.info.name,
        "ratings_origin": corpus.info.ratings_origin,
        "scale": scale.name,
        **settings.as_dict(),
        "variants": settings.subset(VariantSettings).model_dump(mode="json"),
        "dialogues": {name: len(some) for name, some in sides.items()},
        "split": "by dialogue; the paper split summaries, so that summaries of one call were on both sides",
    }
