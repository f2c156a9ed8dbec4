"""Systems that write summaries, by name: extracts of the dialogue, sequence-to-sequence models, chat models."""

from dialgauge.models import ChatUsage, TokenPrice
from dialgauge.summarize._attention import AttentionMap, attention_map
from dialgauge.summarize._attention_page import AttentionShare, attention_shares, render_attention
from dialgauge.summarize._chunks import Chunks, chunk_turns
from dialgauge.summarize._finetune import BEST_BY, Finetuned, FinetuneSettings, finetune
from dialgauge.summarize._finetune_sets import (
    SetsResult,
    SetsSettings,
    finetune_sets,
    read_summaries,
    save_table,
)
from dialgauge.summarize._finetune_table import (
    AffectDifference,
    AffectTable,
    Preserved,
    TableRow,
    affect_scores,
    affect_table,
    preserved,
)
from dialgauge.summarize._generate import GenerationSettings, generate
from dialgauge.summarize._registry import (
    all_summarizers,
    find_summarizer,
    parse_request,
    parse_requests,
    register,
)
from dialgauge.summarize._run import Summarized, summarize, summarize_dialogues, with_summaries
from dialgauge.summarize._scratch import ScratchModel, build_scratch, is_scratch
from dialgauge.summarize._seq2seq import Reading
from dialgauge.summarize._system import Means, Outcome, Summarizer, SummarizerRequest, Task
from dialgauge.summarize._training_sets import (
    SETS,
    Pair,
    Splits,
    TrainingSet,
    reference_pairs,
    split_corpus,
    training_sets,
)

__all__ = [
    "BEST_BY",
    "SETS",
    "AffectDifference",
    "AffectTable",
    "AttentionMap",
    "AttentionShare",
    "ChatUsage",
    "Chunks",
    "FinetuneSettings",
    "Finetuned",
    "GenerationSettings",
    "Means",
    "Outcome",
    "Pair",
    "Preserved",
    "Reading",
    "ScratchModel",
    "SetsResult",
    "SetsSettings",
    "Splits",
    "Summarized",
    "Summarizer",
    "SummarizerRequest",
    "TableRow",
    "Task",
    "TokenPrice",
    "TrainingSet",
    "affect_scores",
    "affect_table",
    "all_summarizers",
    "attention_map",
    "attention_shares",
    "build_scratch",
    "chunk_turns",
    "find_summarizer",
    "finetune",
    "finetune_sets",
    "generate",
    "is_scratch",
    "parse_request",
    "parse_requests",
    "preserved",
    "read_summaries",
    "reference_pairs",
    "register",
    "render_attention",
    "save_table",
    "split_corpus",
    "summarize",
    "summarize_dialogues",
    "training_sets",
    "with_summaries",
]
