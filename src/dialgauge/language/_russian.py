"""Russian."""

from dialgauge.language._language import Language, register
from dialgauge.language._sentences import sentences_with_abbreviations
from dialgauge.language._snowball import snowball_stemmer, snowball_version
from dialgauge.language._words import unicode_words

_STOP_WORDS = (
    # pronouns
    "я ты он она оно мы вы они меня тебя его её ее нас вас их мне тебе ему ей нам вам им мной тобой нём нем ней "
    "них ним ними себя себе собой кто что кого чего кому чему чем ком этот эта это эти этого этой этому этих тот "
    "та то те того той тому тех мой моя моё мое мои твой твоя свой своя своё свое свои своих наш наша наше наши "
    "ваш ваша ваше ваши весь вся всё все всех который которая которое которые "
    # prepositions
    "в во на с со из изо у к ко о об обо от ото по за до для без над под при про через между перед после "
    # conjunctions and particles
    "и а но или да ли же бы б не ни чтобы если когда как так потому поэтому хотя либо тоже также вот лишь уже ещё "
    "еще там тут здесь где куда очень только "
    # auxiliaries
    "быть был была было были есть буду будет будем будете будут будешь будучи "
)

RUSSIAN = Language(
    code="ru",
    title="Russian",
    words=unicode_words,
    sentences=sentences_with_abbreviations("г гг ул д кв тел руб коп т.е т.д т.п т.к др см стр им"),
    stem=snowball_stemmer("russian"),
    stop_words=frozenset(_STOP_WORDS.split()),
    version=snowball_version(),
)
register(RUSSIAN)
