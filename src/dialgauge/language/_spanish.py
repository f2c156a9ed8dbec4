"""Spanish."""

from dialgauge.language._language import Language, register
from dialgauge.language._sentences import sentences_with_abbreviations
from dialgauge.language._snowball import snowball_stemmer, snowball_version
from dialgauge.language._words import unicode_words

_STOP_WORDS = (
    # articles and determiners
    "el la los las lo un una unos unas al del este esta estos estas ese esa esos esas aquel aquella mi mis tu tus "
    "su sus nuestro nuestra nuestros nuestras vuestro vuestra todo toda todos todas "
    # pronouns
    "yo tú él ella ello nosotros nosotras vosotros ellos ellas usted ustedes me te se nos os le les mí ti sí esto "
    "eso aquello que qué quien quién cual cuál cuyo "
    # prepositions and conjunctions
    "a ante con contra de desde en entre hacia hasta para por según sin sobre tras durante y e o u ni pero sino "
    "porque si como cuando donde mientras aunque pues "
    # negation and adverbs
    "no ya más muy también tampoco aquí allí así entonces tan cómo cuándo dónde "
    # auxiliaries
    "es soy eres somos sois son era eras eran éramos fue fui fueron ser sido siendo será serán sería está estoy "
    "estás están estaba estaban estar estado ha he has hemos habéis han había habían haber habido hay hubo haya "
    "sea sean "
)

SPANISH = Language(
    code="es",
    title="Spanish",
    words=unicode_words,
    sentences=sentences_with_abbreviations(
        "sr sra srta sres d dña dr dra ud uds vd vds av avda núm tel pág p.ej aprox"
    ),
    stem=snowball_stemmer("spanish"),
    stop_words=frozenset(_STOP_WORDS.split()),
    version=snowball_version(),
)
register(SPANISH)
