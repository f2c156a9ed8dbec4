"""German."""

from dialgauge.language._language import Language, register
from dialgauge.language._sentences import sentences_with_abbreviations
from dialgauge.language._snowball import snowball_stemmer, snowball_version
from dialgauge.language._words import unicode_words

_STOP_WORDS = (
    # articles and determiners
    "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner mein meine meinen "
    "meinem meiner dein deine deinen sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere "
    "unseren euer eure dieser diese dieses diesen diesem jeder jede jedes jener alle allen alles welche welcher "
    "welches "
    # pronouns
    "ich du er sie es wir mich dich sich uns euch ihm ihn ihnen mir dir man wer was wen wem "
    # prepositions and conjunctions
    "in im ins an am ans auf aus bei beim mit nach seit von vom zu zum zur für um durch gegen ohne über unter vor "
    "hinter zwischen und oder aber denn sondern dass daß ob weil wenn als wie da damit während bis "
    # negation and adverbs
    "nicht auch nur noch schon so dann doch hier dort sehr hin wo nun "
    # auxiliaries
    "ist bin bist sind seid war waren warst wäre wären gewesen hat habe haben hast habt hatte hatten hätte hätten "
    "wird werde werden wirst wurde wurden würde würden worden kann können konnte will wollen wollte soll sollen "
    "sollte muss müssen musste "
)

GERMAN = Language(
    code="de",
    title="German",
    words=unicode_words,
    sentences=sentences_with_abbreviations(
        "hr fr frl nr str tel ca usw d.h u.a z.t evtl ggf inkl zzgl bspw vgl st abs", ordinals=True
    ),
    stem=snowball_stemmer("german"),
    stop_words=frozenset(_STOP_WORDS.split()),
    version=snowball_version(),
)
register(GERMAN)
