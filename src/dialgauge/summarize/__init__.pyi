from dialgauge.models import (
    ChatUsage as ChatUsage,
    TokenPrice as TokenPrice,
)
from dialgauge.summarize._attention import (
    AttentionMap as AttentionMap,
    attention_map as attention_map,
)
from dialgauge.summarize._attention_page import (
    AttentionShare as AttentionShare,
    attention_shares as attention_shares,
    render_attention as render_attention,
)
from dialgauge.summarize._chunks import (
    Chunks as Chunks,
)
from dialgauge.summarize._finetune import (
    Finetuned as Finetuned,
    finetune as finetune,
)
from dialgauge.summarize._generate import (
    generate as generate,
)
from dialgauge.summarize._registry import (
    all_summarizers as all_summarizers,
    find_summarizer as find_summarizer,
    register as register,
)
from dialgauge.summarize._run import (
    Summarized as Summarized,
    summarize as summarize,
    summarize_dialogues as summarize_dialogues,
)
from dialgauge.summarize._scratch import (
    ScratchModel as ScratchModel,
    build_scratch as build_scratch,
)
from dialgauge.summarize._settings import (
    AttentionSettings as AttentionSettings,
    FinetuneSettings as FinetuneSettings,
    GenerationSettings as GenerationSettings,
    Reading as Reading,
    SetsSettings as SetsSettings,
    SummarizeSettings as SummarizeSettings,
)
from dialgauge.summarize._system import (
    Means as Means,
    Outcome as Outcome,
    Summarizer as Summarizer,
)
from dialgauge.summarize._training_sets import (
    Pair as Pair,
    TrainingSet as TrainingSet,
    reference_pairs as reference_pairs,
    training_sets as training_sets,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.summarize._finetune_sets import (
    SetsResult as SetsResult,
    finetune_sets as finetune_sets,
    read_summaries as read_summaries,
    save_table as save_table,
)
from dialgauge.summarize._finetune_table import (
    AffectDifference as AffectDifference,
    AffectTable as AffectTable,
    Preserved as Preserved,
    TableRow as TableRow,
    affect_table as affect_table,
)
from dialgauge.summarize._registry import (
    SUMMARIZERS as SUMMARIZERS,
    parse_request as parse_request,
    parse_requests as parse_requests,
)
from dialgauge.summarize._run import (
    with_summaries as with_summaries,
)
from dialgauge.summarize._scratch import (
    is_scratch as is_scratch,
)
from dialgauge.summarize._settings import (
    SETS as SETS,
)
from dialgauge.summarize._system import (
    SummarizerRequest as SummarizerRequest,
    Task as Task,
)
from dialgauge.summarize._training_sets import (
    Splits as Splits,
    hold_out as hold_out,
    split_corpus as split_corpus,
)
