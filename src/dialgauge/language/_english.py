"""English, as the reference implementations of metrics read it: words of rouge-score, stems and sentences of NLTK."""

import re

from dialgauge.language._language import Language, register
from dialgauge.language._nltk_sentences import nltk_sentences
from dialgauge.language._porter import porter_stem

# Stop words: the alphabetic ones of the list that most published metrics take.
_PRONOUNS = (
    "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself "
    "it its itself they them their theirs themselves what which who whom this that these those"
)
_VERBS = "am is are was were be been being have has had having do does did doing can will should"
_JOINTS = "a an the and but if or because as until while than so nor not no only own same such too very just"
_PLACES = (
    "of at by for with about against between into through during before after above below to from up down in out on "
    "off over under again further then once here there when where why how all any both each few more most other some "
    "now"
)
#: What is left of "don't", "she'll" or "wouldn't" once the apostrophe has cut it in two.
_REMAINS = (
    "s t d ll m o re ve y don ain aren couldn didn doesn hadn hasn haven isn ma mightn mustn needn shan shouldn wasn "
    "weren won wouldn"
)

_WORD = re.compile("[A-Za-z0-9]+")


def rouge_words(text: str) -> list[str]:
    """Runs of a–z and 0–9, as rouge-score has them: an accent or an apostrophe ends a word."""
    return _WORD.findall(text)


ENGLISH = Language(
    code="en",
    title="English",
    words=rouge_words,
    sentences=nltk_sentences,
    stem=porter_stem,
    stop_words=frozenset(" ".join((_PRONOUNS, _VERBS, _JOINTS, _PLACES, _REMAINS)).split()),
)
register(ENGLISH)
