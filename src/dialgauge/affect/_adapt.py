"""Dialogues tagged by a lexicon, as training sentences before human labels: the DS of DS-SST3."""

from collections.abc import Iterable

from dialgauge.affect._psent import as_tagger, tag_texts
from dialgauge.affect._settings import TAGGER
from dialgauge.affect._sst import LabelledSentence
from dialgauge.affect._tagger import Tagger
from dialgauge.affect._words import sentence_ends
from dialgauge.corpus import Dialogue
from dialgauge.errors import InputError


def tagged_sentences(dialogues: Iterable[Dialogue], tagger: Tagger | str = TAGGER) -> list[LabelledSentence]:
    """The sentences of dialogues in their order, each word with the label that a tagger gives it.

    The speaker stands before each turn as in a transcript: so the encoder learns that speaker tags are neutral.
    """
    texts = ["\n".join(f"{turn.speaker}: {turn.text}" for turn in dialogue.turns) for dialogue in dialogues]
    found = []
    for tagged in tag_texts(texts, as_tagger(tagger), speakers=True):
        tokens, labels = tagged.words.tokens, tagged.labels.tolist()
        ends = sentence_ends(tagged.words)
        for begin, end in zip([0, *ends], ends, strict=False):
            if begin < end:
                found.append(LabelledSentence(tuple(tokens[begin:end]), tuple(labels[begin:end])))
    if len(found) < 2:
        raise InputError(f"too few sentences to adapt on: {len(found)}; at least two are needed")
    return found
