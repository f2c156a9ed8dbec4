"""Italian. An elided form is a word of its own: ``dell'anno`` is ``dell`` and ``anno``."""

from dialgauge.language._language import Language, register
from dialgauge.language._sentences import sentences_with_abbreviations
from dialgauge.language._snowball import snowball_stemmer, snowball_version
from dialgauge.language._words import words_with_elisions

_STOP_WORDS = (
    # articles and determiners
    "il lo la i gli le l un uno una del dello della dei degli delle dell al allo alla ai agli alle all dal dallo "
    "dalla dai dagli dalle dall nel nello nella nei negli nelle nell sul sullo sulla sui sugli sulle sull questo "
    "questa questi queste quel quello quella quei quegli quelle quest quell mio mia miei mie tuo tua tuoi tue suo "
    "sua suoi sue nostro nostra nostri nostre vostro vostra loro tutto tutta tutti tutte "
    # pronouns
    "io tu lui lei noi voi essi esse mi m ti t si s ci c vi v ne me te sé che chi cui quale quali "
    # prepositions and conjunctions
    "a ad da di d in con su per tra fra senza e ed o od ma se perché come quando dove mentre però anche né dunque "
    # negation and adverbs
    "non più già molto qui qua lì là così poi ancora "
    # auxiliaries
    "è sono sei siamo siete era erano ero eri stato stata stati state essere sia siano sarà saranno sarebbe fu "
    "furono ha ho hai abbiamo avete hanno aveva avevano avevo avuto avere abbia abbiano avrà avranno sta stanno "
)

ITALIAN = Language(
    code="it",
    title="Italian",
    words=words_with_elisions(
        "l un all dall dell nell sull coll c d m t s v n gl quell quest dov com cos anch tutt bell sant"
    ),
    sentences=sentences_with_abbreviations("sig sig.ra sig.na sigg dott dott.ssa prof.ssa ing avv tel pag p.es ecc n"),
    stem=snowball_stemmer("italian"),
    stop_words=frozenset(_STOP_WORDS.split()),
    version=snowball_version(),
)
register(ITALIAN)
