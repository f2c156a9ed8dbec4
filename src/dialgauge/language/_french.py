"""French. An elided form is a word of its own: ``l'homme`` is ``l`` and ``homme``."""

from dialgauge.language._language import Language, register
from dialgauge.language._sentences import sentences_with_abbreviations
from dialgauge.language._snowball import snowball_stemmer, snowball_version
from dialgauge.language._words import words_with_elisions

_STOP_WORDS = (
    # articles and determiners
    "le la les l un une des du d au aux ce cet cette ces c mon ton son ma ta sa mes tes ses notre votre leur nos "
    "vos leurs quel quelle quels quelles tout toute tous toutes "
    # pronouns
    "je j tu il elle on nous vous ils elles me m te t se s lui y en moi toi soi eux ça cela ceci qui que qu quoi "
    "dont où celui celle ceux celles "
    # prepositions and conjunctions
    "à de dans par pour sur sous avec sans chez entre vers et ou mais donc or ni car si comme quand lorsque "
    "puisque jusque "
    # negation and adverbs
    "ne n pas plus aussi très bien alors là ici encore "
    # auxiliaries
    "est es suis sommes êtes sont était étais étaient étions étiez été être étant sera serai seras serez seront "
    "serait seraient a ai as avons avez ont avait avais avaient avions aviez eu avoir ayant aura aurai auras "
    "aurez auront aurait auraient soit soient fut furent ait aient "
)

FRENCH = Language(
    code="fr",
    title="French",
    words=words_with_elisions("c d j l m n s t qu jusqu lorsqu puisqu quoiqu"),
    sentences=sentences_with_abbreviations("m mm mme mmes mlle mlles me st ste av apr env p.ex c.-à-d tél"),
    stem=snowball_stemmer("french"),
    stop_words=frozenset(_STOP_WORDS.split()),
    version=snowball_version(),
)
register(FRENCH)
