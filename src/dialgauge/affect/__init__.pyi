from dialgauge.affect._adapt import (
    tagged_sentences as tagged_sentences,
)
from dialgauge.affect._controls import (
    CONTROLS as CONTROLS,
)
from dialgauge.affect._describe import (
    KEEPS as KEEPS,
)
from dialgauge.affect._describe import (
    SERIES as SERIES,
)
from dialgauge.affect._describe import (
    Filtered as Filtered,
)
from dialgauge.affect._describe import (
    Keep as Keep,
)
from dialgauge.affect._describe import (
    Spread as Spread,
)
from dialgauge.affect._describe import (
    affective as affective,
)
from dialgauge.affect._describe import (
    describe_shares as describe_shares,
)
from dialgauge.affect._describe import (
    filter_corpus as filter_corpus,
)
from dialgauge.affect._describe import (
    shares_frame as shares_frame,
)
from dialgauge.affect._evaluation import (
    WordScores as WordScores,
)
from dialgauge.affect._evaluation import (
    evaluate_tagger as evaluate_tagger,
)
from dialgauge.affect._evaluation import (
    evaluate_words as evaluate_words,
)
from dialgauge.affect._faithful import (
    Faithful as Faithful,
)
from dialgauge.affect._faithful import (
    FaithfulPair as FaithfulPair,
)
from dialgauge.affect._faithful import (
    Segment as Segment,
)
from dialgauge.affect._faithful import (
    faithful_summaries as faithful_summaries,
)
from dialgauge.affect._faithful import (
    segments as segments,
)
from dialgauge.affect._filter import (
    affective_pairs as affective_pairs,
)
from dialgauge.affect._filter import (
    has_affect as has_affect,
)
from dialgauge.affect._folder import (
    load_tagger as load_tagger,
)
from dialgauge.affect._folder import (
    save_tagger as save_tagger,
)
from dialgauge.affect._lexicon import (
    OPINION_LEXICON as OPINION_LEXICON,
)
from dialgauge.affect._lexicon import (
    Lexicon as Lexicon,
)
from dialgauge.affect._lexicon import (
    fetch_opinion_lexicon as fetch_opinion_lexicon,
)
from dialgauge.affect._lexicon import (
    opinion_lexicon as opinion_lexicon,
)
from dialgauge.affect._lexicon import (
    read_lexicon as read_lexicon,
)
from dialgauge.affect._lexicon import (
    vader_lexicon as vader_lexicon,
)
from dialgauge.affect._pieces import (
    EncodedWords as EncodedWords,
)
from dialgauge.affect._pieces import (
    encode_words as encode_words,
)
from dialgauge.affect._psent import (
    DENOMINATORS as DENOMINATORS,
)
from dialgauge.affect._psent import (
    PARTS as PARTS,
)
from dialgauge.affect._psent import (
    TAGS as TAGS,
)
from dialgauge.affect._psent import (
    Denominator as Denominator,
)
from dialgauge.affect._psent import (
    Part as Part,
)
from dialgauge.affect._psent import (
    PSent as PSent,
)
from dialgauge.affect._psent import (
    TaggedText as TaggedText,
)
from dialgauge.affect._psent import (
    Tags as Tags,
)
from dialgauge.affect._psent import (
    count_parts as count_parts,
)
from dialgauge.affect._psent import (
    parts_of as parts_of,
)
from dialgauge.affect._psent import (
    psent as psent,
)
from dialgauge.affect._psent import (
    tag_texts as tag_texts,
)
from dialgauge.affect._psentscore import (
    MEASURES as MEASURES,
)
from dialgauge.affect._psentscore import (
    Measure as Measure,
)
from dialgauge.affect._psentscore import (
    PSentScores as PSentScores,
)
from dialgauge.affect._psentscore import (
    psent_score as psent_score,
)
from dialgauge.affect._skill import (
    Skill as Skill,
)
from dialgauge.affect._skill import (
    compare_skill as compare_skill,
)
from dialgauge.affect._skill import (
    measure_skill as measure_skill,
)
from dialgauge.affect._speakers import (
    psent_by_speaker as psent_by_speaker,
)
from dialgauge.affect._specs import (
    DEFAULT as DEFAULT,
)
from dialgauge.affect._specs import (
    TAGGERS as TAGGERS,
)
from dialgauge.affect._specs import (
    parse_spec as parse_spec,
)
from dialgauge.affect._specs import (
    path_of_spec as path_of_spec,
)
from dialgauge.affect._specs import (
    tagger as tagger,
)
from dialgauge.affect._sst import (
    LabelledSentence as LabelledSentence,
)
from dialgauge.affect._sst import (
    Treebank as Treebank,
)
from dialgauge.affect._sst import (
    lookup_of as lookup_of,
)
from dialgauge.affect._sst import (
    read_treebank as read_treebank,
)
from dialgauge.affect._tagger import (
    CERTAIN as CERTAIN,
)
from dialgauge.affect._tagger import (
    LABELS as LABELS,
)
from dialgauge.affect._tagger import (
    NEGATIVE as NEGATIVE,
)
from dialgauge.affect._tagger import (
    NEUTRAL as NEUTRAL,
)
from dialgauge.affect._tagger import (
    POSITIVE as POSITIVE,
)
from dialgauge.affect._tagger import (
    Probabilities as Probabilities,
)
from dialgauge.affect._tagger import (
    Tagger as Tagger,
)
from dialgauge.affect._tagger import (
    labels_of as labels_of,
)
from dialgauge.affect._taggers import (
    CombinedTagger as CombinedTagger,
)
from dialgauge.affect._taggers import (
    ContextualTagger as ContextualTagger,
)
from dialgauge.affect._taggers import (
    LexiconTagger as LexiconTagger,
)
from dialgauge.affect._taggers import (
    LookupTagger as LookupTagger,
)
from dialgauge.affect._taggers import (
    NegationTagger as NegationTagger,
)
from dialgauge.affect._training import (
    SeedResult as SeedResult,
)
from dialgauge.affect._training import (
    TaggerTraining as TaggerTraining,
)
from dialgauge.affect._training import (
    TrainedTaggers as TrainedTaggers,
)
from dialgauge.affect._training import (
    train_tagger as train_tagger,
)
from dialgauge.affect._word_reader import (
    WordReader as WordReader,
)
from dialgauge.affect._words import (
    MARK as MARK,
)
from dialgauge.affect._words import (
    TAG as TAG,
)
from dialgauge.affect._words import (
    WORD as WORD,
)
from dialgauge.affect._words import (
    Words as Words,
)
from dialgauge.affect._words import (
    sentences as sentences,
)
from dialgauge.affect._words import (
    split_words as split_words,
)
