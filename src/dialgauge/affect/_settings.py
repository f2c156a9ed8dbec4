"""Settings for affect: the tagger, the counting of shares, and the training of taggers."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, field_validator

from dialgauge.models import TrainingPlan, TrainingSettings
from dialgauge.registry import completer
from dialgauge.resampling import Intervals
from dialgauge.settings import Settings, paper_setting, refusing, setting

#: What affective words are divided by: words, or word pieces as the program of the paper counts.
Denominator = Literal["words", "pieces"]
#: Whether speaker tags and markup are among the words.
Tags = Literal["omit", "count"]
#: Several references of a dialogue: each as a pair of its own, as in the paper, or their mean.
SeveralReferences = Literal["pairs", "mean"]
#: What is used where nothing else is asked.
TAGGER = "vader"
DENOMINATOR: Denominator = "words"
SPEAKER_TAGS: Tags = "omit"
Keep = Literal["both", "dialogue", "summary"]
#: On tagged dialogues, on sentences, or on words by themselves.
Stage = Literal["adapt", "sentences", "words"]


class TaggerSettings(Settings):
    """Which tagger labels the words, and what its counts are divided by."""

    tagger: str = setting(
        TAGGER,
        "Sentiment tagger, such as vader, token-dict, lexicon:FILE or sst3:FOLDER, with options as in "
        "token-dict:negation=flip; 'dialgauge affect' lists all.",
        short="-t",
        complete=completer("tagger"),
        min_length=1,
    )
    denominator: Denominator = setting(
        DENOMINATOR,
        "Denominator of the share of affective words; pieces is that of the paper's program (needs embedded:minilm).",
    )

    @field_validator("tagger")
    @classmethod
    def _known_tagger(cls, spec: str) -> str:
        from dialgauge.affect._specs import parse_spec

        with refusing():
            parse_spec(spec)
        return spec


class AffectSettings(TaggerSettings, Intervals):
    """How PSentScore is computed: by which tagger, over which words and references, and with which intervals."""

    tags: Tags = setting(SPEAKER_TAGS, "Speaker tags and markup: omit them, or count them as words.")
    several: SeveralReferences = setting("pairs", "Several references of a dialogue: one pair each, or their mean.")


class FilterSettings(Settings):
    """Which pairs of dialogue and reference a corpus keeps."""

    keep: Keep = setting("both", "Texts that must have affective words.")
    subsample: bool = setting(
        False, "Keep the same number of pairs, drawn at random: the baseline for a filtered set.", flag="--subsample"
    )
    seed: int = setting(0, "Random seed.", ge=0)


def _as_listed(seeds: Any) -> Any:
    return tuple(seeds) if isinstance(seeds, Sequence) and not isinstance(seeds, str) else seeds


_ADAPT = "Adaptation (DS-SST3)"
#: Zhou, Ringeval and Portet (2024), section 4.1.2, with BERT. Our defaults were chosen on the development part with the
#: embedded MiniLM, a fifth of its size.
PAPER_TAGGER: Mapping[str, Any] = {
    "epochs": 3,
    "learning_rate": 5e-5,
    "adapt_epochs": 5,
    "adapt_learning_rate": 2e-5,
}


class TaggerTraining(TrainingSettings):
    """How taggers are trained. The defaults were chosen on the development part of SST3 with the embedded MiniLM.

    The backbone learns from sentences; without ``encoder`` it does not, and the rest takes a minute. A small network,
    which reads the unseen words of the combination, learns from each training word by itself (``word_…``), from the
    backbone as it was before, and from ``vectors``; None leaves those out.
    """

    encoder: bool = setting(
        True, "Train the encoder, or only look-up and combined (one minute).", flag="--encoder/--no-encoder"
    )
    backbone: str = setting("embedded:minilm", "Encoder to start from: a hub id, folder:/path or embedded:NAME.")
    vectors: str | None = setting("embedded:glove-50d", "Word vectors for new words in combined, or none.")
    seeds: Annotated[tuple[int, ...], BeforeValidator(_as_listed)] = setting(
        (0,), "Random seed to train with; the best seed on dev is kept.", flag="--seed", min_length=1
    )
    learning_rate: float = setting(
        2e-4, "Highest learning rate: it rises at first, then falls to zero.", panel="Training", gt=0
    )
    batch: int = setting(32, "Sentences in a micro-batch.", panel="Training", ge=1)
    pieces: int = setting(64, "Word pieces read at once; longer sentences are read in parts.", panel="Training", ge=8)
    word_epochs: int = setting(12, "Passes over the single words.", option=False, ge=1)
    word_learning_rate: float = setting(2e-3, "Highest learning rate on single words.", option=False, gt=0)
    word_batch: int = setting(256, "Words in a micro-batch.", option=False, ge=1)
    adapt_epochs: int = setting(1, "Passes over the dialogues to adapt to.", panel=_ADAPT, ge=1)
    adapt_learning_rate: float = setting(1e-4, "Highest learning rate of the adaptation.", panel=_ADAPT, gt=0)
    as_paper: bool = paper_setting("Learning rates and epochs of the PSentScore paper, which trained BERT.")

    published = PAPER_TAGGER

    @field_validator("vectors")
    @classmethod
    def _no_vectors(cls, name: str | None) -> str | None:
        return None if name == "none" else name

    @field_validator("seeds")
    @classmethod
    def _distinct(cls, seeds: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(seeds)) < len(seeds) or min(seeds) < 0:
            raise ValueError("must be distinct numbers of 0 or more")
        return seeds

    def plan(self, stage: Stage, seed: int) -> TrainingPlan:
        """How one seed is trained at a stage."""
        epochs, rate = {
            "adapt": (self.adapt_epochs, self.adapt_learning_rate),
            "sentences": (self.epochs, self.learning_rate),
            "words": (self.word_epochs, self.word_learning_rate),
        }[stage]
        precision = "fp32" if stage == "words" else self.precision
        return self.subset(TrainingPlan, epochs=epochs, learning_rate=rate, precision=precision, seed=seed)
