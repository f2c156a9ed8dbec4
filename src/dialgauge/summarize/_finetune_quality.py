"""Quality of a summarizer in training: one number for its summaries of the development set."""

from collections.abc import Mapping, Sequence

from dialgauge.affect import Tagger
from dialgauge.corpus import Corpus
from dialgauge.metrics import score_pairs
from dialgauge.models import Model, watching
from dialgauge.progress import Progress
from dialgauge.summarize._finetune_table import ROUGE, affect_scores, preserved
from dialgauge.summarize._seq2seq import write_summaries
from dialgauge.summarize._settings import GenerationSettings, Reading
from dialgauge.summarize._training_sets import Pair

#: The name of the model in training among systems.
_MODEL = "model"
#: The lowest value that a concordance can take.
_WORST = -1.0


def written_texts(
    model: Model,
    corpus: Corpus,
    pairs: Sequence[Pair],
    reading: Reading,
    settings: GenerationSettings,
    batch_tokens: int | None = None,
    progress: Progress | None = None,
) -> dict[str, str]:
    """What the model writes for the dialogues of these pairs; empty where it writes nothing.

    ``reading.window`` may be more than the model can read; then it reads what it can at a time.
    """
    wanted = dict.fromkeys(pair.dialogue_id for pair in pairs)
    dialogues = [dialogue for dialogue in corpus.iter_dialogues() if dialogue.id in wanted]
    window = min(reading.window or model.max_length, model.max_length)
    fitting = reading.model_copy(update={"window": window})
    found: dict[str, str] = {}

    def report(at_work: int, of: int) -> None:
        """Report how many texts of the current portion the model has processed."""
        if progress:
            progress(f"writing ({at_work:,} of {of:,} texts at work)", len(found), len(dialogues))

    with watching(report):
        for position, outcome in write_summaries(
            model, dialogues, pairs[0].role, fitting, settings, batch_tokens=batch_tokens
        ):
            found[dialogues[position].id] = outcome.text or ""
            if progress:
                progress("writing", len(found), len(dialogues))
    return {dialogue_id: found[dialogue_id] for dialogue_id in wanted}


def rouge_quality(pairs: Sequence[Pair], written: Mapping[str, str]) -> float:
    """The mean of ROUGE-1, -2 and -L over all pairs; an empty text counts as 0."""
    texts = [written[pair.dialogue_id] for pair in pairs]
    scores = score_pairs(texts, [pair.target for pair in pairs], ROUGE)
    return sum(float(scores[column].fill_null(0.0).to_numpy().mean()) for column in scores.columns) / len(ROUGE)


def affect_quality(corpus: Corpus, written: Mapping[str, str], tagger: Tagger, role: str) -> float:
    """The concordance (CCC) of PSent in dialogue and summary; where it is not defined, as for a constant, the worst."""
    scores = affect_scores(corpus, {_MODEL: written}, tagger, role=role)
    found = preserved(scores, _MODEL).ccc
    return _WORST if found is None else found
