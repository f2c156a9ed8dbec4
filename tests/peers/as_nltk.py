"""A pytest plugin: NLTK's document of METEOR measures dialgauge."""

from collections.abc import Sequence

from nltk.tokenize.destructive import NLTKWordTokenizer

from dialgauge.metrics import score_pairs


def meteor(references: Sequence[Sequence[str]], hypothesis: Sequence[str]) -> float:
    """From words, as NLTK has it: here they are texts of words between white space."""
    value = score_pairs([" ".join(hypothesis)], [[" ".join(words) for words in references]], ["meteor"]).row(0)[0]
    return float(value)


def pytest_configure() -> None:
    import nltk
    from nltk import translate

    translate.meteor = meteor
    # The one of NLTK needs a model of sentences, which is a download; single sentences do not.
    nltk.word_tokenize = NLTKWordTokenizer().tokenize
