"""Portuguese."""

from dialgauge.language._language import Language, register
from dialgauge.language._sentences import sentences_with_abbreviations
from dialgauge.language._snowball import snowball_stemmer, snowball_version
from dialgauge.language._words import words_with_elisions

_STOP_WORDS = (
    # articles and determiners
    "o a os as um uma uns umas do da dos das no na nos nas ao à aos às pelo pela pelos pelas num numa este esta "
    "estes estas esse essa esses essas aquele aquela aqueles aquelas deste desta desse dessa neste nesta nesse "
    "nessa meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos nossas todo toda todos todas "
    # pronouns
    "eu tu ele ela nós vós eles elas você vocês me te se lhe lhes mim ti si isto isso aquilo que quem qual quais "
    "cujo "
    # prepositions and conjunctions
    "de em por para com sem sob sobre entre até desde contra d e ou mas nem porque como quando onde enquanto "
    "embora pois "
    # negation and adverbs
    "não já mais muito também aqui ali lá assim então ainda só "
    # auxiliaries
    "é sou és somos são era eram foi fui foram ser sido sendo será serão seria seja sejam está estou estão estava "
    "estavam estar esteve tem tenho têm tinha tinham ter tido teve há havia haver houve "
)

PORTUGUESE = Language(
    code="pt",
    title="Portuguese",
    words=words_with_elisions("d"),
    sentences=sentences_with_abbreviations("sr sra srs dra d av tel núm pág p.ex aprox exmo exma v.exa"),
    stem=snowball_stemmer("portuguese"),
    stop_words=frozenset(_STOP_WORDS.split()),
    version=snowball_version(),
)
register(PORTUGUESE)
