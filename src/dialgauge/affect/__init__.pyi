from dialgauge.affect._adapt import (
    tagged_sentences as tagged_sentences,
)
from dialgauge.affect._controls import (
    CONTROLS as CONTROLS,
)
from dialgauge.affect._describe import (
    KEEPS as KEEPS,
    SERIES as SERIES,
    Filtered as Filtered,
    Keep as Keep,
    Spread as Spread,
    affective as affective,
    describe_shares as describe_shares,
    filter_corpus as filter_corpus,
    shares_frame as shares_frame,
)
from dialgauge.affect._evaluation import (
    WordScores as WordScores,
    evaluate_tagger as evaluate_tagger,
    evaluate_words as evaluate_words,
)
from dialgauge.affect._faithful import (
    Faithful as Faithful,
    FaithfulPair as FaithfulPair,
    Segment as Segment,
    faithful_summaries as faithful_summaries,
    segments as segments,
)
from dialgauge.affect._filter import (
    affective_pairs as affective_pairs,
    has_affect as has_affect,
)
from dialgauge.affect._folder import (
    load_tagger as load_tagger,
    save_tagger as save_tagger,
)
from dialgauge.affect._lexicon import (
    OPINION_LEXICON as OPINION_LEXICON,
    Lexicon as Lexicon,
    fetch_opinion_lexicon as fetch_opinion_lexicon,
    opinion_lexicon as opinion_lexicon,
    read_lexicon as read_lexicon,
    vader_lexicon as vader_lexicon,
)
from dialgauge.affect._pieces import (
    EncodedWords as EncodedWords,
    encode_words as encode_words,
)
from dialgauge.affect._psent import (
    DENOMINATORS as DENOMINATORS,
    PARTS as PARTS,
    TAGS as TAGS,
    Denominator as Denominator,
    Part as Part,
    PSent as PSent,
    TaggedText as TaggedText,
    Tags as Tags,
    count_parts as count_parts,
    parts_of as parts_of,
    psent as psent,
    tag_texts as tag_texts,
)
from dialgauge.affect._psentscore import (
    MEASURES as MEASURES,
    Measure as Measure,
    PSentScores as PSentScores,
    psent_score as psent_score,
)
from dialgauge.affect._skill import (
    Skill as Skill,
    compare_skill as compare_skill,
    measure_skill as measure_skill,
)
from dialgauge.affect._speakers import (
    psent_by_speaker as psent_by_speaker,
)
from dialgauge.affect._specs import (
    DEFAULT as DEFAULT,
    TAGGERS as TAGGERS,
    parse_spec as parse_spec,
    path_of_spec as path_of_spec,
    tagger as tagger,
)
from dialgauge.affect._sst import (
    LabelledSentence as LabelledSentence,
    Treebank as Treebank,
    lookup_of as lookup_of,
    read_treebank as read_treebank,
)
from dialgauge.affect._tagger import (
    CERTAIN as CERTAIN,
    LABELS as LABELS,
    NEGATIVE as NEGATIVE,
    NEUTRAL as NEUTRAL,
    POSITIVE as POSITIVE,
    Probabilities as Probabilities,
    Tagger as Tagger,
    labels_of as labels_of,
)
from dialgauge.affect._taggers import (
    CombinedTagger as CombinedTagger,
    ContextualTagger as ContextualTagger,
    LexiconTagger as LexiconTagger,
    LookupTagger as LookupTagger,
    NegationTagger as NegationTagger,
)
from dialgauge.affect._training import (
    SeedResult as SeedResult,
    TaggerTraining as TaggerTraining,
    TrainedTaggers as TrainedTaggers,
    train_tagger as train_tagger,
)
from dialgauge.affect._word_reader import (
    WordReader as WordReader,
)
from dialgauge.affect._words import (
    MARK as MARK,
    TAG as TAG,
    WORD as WORD,
    Words as Words,
    sentences as sentences,
    split_words as split_words,
)
