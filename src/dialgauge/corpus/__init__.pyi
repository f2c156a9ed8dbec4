from dialgauge.corpus._checks import (
    sift as sift,
)
from dialgauge.corpus._columns import (
    CONSTANT as CONSTANT,
)
from dialgauge.corpus._columns import (
    USES as USES,
)
from dialgauge.corpus._columns import (
    Column as Column,
)
from dialgauge.corpus._columns import (
    make_plan as make_plan,
)
from dialgauge.corpus._columns import (
    parse_mapping as parse_mapping,
)
from dialgauge.corpus._corpus import (
    Corpus as Corpus,
)
from dialgauge.corpus._corpus import (
    CorpusInfo as CorpusInfo,
)
from dialgauge.corpus._corpus import (
    conform as conform,
)
from dialgauge.corpus._corpus import (
    dialogues_frame as dialogues_frame,
)
from dialgauge.corpus._corpus import (
    ratings_frame as ratings_frame,
)
from dialgauge.corpus._corpus import (
    summaries_frame as summaries_frame,
)
from dialgauge.corpus._embedded import (
    embedded_corpus as embedded_corpus,
)
from dialgauge.corpus._files import (
    read_text as read_text,
)
from dialgauge.corpus._formats import (
    FORMATS as FORMATS,
)
from dialgauge.corpus._formats import (
    Format as Format,
)
from dialgauge.corpus._problems import (
    Problem as Problem,
)
from dialgauge.corpus._problems import (
    count_by_reason as count_by_reason,
)
from dialgauge.corpus._problems import (
    raise_if_any as raise_if_any,
)
from dialgauge.corpus._reading import (
    Inspection as Inspection,
)
from dialgauge.corpus._reading import (
    add_ratings as add_ratings,
)
from dialgauge.corpus._reading import (
    check_target as check_target,
)
from dialgauge.corpus._reading import (
    inspect_file as inspect_file,
)
from dialgauge.corpus._reading import (
    read_corpus as read_corpus,
)
from dialgauge.corpus._reading import (
    read_ratings as read_ratings,
)
from dialgauge.corpus._reading import (
    write_corpus as write_corpus,
)
from dialgauge.corpus._schema import (
    DIALOGUES as DIALOGUES,
)
from dialgauge.corpus._schema import (
    KEY as KEY,
)
from dialgauge.corpus._schema import (
    RATING_KEY as RATING_KEY,
)
from dialgauge.corpus._schema import (
    RATINGS as RATINGS,
)
from dialgauge.corpus._schema import (
    SUMMARIES as SUMMARIES,
)
from dialgauge.corpus._sources import (
    EMBEDDED as EMBEDDED,
)
from dialgauge.corpus._sources import (
    open_corpus as open_corpus,
)
from dialgauge.corpus._sources import (
    source_folder as source_folder,
)
from dialgauge.corpus._turns import (
    parse_turns as parse_turns,
)
from dialgauge.corpus._types import (
    ORIGINAL as ORIGINAL,
)
from dialgauge.corpus._types import (
    OVERALL as OVERALL,
)
from dialgauge.corpus._types import (
    Dialogue as Dialogue,
)
from dialgauge.corpus._types import (
    Rating as Rating,
)
from dialgauge.corpus._types import (
    Summary as Summary,
)
from dialgauge.corpus._types import (
    SummaryKind as SummaryKind,
)
from dialgauge.corpus._types import (
    Turn as Turn,
)
from dialgauge.corpus.catalogue import (
    DATASETS as DATASETS,
)
from dialgauge.corpus.catalogue import (
    Dataset as Dataset,
)
from dialgauge.corpus.catalogue import (
    fetch_dataset as fetch_dataset,
)
from dialgauge.corpus.catalogue import (
    get_dataset as get_dataset,
)
from dialgauge.corpus.catalogue import (
    read_dataset as read_dataset,
)
