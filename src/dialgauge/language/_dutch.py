"""Dutch."""

from dialgauge.language._language import Language, register
from dialgauge.language._sentences import sentences_with_abbreviations
from dialgauge.language._snowball import snowball_stemmer, snowball_version
from dialgauge.language._words import unicode_words

_STOP_WORDS = (
    # articles and determiners
    "de het een t n deze dit die dat mijn m'n jouw je zijn z'n haar ons onze jullie uw hun alle al elk elke ieder "
    "iedere geen welk welke "
    # pronouns
    "ik jij u hij zij ze wij we hem hen mij me jou zich men wie wat er iets niets "
    # prepositions and conjunctions
    "in op aan van voor met bij uit te ten ter tot naar om over onder door tegen tussen na zonder sinds en of "
    "maar want dus als dan toen omdat doordat terwijl zodat "
    # negation and adverbs
    "niet ook nog wel zo hier daar nu toch heel zeer waar hoe "
    # auxiliaries
    "is ben bent was waren geweest wordt word worden werd werden geworden heeft heb hebt hebben had hadden gehad "
    "zal zullen zou zouden kan kunnen kon konden wil willen wilde moet moeten moest "
)

DUTCH = Language(
    code="nl",
    title="Dutch",
    words=unicode_words,
    sentences=sentences_with_abbreviations("dhr mevr mw drs ir mr nr tel bijv bv o.a d.w.z m.b.t t.a.v enz ca st"),
    stem=snowball_stemmer("dutch"),
    stop_words=frozenset(_STOP_WORDS.split()),
    version=snowball_version(),
)
register(DUTCH)
