"""Settings of metrics trained on ratings: their training data, and what is held out for validation."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import ValidationInfo, field_validator, model_validator

from dialgauge.errors import ParameterError, UnknownNameError
from dialgauge.models import Precision, TrainingPlan
from dialgauge.registry import completer
from dialgauge.resampling import Intervals
from dialgauge.settings import Settings, Several, paper_setting, refusing, setting

Task = Literal["numbers", "classes"]
#: From the mean of a kind of variant to the rating that its variants get.
Rounding = Literal["half-up", "half-even", "none"]
Family = Literal["domain", "baseline"]
#: What is trained on, as in the paper's tables: nothing, the originals, or these with variants of a family.
Condition = Literal["out-of-the-box", "original", "original+baseline", "original+domain", "all"]
TrainedOn = Literal["original", "original+baseline", "original+domain"]
CONDITIONS: Mapping[str, tuple[str, ...]] = {
    "out-of-the-box": (),
    "original": ("original",),
    "original+baseline": ("original", "baseline"),
    "original+domain": ("original", "domain"),
}
#: The five classifiers of the paper, by our names, in its order.
CLASSIFIERS = ("decision-tree", "logistic", "neighbours", "ordinal", "svm")
#: The metrics that can be fine-tuned: BARTScore by its direction, UniEval by its question, and a head on an encoder.
FINE_TUNABLE = (
    "bartscore-src-hyp",
    "bartscore-hyp",
    "bartscore-hyp-ref",
    "bartscore-ref-hyp",
    "unieval-coherence",
    "unieval-consistency",
    "unieval-fluency",
    "unieval-relevance",
    "encoder-head",
)

#: Cheap features of a summary and its dialogue, by their metric names. They need neither model nor reference.
TEXT_FEATURES = (
    "length",
    "sentences",
    "compression",
    "coverage",
    "density",
    "novel-1",
    "novel-2",
    "novel-3",
    "novel-4",
    "redundancy-1",
    "redundancy-2",
    "redundancy-3",
    "redundancy-l",
    "repetition-1",
    "repetition-2",
    "repetition-3",
    "rouge-1@source",
    "rouge-2@source",
    "rouge-l@source",
    "chrf@source",
)


class LearnSettings(Intervals):
    """How a metric is trained on ratings, and what is held out to validate it."""

    learner: str = setting(
        "auto",
        "Learner: auto, ridge, rank-ridge, ordinal, logistic, decision-tree, neighbours, svm, boosting, random-forest "
        "or extra-trees; settings may follow, as in ridge:alpha=100.",
        complete=completer("learner", auto="The mean of a linear learner on ranks, two forests and boosted trees."),
    )
    split: str = setting(
        "both",
        "What is held out for validation: dialogues, systems, both or random (too optimistic).",
        complete=completer("split"),
    )
    task: Task = setting("numbers", "Predict ratings as numbers or as classes of the scale.")
    metrics: Several[str] | None = setting(
        None, "Column of the scores to use as a feature (default: all).", flag="--metric", short="-m"
    )
    texts: Several[str] = setting((), "Cheap text feature to add, such as coverage, or all.", flag="--text")
    folds: int = setting(5, "Number of groups for splitting dialogues, or more than 20 systems.", ge=2)
    inner_folds: int = setting(3, "Number of folds for model selection within the training part.", ge=2)
    copies: Literal["purge", "keep"] = setting(
        "purge", "Hold out systems that share texts together and do not train on texts of held-out summaries, or do."
    )
    null: int = setting(
        20, "Number of times the validation is repeated on shuffled ratings; 0 for none.", ge=0, le=100_000
    )
    interval: float = setting(0.8, "Share of mean ratings that the interval of a summary should hold.", gt=0, lt=1)

    @field_validator("learner")
    @classmethod
    def _known_learner(cls, name: str) -> str:
        from dialgauge.learn._learners import AUTO, find_learner

        with refusing():
            if name != AUTO:
                find_learner(name)
        return name

    @field_validator("split")
    @classmethod
    def _known_split(cls, name: str) -> str:
        from dialgauge.learn._splits import find_split

        with refusing():
            return find_split(name).name

    @field_validator("texts")
    @classmethod
    def _all_texts(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return TEXT_FEATURES if "all" in names else names


_VARIANTS = "Variants"
#: Patel, Agrawal and Kumar (2024), sections 5.1 to 5.4: 25 rated variants of a kind, and a random quarter of all
#: summaries (references among them) to test on. We hold out whole dialogues, because summaries of one call on both
#: sides make every result too good, and leave references out, because metrics that compare with them give them away.
PAPER_TABLES: Mapping[str, Any] = {"split": "random", "folds": 4, "include_references": True, "annotated": 25}
#: The same, section 5.4: two epochs, a quarter to test on, no choice of an epoch, and all else as in the two
#: repositories. BARTScore's code maximises the likelihood of good summaries, UniEval's asks yes or no; both lose how
#: good a summary is, so our defaults rank and grade instead.
PAPER_TUNING: Mapping[str, Any] = {
    "epochs": 2,
    "learning_rate": 5e-5,
    "weight_decay": 0.0,
    "warmup": 0.0,
    "limit": 1024,
    "dev": 0.0,
    "test": 0.25,
    "annotated": 25,
    "conditions": ("all",),
}
#: Batches of 20 and of 36 in the repositories: micro-batches that fit on a card of 16 GB, and steps of as many.
_PAPER_BATCHES: Mapping[str, Mapping[str, Any]] = {
    "bartscore": {"batch": 4, "accumulate": 5, "loss": "likelihood"},
    "unieval": {"batch": 3, "accumulate": 12, "loss": "boolean"},
}
#: The weights to start from, where none are named.
_WEIGHTS = {"bartscore": "facebook/bart-large-cnn", "unieval": "MingZhong/unieval-sum"}


class VariantSettings(Settings):
    """Where variants and their ratings come from."""

    perturbations: Several[str] = setting(
        ("baseline", "domain"),
        "Perturbation to make variants by where the corpus has none.",
        flag="--perturbation",
        short="-p",
        panel=_VARIANTS,
        complete=completer("perturbation", all="all perturbations"),
    )
    priors: bool = setting(
        False, "Accept published mean ratings for kinds of variants that nobody rated here.", panel=_VARIANTS
    )
    rounding: Rounding = setting("half-up", "How a mean becomes the class of a kind.", panel=_VARIANTS)
    annotated: int | None = setting(
        None, "Learn from at most N ratings of each kind, as the paper did with 25.", panel=_VARIANTS, ge=1
    )
    most: int | None = setting(None, "Train on at most N variants of a family.", panel=_VARIANTS, ge=1)


class TableSettings(VariantSettings, Intervals):
    """What the classifiers of the tables are trained on and tested on, and how that is held out."""

    dimensions: Several[str] = setting(
        ("consistency", "relevance"), "Rated dimension.", flag="--target", short="-t", min_length=1
    )
    classifiers: Several[str] = setting(
        CLASSIFIERS, "Learner of classes.", flag="--classifier", complete=completer("learner"), min_length=1
    )
    conditions: Several[TrainedOn] = setting(
        ("original", "original+domain"),
        "What to train on: original is Table 5, original+domain is Table 6.",
        flag="--condition",
        min_length=1,
    )
    families: Several[Family] = setting(
        ("domain", "baseline"), "Family of variants to test on.", flag="--family", panel=_VARIANTS, min_length=1
    )
    split: str = setting(
        "dialogues",
        "What is held out: dialogues, systems, both, or random, which is the paper's and hides a lot.",
        complete=completer("split"),
    )
    folds: int = setting(5, "Number of groups that dialogues are split into.", ge=2)
    include_references: bool = setting(
        False,
        "Count rated references as summaries of a system, as in the paper: reference-based metrics give them away.",
    )

    as_paper: bool = paper_setting(
        "The paper's setup: a random quarter to test on, references counted, 25 ratings a kind."
    )

    published = PAPER_TABLES

    @field_validator("split")
    @classmethod
    def _known_split(cls, name: str) -> str:
        from dialgauge.learn._splits import find_split

        with refusing():
            return find_split(name).name

    @field_validator("classifiers")
    @classmethod
    def _learn_classes(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        from dialgauge.learn._learners import find_learner

        with refusing():
            for name in names:
                if find_learner(name).fits == "numbers":
                    raise ParameterError("tables", "classifiers", "learners of classes", name)
        return names

    @field_validator("rounding")
    @classmethod
    def _to_classes(cls, rounding: Rounding) -> Rounding:
        if rounding == "none":
            raise ValueError("must be 'half-up' or 'half-even': classifiers learn classes")
        return rounding

    @property
    def needed(self) -> tuple[str, ...]:
        """The families that these tables require."""
        trained = {family for name in self.conditions for family in CONDITIONS[name]}
        return tuple(name for name in ("domain", "baseline") if name in self.families or name in trained)


class FineTuneSettings(TrainingPlan):
    """What neural metric is trained and how.

    Epochs, learning rate, batch and weight decay that are not given are those that suit the metric. ``margin`` is what
    the ranking loss asks between the ends of the scale, in standard deviations of the untrained metric.
    """

    target: str = setting("consistency", "Rated dimension to learn.", short="-t")
    metric: str = setting(
        "encoder-head",
        "Metric to train: bartscore (or bartscore-hyp-ref …), unieval (or unieval-relevance …) or encoder-head.",
        short="-m",
    )
    model: str = setting(
        "embedded:minilm",
        "Weights to start from: a hub id, folder:/path or embedded:NAME (bartscore: facebook/bart-large-cnn; unieval: "
        "MingZhong/unieval-sum).",
    )
    epochs: int = setting(
        8, "Passes over the training data (4 with --full; bartscore and unieval: 2).", panel="Training", ge=1
    )
    learning_rate: float = setting(
        1e-3, "Highest learning rate (1e-4 with --full; bartscore and unieval: 5e-5).", panel="Training", gt=0
    )
    batch: int = setting(
        16, "Summaries in a micro-batch (8 with --full; bartscore and unieval: 4).", panel="Training", ge=1
    )
    weight_decay: float = setting(0.05, "Weight decay of AdamW (0.01 with a whole model).", option=False, ge=0)
    precision: Precision = setting(
        "auto", "Numbers of the forward pass (weights stay fp32); auto is bf16 on a GPU.", panel="Training"
    )
    loss: str | None = setting(
        None,
        "Loss: for bartscore ranking, regression or likelihood; for unieval graded, boolean or regression "
        "(default: the first).",
        panel="Training",
    )
    limit: int | None = setting(
        None, "Tokens of a text that are read (default: as many as the metric reads).", panel="Training", ge=10
    )
    frozen: bool = setting(
        True, "encoder-head: train the head alone, or the encoder, too.", flag="--frozen/--full", panel="Training"
    )
    margin: float = setting(2.0, "Margin of the ranking loss.", option=False, gt=0)
    hidden: int = setting(64, "Width of the layer of the encoder head.", option=False, ge=1)
    dropout: float = setting(0.3, "Share of the head's layer that is dropped in training.", option=False, ge=0, lt=1)

    @model_validator(mode="before")
    @classmethod
    def _usual(cls, values: Any) -> Any:
        """What suits a whole model, where the metric is one and nothing else is said."""
        if not isinstance(values, dict):
            return values
        family = str(values.get("metric", "encoder-head")).partition("-")[0]
        if family in _WEIGHTS:
            usual = {"epochs": 2, "learning_rate": 5e-5, "batch": 4, "weight_decay": 0.01, "model": _WEIGHTS[family]}
        elif values.get("frozen") is False:
            usual = {"epochs": 4, "learning_rate": 1e-4, "batch": 8, "weight_decay": 0.01}
        else:
            usual = {}
        if values.get("as_paper"):
            usual = {**usual, **_PAPER_BATCHES.get(family, {}), **cls.published}
        return usual | values

    @field_validator("metric")
    @classmethod
    def _known_metric(cls, name: str, info: ValidationInfo) -> str:
        with refusing():
            return fine_tunable(name, info.data.get("target", "consistency"))

    def as_dict(self) -> dict[str, Any]:
        """For a card: the plan of the training, and the rest."""
        plan = set(TrainingPlan.model_fields)
        named = set(FineTuneSettings.model_fields) - plan
        return {**self.model_dump(include=named), "plan": self.model_dump(include=plan)}


class ConditionSettings(FineTuneSettings, VariantSettings):
    """Under which conditions a neural metric is trained, and which dialogues choose the epoch and test."""

    conditions: Several[Condition] = setting(("original",), "What to train on.", flag="--condition", min_length=1)
    dev: float = setting(0.15, "Share of the training dialogues that chooses the epoch.", panel="Training", ge=0, lt=1)
    test: float = setting(0.25, "Share of the dialogues that tests.", panel="Training", ge=0, lt=1)
    as_paper: bool = paper_setting("The hyper-parameters of Tweak to Trust, under all four conditions.")

    published = PAPER_TUNING

    @field_validator("conditions")
    @classmethod
    def _all_conditions(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(CONDITIONS) if "all" in names else names


class TuningGrid(Settings):
    """The cells of Table 7: which metrics are trained for which dimensions, and from which weights."""

    metrics: Several[str] = setting(
        ("unieval", "bartscore"),
        "Metric to train: unieval, bartscore (or one of their directions or questions) or encoder-head.",
        flag="--metric",
        short="-m",
        min_length=1,
    )
    targets: Several[str] = setting(
        ("consistency", "relevance"), "Rated dimension to learn.", flag="--target", short="-t", min_length=1
    )
    models: Several[str] = setting(
        (),
        "Weights to start from, as METRIC=MODEL: a hub id, folder:/path or embedded:NAME (default: published ones).",
        flag="--model",
    )

    @field_validator("models")
    @classmethod
    def _metric_and_model(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for text in given:
            metric, mark, model = text.partition("=")
            if not (metric and mark and model):
                raise ValueError("must be METRIC=MODEL, as in bartscore=facebook/bart-base")
        return given

    def model_of(self, metric: str) -> str | None:
        """The weights named for a metric or its family; None for the default."""
        named = dict(text.split("=", 1) for text in self.models)
        return named.get(metric, named.get(metric.partition("-")[0]))


def fine_tunable(metric: str, target: str) -> str:
    """The full name behind ``bartscore`` (source to summary) and ``unieval`` (the question about the target)."""
    if metric == "bartscore":
        return "bartscore-src-hyp"
    if metric == "unieval":
        questions = [name.removeprefix("unieval-") for name in FINE_TUNABLE if name.startswith("unieval-")]
        if target not in questions:
            raise UnknownNameError(
                "question of UniEval", target, questions, "select one with --metric unieval-QUESTION"
            )
        return f"unieval-{target}"
    if metric not in FINE_TUNABLE:
        raise UnknownNameError("metric to fine-tune", metric, ("bartscore", "unieval", *FINE_TUNABLE))
    return metric
