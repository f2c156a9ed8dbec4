"""Affect: which words of a text carry feeling, and whether the share of them survives the summary."""

from dialgauge.affect._adapt import tagged_sentences
from dialgauge.affect._controls import CONTROLS
from dialgauge.affect._describe import (
    KEEPS,
    SERIES,
    Filtered,
    Keep,
    Spread,
    affective,
    describe_shares,
    filter_corpus,
    shares_frame,
)
from dialgauge.affect._evaluation import WordScores, evaluate_tagger, evaluate_words
from dialgauge.affect._faithful import Faithful, FaithfulPair, Segment, faithful_summaries, segments
from dialgauge.affect._filter import affective_pairs, has_affect
from dialgauge.affect._folder import load_tagger, save_tagger
from dialgauge.affect._lexicon import (
    OPINION_LEXICON,
    Lexicon,
    fetch_opinion_lexicon,
    opinion_lexicon,
    read_lexicon,
    vader_lexicon,
)
from dialgauge.affect._pieces import EncodedWords, encode_words
from dialgauge.affect._psent import (
    DENOMINATORS,
    PARTS,
    TAGS,
    Denominator,
    Part,
    PSent,
    TaggedText,
    Tags,
    count_parts,
    parts_of,
    psent,
    tag_texts,
)
from dialgauge.affect._psentscore import MEASURES, Measure, PSentScores, psent_score
from dialgauge.affect._skill import Skill, compare_skill, measure_skill
from dialgauge.affect._speakers import psent_by_speaker
from dialgauge.affect._specs import DEFAULT, TAGGERS, parse_spec, path_of_spec, tagger
from dialgauge.affect._sst import LabelledSentence, Treebank, lookup_of, read_treebank
from dialgauge.affect._tagger import CERTAIN, LABELS, NEGATIVE, NEUTRAL, POSITIVE, Probabilities, Tagger, labels_of
from dialgauge.affect._taggers import CombinedTagger, ContextualTagger, LexiconTagger, LookupTagger, NegationTagger
from dialgauge.affect._training import SeedResult, TaggerTraining, TrainedTaggers, train_tagger
from dialgauge.affect._word_reader import WordReader
from dialgauge.affect._words import MARK, TAG, WORD, Words, sentences, split_words

__all__ = [
    "CERTAIN",
    "CONTROLS",
    "DEFAULT",
    "DENOMINATORS",
    "KEEPS",
    "LABELS",
    "MARK",
    "MEASURES",
    "NEGATIVE",
    "NEUTRAL",
    "OPINION_LEXICON",
    "PARTS",
    "POSITIVE",
    "SERIES",
    "TAG",
    "TAGGERS",
    "TAGS",
    "WORD",
    "CombinedTagger",
    "ContextualTagger",
    "Denominator",
    "EncodedWords",
    "Faithful",
    "FaithfulPair",
    "Filtered",
    "Keep",
    "LabelledSentence",
    "Lexicon",
    "LexiconTagger",
    "LookupTagger",
    "Measure",
    "NegationTagger",
    "PSent",
    "PSentScores",
    "Part",
    "Probabilities",
    "SeedResult",
    "Segment",
    "Skill",
    "Spread",
    "TaggedText",
    "Tagger",
    "TaggerTraining",
    "Tags",
    "TrainedTaggers",
    "Treebank",
    "WordReader",
    "WordScores",
    "Words",
    "affective",
    "affective_pairs",
    "compare_skill",
    "count_parts",
    "describe_shares",
    "encode_words",
    "evaluate_tagger",
    "evaluate_words",
    "faithful_summaries",
    "fetch_opinion_lexicon",
    "filter_corpus",
    "has_affect",
    "labels_of",
    "load_tagger",
    "lookup_of",
    "measure_skill",
    "opinion_lexicon",
    "parse_spec",
    "parts_of",
    "path_of_spec",
    "psent",
    "psent_by_speaker",
    "psent_score",
    "read_lexicon",
    "read_treebank",
    "save_tagger",
    "segments",
    "sentences",
    "shares_frame",
    "split_words",
    "tag_texts",
    "tagged_sentences",
    "tagger",
    "train_tagger",
    "vader_lexicon",
]
