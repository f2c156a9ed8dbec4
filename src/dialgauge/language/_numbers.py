"""English words for numbers."""

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
#: Zero to twenty, then the tens.
NUMBER_WORDS = {word: value for value, word in enumerate(_UNITS.split())} | {
    word: 20 + 10 * place for place, word in enumerate(_TENS.split())
}
