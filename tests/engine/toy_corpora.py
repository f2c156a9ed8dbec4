"""A corpus of given summaries."""

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn


def made_corpus(texts: list[str]) -> Corpus:
    """A dialogue for each text, and the text as its only summary, of one of two systems."""
    dialogues = [Dialogue(f"d{i:05}", (Turn("Ann", "Hi."),)) for i in range(len(texts))]
    return Corpus.build(dialogues, [Summary(f"d{i:05}", f"s{i % 2}", text) for i, text in enumerate(texts)])
