"""Dialogues, summaries and ratings: the corpus, its readers and writers, and the catalogue of public data sets."""

from dialgauge.corpus._checks import sift
from dialgauge.corpus._columns import CONSTANT, USES, Column, make_plan, parse_mapping
from dialgauge.corpus._corpus import Corpus, CorpusInfo, conform, dialogues_frame, ratings_frame, summaries_frame
from dialgauge.corpus._embedded import embedded_corpus
from dialgauge.corpus._files import read_text
from dialgauge.corpus._formats import FORMATS, Format
from dialgauge.corpus._problems import Problem, count_by_reason, raise_if_any
from dialgauge.corpus._reading import (
    Inspection,
    add_ratings,
    check_target,
    inspect_file,
    read_corpus,
    read_ratings,
    write_corpus,
)
from dialgauge.corpus._schema import DIALOGUES, KEY, RATING_KEY, RATINGS, SUMMARIES
from dialgauge.corpus._sources import EMBEDDED, open_corpus, source_folder
from dialgauge.corpus._turns import parse_turns
from dialgauge.corpus._types import ORIGINAL, OVERALL, Dialogue, Rating, Summary, SummaryKind, Turn
from dialgauge.corpus.catalogue import DATASETS, Dataset, fetch_dataset, get_dataset, read_dataset

__all__ = [
    "CONSTANT",
    "DATASETS",
    "DIALOGUES",
    "EMBEDDED",
    "FORMATS",
    "KEY",
    "ORIGINAL",
    "OVERALL",
    "RATINGS",
    "RATING_KEY",
    "SUMMARIES",
    "USES",
    "Column",
    "Corpus",
    "CorpusInfo",
    "Dataset",
    "Dialogue",
    "Format",
    "Inspection",
    "Problem",
    "Rating",
    "Summary",
    "SummaryKind",
    "Turn",
    "add_ratings",
    "check_target",
    "conform",
    "count_by_reason",
    "dialogues_frame",
    "embedded_corpus",
    "fetch_dataset",
    "get_dataset",
    "inspect_file",
    "make_plan",
    "open_corpus",
    "parse_mapping",
    "parse_turns",
    "raise_if_any",
    "ratings_frame",
    "read_corpus",
    "read_dataset",
    "read_ratings",
    "read_text",
    "sift",
    "source_folder",
    "summaries_frame",
    "write_corpus",
]
