from dialgauge.models import (
    ChatUsage as ChatUsage,
)
from dialgauge.models import (
    TokenPrice as TokenPrice,
)
from dialgauge.summarize._attention import (
    AttentionMap as AttentionMap,
)
from dialgauge.summarize._attention import (
    attention_map as attention_map,
)
from dialgauge.summarize._attention_page import (
    AttentionShare as AttentionShare,
)
from dialgauge.summarize._attention_page import (
    attention_shares as attention_shares,
)
from dialgauge.summarize._attention_page import (
    render_attention as render_attention,
)
from dialgauge.summarize._chunks import (
    Chunks as Chunks,
)
from dialgauge.summarize._chunks import (
    chunk_turns as chunk_turns,
)
from dialgauge.summarize._finetune import (
    BEST_BY as BEST_BY,
)
from dialgauge.summarize._finetune import (
    Finetuned as Finetuned,
)
from dialgauge.summarize._finetune import (
    FinetuneSettings as FinetuneSettings,
)
from dialgauge.summarize._finetune import (
    finetune as finetune,
)
from dialgauge.summarize._finetune_sets import (
    SetsResult as SetsResult,
)
from dialgauge.summarize._finetune_sets import (
    SetsSettings as SetsSettings,
)
from dialgauge.summarize._finetune_sets import (
    finetune_sets as finetune_sets,
)
from dialgauge.summarize._finetune_sets import (
    read_summaries as read_summaries,
)
from dialgauge.summarize._finetune_sets import (
    save_table as save_table,
)
from dialgauge.summarize._finetune_table import (
    AffectDifference as AffectDifference,
)
from dialgauge.summarize._finetune_table import (
    AffectTable as AffectTable,
)
from dialgauge.summarize._finetune_table import (
    Preserved as Preserved,
)
from dialgauge.summarize._finetune_table import (
    TableRow as TableRow,
)
from dialgauge.summarize._finetune_table import (
    affect_scores as affect_scores,
)
from dialgauge.summarize._finetune_table import (
    affect_table as affect_table,
)
from dialgauge.summarize._finetune_table import (
    preserved as preserved,
)
from dialgauge.summarize._generate import (
    GenerationSettings as GenerationSettings,
)
from dialgauge.summarize._generate import (
    generate as generate,
)
from dialgauge.summarize._registry import (
    all_summarizers as all_summarizers,
)
from dialgauge.summarize._registry import (
    find_summarizer as find_summarizer,
)
from dialgauge.summarize._registry import (
    parse_request as parse_request,
)
from dialgauge.summarize._registry import (
    parse_requests as parse_requests,
)
from dialgauge.summarize._registry import (
    register as register,
)
from dialgauge.summarize._run import (
    Summarized as Summarized,
)
from dialgauge.summarize._run import (
    summarize as summarize,
)
from dialgauge.summarize._run import (
    summarize_dialogues as summarize_dialogues,
)
from dialgauge.summarize._run import (
    with_summaries as with_summaries,
)
from dialgauge.summarize._scratch import (
    ScratchModel as ScratchModel,
)
from dialgauge.summarize._scratch import (
    build_scratch as build_scratch,
)
from dialgauge.summarize._scratch import (
    is_scratch as is_scratch,
)
from dialgauge.summarize._seq2seq import (
    Reading as Reading,
)
from dialgauge.summarize._system import (
    Means as Means,
)
from dialgauge.summarize._system import (
    Outcome as Outcome,
)
from dialgauge.summarize._system import (
    Summarizer as Summarizer,
)
from dialgauge.summarize._system import (
    SummarizerRequest as SummarizerRequest,
)
from dialgauge.summarize._system import (
    Task as Task,
)
from dialgauge.summarize._training_sets import (
    SETS as SETS,
)
from dialgauge.summarize._training_sets import (
    Pair as Pair,
)
from dialgauge.summarize._training_sets import (
    Splits as Splits,
)
from dialgauge.summarize._training_sets import (
    TrainingSet as TrainingSet,
)
from dialgauge.summarize._training_sets import (
    reference_pairs as reference_pairs,
)
from dialgauge.summarize._training_sets import (
    split_corpus as split_corpus,
)
from dialgauge.summarize._training_sets import (
    training_sets as training_sets,
)
