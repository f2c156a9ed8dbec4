from dialgauge.corpus._account import (
    Account as Account,
)
from dialgauge.corpus._corpus import (
    Corpus as Corpus,
    CorpusInfo as CorpusInfo,
    ratings_frame as ratings_frame,
)
from dialgauge.corpus._embedded import (
    embedded_corpus as embedded_corpus,
)
from dialgauge.corpus._inspection import (
    Inspection as Inspection,
    inspect_file as inspect_file,
)
from dialgauge.corpus._plan import (
    Column as Column,
)
from dialgauge.corpus._problems import (
    Problem as Problem,
)
from dialgauge.corpus._rating_files import (
    add_ratings as add_ratings,
    read_ratings as read_ratings,
)
from dialgauge.corpus._reading import (
    read_corpus as read_corpus,
)
from dialgauge.corpus._schema import (
    ANNOTATORS as ANNOTATORS,
    CHOICES as CHOICES,
    DIALOGUES as DIALOGUES,
    KEY as KEY,
    PREFERENCES as PREFERENCES,
    RATINGS as RATINGS,
    SPANS as SPANS,
    SUMMARIES as SUMMARIES,
)
from dialgauge.corpus._settings import (
    ReadingSettings as ReadingSettings,
)
from dialgauge.corpus._sources import (
    open_corpus as open_corpus,
)
from dialgauge.corpus._turns import (
    parse_turns as parse_turns,
)
from dialgauge.corpus._types import (
    ORIGINAL as ORIGINAL,
    OVERALL as OVERALL,
    Choice as Choice,
    Dialogue as Dialogue,
    Dimension as Dimension,
    Preference as Preference,
    Rating as Rating,
    Span as Span,
    Summary as Summary,
    Turn as Turn,
)
from dialgauge.corpus._writing import (
    write_corpus as write_corpus,
)
from dialgauge.corpus.catalogue._datasets import (
    DATASETS as DATASETS,
    get_dataset as get_dataset,
    read_dataset as read_dataset,
)
from dialgauge.corpus.catalogue._download import (
    fetch_dataset as fetch_dataset,
)
from dialgauge.corpus.catalogue._entry import (
    Dataset as Dataset,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.corpus._allowed import (
    too_much_left_out as too_much_left_out,
    what_to_do as what_to_do,
    with_allowance as with_allowance,
)
from dialgauge.corpus._checks import (
    check_rows as check_rows,
)
from dialgauge.corpus._columns import (
    make_plan as make_plan,
)
from dialgauge.corpus._corpus import (
    conform as conform,
    summaries_frame as summaries_frame,
)
from dialgauge.corpus._dimensions import (
    direction_by_name as direction_by_name,
)
from dialgauge.corpus._files import (
    read_text as read_text,
)
from dialgauge.corpus._mapping import (
    CONSTANT as CONSTANT,
    parse_mapping as parse_mapping,
)
from dialgauge.corpus._names import (
    USES as USES,
)
from dialgauge.corpus._peek import (
    peek as peek,
)
from dialgauge.corpus._problems import (
    count_by_reason as count_by_reason,
    raise_if_any as raise_if_any,
)
from dialgauge.corpus._schema import (
    CHOICE_KEY as CHOICE_KEY,
    PREFERENCE_KEY as PREFERENCE_KEY,
    RATING_KEY as RATING_KEY,
    SPAN_KEY as SPAN_KEY,
)
from dialgauge.corpus._sources import (
    EMBEDDED as EMBEDDED,
    source_files as source_files,
    source_folder as source_folder,
)
from dialgauge.corpus._types import (
    Direction as Direction,
    JudgementKind as JudgementKind,
)
from dialgauge.corpus._writing import (
    check_target as check_target,
)
