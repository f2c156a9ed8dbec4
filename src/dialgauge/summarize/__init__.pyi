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
    chunk_turns as chunk_turns,
)
from dialgauge.summarize._finetune import (
    BEST_BY as BEST_BY,
    Finetuned as Finetuned,
    FinetuneSettings as FinetuneSettings,
    finetune as finetune,
)
from dialgauge.summarize._finetune_sets import (
    SetsResult as SetsResult,
    SetsSettings as SetsSettings,
    finetune_sets as finetune_sets,
    read_summaries as read_summaries,
    save_table as save_table,
)
from dialgauge.summarize._finetune_table import (
    AffectDifference as AffectDifference,
    AffectTable as AffectTable,
    Preserved as Preserved,
    TableRow as TableRow,
    affect_scores as affect_scores,
    affect_table as affect_table,
    preserved as preserved,
)
from dialgauge.summarize._generate import (
    GenerationSettings as GenerationSettings,
    generate as generate,
)
from dialgauge.summarize._registry import (
    SUMMARIZERS as SUMMARIZERS,
    all_summarizers as all_summarizers,
    find_summarizer as find_summarizer,
    parse_request as parse_request,
    parse_requests as parse_requests,
    register as register,
)
from dialgauge.summarize._run import (
    Summarized as Summarized,
    summarize as summarize,
    summarize_dialogues as summarize_dialogues,
    with_summaries as with_summaries,
)
from dialgauge.summarize._scratch import (
    ScratchModel as ScratchModel,
    build_scratch as build_scratch,
    is_scratch as is_scratch,
)
from dialgauge.summarize._seq2seq import (
    Reading as Reading,
)
from dialgauge.summarize._system import (
    Means as Means,
    Outcome as Outcome,
    Summarizer as Summarizer,
    SummarizerRequest as SummarizerRequest,
    Task as Task,
)
from dialgauge.summarize._training_sets import (
    SETS as SETS,
    Pair as Pair,
    Splits as Splits,
    TrainingSet as TrainingSet,
    reference_pairs as reference_pairs,
    split_corpus as split_corpus,
    training_sets as training_sets,
)
