"""Swedish."""

from dialgauge.language._language import Language, register
from dialgauge.language._sentences import sentences_with_abbreviations
from dialgauge.language._snowball import snowball_stemmer, snowball_version
from dialgauge.language._words import unicode_words

_STOP_WORDS = (
    # articles and determiners
    "en ett den det de denna detta dessa min mitt mina din ditt dina sin sitt sina hans hennes dess vår vårt våra "
    "er ert era deras all allt alla någon något några ingen inget inga varje vilken vilket vilka "
    # pronouns
    "jag du han hon vi ni man mig dig sig honom henne oss dem dom som vem vad "
    # prepositions and conjunctions
    "i på av för med till från om vid hos under över mellan genom efter före utan mot ur och eller men att så när "
    "då medan eftersom därför än "
    # negation and adverbs
    "inte ej också bara redan här där nu mycket hur var varför ju sedan "
    # auxiliaries
    "är vara varit blir bli blev blivit har ha hade haft ska skall skulle kan kunna kunde vill ville måste "
)

SWEDISH = Language(
    code="sv",
    title="Swedish",
    words=unicode_words,
    sentences=sentences_with_abbreviations("hr dr ca bl.a t.ex d.v.s dvs kl st nr tel m.m o.s.v osv ev resp"),
    stem=snowball_stemmer("swedish"),
    stop_words=frozenset(_STOP_WORDS.split()),
    version=snowball_version(),
)
register(SWEDISH)
