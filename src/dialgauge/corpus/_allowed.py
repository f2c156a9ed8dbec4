"""What may be left out of a corpus: the share that somebody allows, and what to do where more would be missing."""

from dataclasses import replace

from dialgauge.corpus._corpus import Corpus
from dialgauge.corpus._settings import ReadingSettings


def with_allowance(corpus: Corpus, reading: ReadingSettings) -> Corpus:
    """The corpus with the share that may be left out in its accounts.

    Where none was asked for, what was allowed when a stored corpus was made still is.
    """
    if "allow_left_out" not in reading.model_fields_set:
        return corpus
    share = reading.allowed()
    return replace(corpus, accounts=tuple(replace(account, allowed=share) for account in corpus.accounts))


def too_much_left_out(corpus: Corpus) -> list[str]:
    """Why more was left out than is allowed, by file; empty where it was not."""
    return [f"{account.file}: {text}" for account in corpus.accounts for text in account.too_much()]


def what_to_do(corpus: Corpus, *, inspect: str, allow: str, repeats: str) -> str:
    """What to do where too much would be left out, in terms of the entrance: how to ``inspect``, ``allow``, choose."""
    found = f"Correct the file, map its columns ({inspect}), or allow it: {allow}"
    twice = any(account.conflicts for account in corpus.accounts)
    return found + (f"; to say which of several values counts: {repeats}" if twice else "")
