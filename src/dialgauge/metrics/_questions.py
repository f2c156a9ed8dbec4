"""Shared code of question-based metrics: phrases found by a parser, generated text, and answer overlap."""

import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dialgauge.errors import ModelError
from dialgauge.metrics._encoding import padded
from dialgauge.metrics._metric import Parameter
from dialgauge.metrics._readings import budget
from dialgauge.models import Model, load_parser, run_batched

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)

PARSER = Parameter(
    "embedded:spacy-en", (), "the spaCy pipeline that finds names and phrases: embedded:NAME or folder:/path"
)


def parse(texts: Sequence[str], parser: str) -> Iterator[Any]:
    """The documents (``spacy.tokens.Doc``) of these texts."""
    yield from load_parser(parser).pipe(texts)


def need_phrases(document: Any, parser: str) -> Any:
    """The document, if its parser finds dependencies: without them there are no noun phrases and no arcs."""
    if len(document) and not document.has_annotation("DEP"):
        raise ModelError(f"parser '{parser}' finds no dependencies; use a pipeline with a dependency parser")
    return document


def squad_words(text: str) -> list[str]:
    """The words of an answer as SQuAD compares them: lower case, without punctuation and articles."""
    return _ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split()


def word_f1(found: Sequence[str], wanted: Sequence[str]) -> float:
    """F1 of common words; 1 if both have none, 0 if one has none."""
    if not found or not wanted:
        return float(list(found) == list(wanted))
    common = sum((Counter(found) & Counter(wanted)).values())
    return 2 * common / (len(found) + len(wanted))


@dataclass(frozen=True, slots=True)
class Generated:
    """What a model wrote, the probability that a given token came first, and whether it saw the whole prompt."""

    text: str
    first: float
    cut: bool


def generate(
    model: Model, prompts: Sequence[str], limit: int, *, longest: int, watched: int = 0, **settings: Any
) -> dict[str, Generated]:
    """What the model writes for each distinct prompt, of which it reads ``limit`` tokens.

    Greedy unless ``settings`` (of transformers' ``generate``) say otherwise. ``watched`` is the token whose probability
    at the first step is kept; with beams it is that of the best beam's step.
    """
    distinct = list(dict.fromkeys(prompts))
    rows = [model.tokenizer(prompt, verbose=False)["input_ids"] for prompt in distinct]
    kept = [[*row[: limit - 1], row[-1]] if len(row) > limit else row for row in rows]

    def call(batch: list[list[int]]) -> list[tuple[str, float]]:
        ids, mask = padded(model, batch)
        written = model.module.generate(
            input_ids=ids,
            attention_mask=mask,
            do_sample=False,
            max_new_tokens=longest,
            output_logits=True,
            return_dict_in_generate=True,
            **{"num_beams": 1, **settings},
        )
        beams = settings.get("num_beams", 1)
        first = written.logits[0][::beams].double().softmax(-1)[:, watched].tolist()
        texts = model.tokenizer.batch_decode(written.sequences, skip_special_tokens=True)
        return [(text.strip(), share) for text, share in zip(texts, first, strict=True)]

    found = run_batched(kept, [len(row) + longest for row in kept], call, budget(model))
    return {
        prompt: Generated(text, share, len(row) > limit)
        for prompt, (text, share), row in zip(distinct, found, rows, strict=True)
    }


def encoder_limit(model: Model) -> int:
    """How many tokens the encoder reads: models with relative positions (T5) have no limit of their own, so 512."""
    return min(512, model.max_length)
