from dialgauge.affect._describe import (
    Filtered as Filtered,
    Spread as Spread,
    describe_shares as describe_shares,
    filter_corpus as filter_corpus,
    shares_frame as shares_frame,
)
from dialgauge.affect._evaluation import (
    WordScores as WordScores,
    evaluate_tagger as evaluate_tagger,
)
from dialgauge.affect._faithful import (
    Faithful as Faithful,
    FaithfulPair as FaithfulPair,
    Segment as Segment,
    faithful_summaries as faithful_summaries,
)
from dialgauge.affect._filter import (
    has_affect as has_affect,
)
from dialgauge.affect._folder import (
    load_tagger as load_tagger,
    save_tagger as save_tagger,
)
from dialgauge.affect._lexicon import (
    Lexicon as Lexicon,
    opinion_lexicon as opinion_lexicon,
    read_lexicon as read_lexicon,
    vader_lexicon as vader_lexicon,
)
from dialgauge.affect._psent import (
    PSent as PSent,
    TaggedText as TaggedText,
    psent as psent,
    tag_texts as tag_texts,
)
from dialgauge.affect._psentscore import (
    PSentScores as PSentScores,
    psent_score as psent_score,
)
from dialgauge.affect._settings import (
    AffectSettings as AffectSettings,
    Denominator as Denominator,
    FilterSettings as FilterSettings,
    Keep as Keep,
    TaggerSettings as TaggerSettings,
    TaggerTraining as TaggerTraining,
    Tags as Tags,
)
from dialgauge.affect._skill import (
    Skill as Skill,
    compare_skill as compare_skill,
)
from dialgauge.affect._speakers import (
    psent_by_speaker as psent_by_speaker,
)
from dialgauge.affect._specs import (
    TaggerKind as TaggerKind,
    tagger as tagger,
)
from dialgauge.affect._sst import (
    LabelledSentence as LabelledSentence,
    Treebank as Treebank,
    lookup_of as lookup_of,
    read_treebank as read_treebank,
)
from dialgauge.affect._tagger import (
    Tagger as Tagger,
)
from dialgauge.affect._taggers import (
    ContextualTagger as ContextualTagger,
    LexiconTagger as LexiconTagger,
    LookupTagger as LookupTagger,
)
from dialgauge.affect._training import (
    SeedResult as SeedResult,
    TrainedTaggers as TrainedTaggers,
    train_tagger as train_tagger,
)
from dialgauge.affect._words import (
    Words as Words,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.affect._adapt import (
    tagged_sentences as tagged_sentences,
)
from dialgauge.affect._describe import (
    SERIES as SERIES,
    affective as affective,
)
from dialgauge.affect._faithful import (
    segments as segments,
)
from dialgauge.affect._filter import (
    affective_pairs as affective_pairs,
)
from dialgauge.affect._lexicon import (
    OPINION_LEXICON as OPINION_LEXICON,
    fetch_opinion_lexicon as fetch_opinion_lexicon,
)
from dialgauge.affect._psent import (
    count_parts as count_parts,
    parts_of as parts_of,
    psent_by_each as psent_by_each,
)
from dialgauge.affect._specs import (
    DEFAULT as DEFAULT,
    TAGGERS as TAGGERS,
    parse_spec as parse_spec,
    path_of_spec as path_of_spec,
)
from dialgauge.affect._tagger import (
    LABELS as LABELS,
    NEGATIVE as NEGATIVE,
    NEUTRAL as NEUTRAL,
    POSITIVE as POSITIVE,
)
from dialgauge.affect._words import (
    MARK as MARK,
    WORD as WORD,
    split_words as split_words,
)
