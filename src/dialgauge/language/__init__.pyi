from dialgauge.language._guess import (
    likely_language as likely_language,
)
from dialgauge.language._language import (
    Language as Language,
    all_languages as all_languages,
    find_language as find_language,
    register as register,
)
from dialgauge.language._nltk_sentences import (
    nltk_sentences as nltk_sentences,
)
from dialgauge.language._sentences import (
    sentences_with_abbreviations as sentences_with_abbreviations,
    split_sentences as split_sentences,
)
from dialgauge.language._snowball import (
    snowball_stemmer as snowball_stemmer,
)
from dialgauge.language._words import (
    unicode_words as unicode_words,
    words_with_elisions as words_with_elisions,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.language._language import (
    LANGUAGES as LANGUAGES,
    language_of as language_of,
    language_signature as language_signature,
)
from dialgauge.language._numbers import NUMBER_WORDS as NUMBER_WORDS
from dialgauge.language._porter import (
    porter_stem as porter_stem,
)
from dialgauge.language._scripts import (
    UNSPACED as UNSPACED,
    is_chinese_or_japanese as is_chinese_or_japanese,
)
from dialgauge.language._sentences import (
    SENTENCE_END as SENTENCE_END,
)
