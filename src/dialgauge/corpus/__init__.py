"""Dialogues, summaries and ratings: the corpus, its readers and writers, and the catalogue of public data sets."""

from dialgauge.corpus._corpus import Corpus, CorpusInfo, dialogues_frame, ratings_frame, summaries_frame
from dialgauge.corpus._problems import Problem, count_by_reason
from dialgauge.corpus._schema import DIALOGUES, KEY, RATING_KEY, RATINGS, SUMMARIES
from dialgauge.corpus._types import ORIGINAL, OVERALL, Dialogue, Rating, Summary, SummaryKind, Turn

__all__ = [
    "DIALOGUES",
    "KEY",
    "ORIGINAL",
    "OVERALL",
    "RATINGS",
    "RATING_KEY",
    "SUMMARIES",
    "Corpus",
    "CorpusInfo",
    "Dialogue",
    "Problem",
    "Rating",
    "Summary",
    "SummaryKind",
    "Turn",
    "count_by_reason",
    "dialogues_frame",
    "ratings_frame",
    "summaries_frame",
]
