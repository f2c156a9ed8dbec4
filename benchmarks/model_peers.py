"""The published ways of computing metrics with models, written anew from their descriptions, to be measured beside.

Where the published package is installed, the suite takes that; these serve where it is not, or where there is none.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
#: From token ids and their mask to states.
Forward = Callable[[Any, Any], Any]
_BERT_BATCH = 64
_BART_BATCH = 4
_MOVER_BATCH = 256


def bert_score_loop(model: Any, forward: Forward, summaries: Sequence[str], references: Sequence[str]) -> FloatArray:
    """bert-score: distinct texts by length in batches of 64, states kept in main memory, matching in padded batches.

    ``forward`` gives the states of the layer that is compared (it leaves out the layers above, too). Gives precision,
    recall and F1 of each pair.
    """
    import torch

    texts = sorted(set(summaries) | set(references), key=lambda text: len(text.split(" ")), reverse=True)
    states: dict[str, Any] = {}
    for start in range(0, len(texts), _BERT_BATCH):
        batch = texts[start : start + _BERT_BATCH]
        encoded = model.tokenizer(
            [f" {text.strip()}" for text in batch], padding=True, truncation=True, return_tensors="pt"
        )
        encoded = encoded.to(model.device)
        with torch.no_grad():
            hidden = forward(encoded["input_ids"], encoded["attention_mask"]).cpu()
        for i, text in enumerate(batch):
            states[text] = hidden[i, : int(encoded["attention_mask"][i].sum())]
    found = []
    for start in range(0, len(summaries), _BERT_BATCH):
        window = slice(start, start + _BERT_BATCH)
        sides = [_padded([states[text] for text in some[window]], model.device) for some in (summaries, references)]
        found.append(_greedy(*sides[0], *sides[1]))
    return np.concatenate(found)


def _padded(states: list[Any], device: str) -> tuple[Any, Any, Any]:
    """States, the mask of real tokens, and the weights (special tokens have none)."""
    import torch

    filled = torch.nn.utils.rnn.pad_sequence(states, batch_first=True).to(device)
    lengths = torch.tensor([len(state) for state in states], device=device)
    places = torch.arange(filled.shape[1], device=device)[None]
    mask = places < lengths[:, None]
    weights = (mask & (places > 0) & (places < lengths[:, None] - 1)).to(filled.dtype)
    return torch.nn.functional.normalize(filled.float(), dim=-1), mask, weights / weights.sum(1, keepdim=True)


def _greedy(hyp: Any, hyp_mask: Any, hyp_weights: Any, ref: Any, ref_mask: Any, ref_weights: Any) -> FloatArray:
    import torch

    similar = torch.bmm(hyp, ref.transpose(1, 2)) * (hyp_mask[:, :, None] & ref_mask[:, None, :])
    precision = (similar.amax(2) * hyp_weights).sum(1)
    recall = (similar.amax(1) * ref_weights).sum(1)
    f1 = 2 * precision * recall / (precision + recall)
    values: FloatArray = torch.stack([precision, recall, f1], 1).cpu().numpy().astype(np.float64)
    return values


def bart_score_loop(model: Any, sources: Sequence[str], summaries: Sequence[str]) -> FloatArray:
    """BARTScore's repository: four pairs at a time, source and target through the whole model, all logits kept."""
    import torch

    log_softmax = torch.nn.LogSoftmax(dim=1)
    loss = torch.nn.NLLLoss(reduction="none", ignore_index=model.pad_id)
    found: list[float] = []
    for start in range(0, len(sources), _BART_BATCH):
        window = slice(start, start + _BART_BATCH)
        options: dict[str, Any] = {"padding": True, "truncation": True, "return_tensors": "pt"}
        with torch.no_grad():
            read = model.tokenizer(list(sources[window]), **options).to(model.device)
            written = model.tokenizer(list(summaries[window]), **options).to(model.device)
            labels = written["input_ids"]
            out = model.module(input_ids=read["input_ids"], attention_mask=read["attention_mask"], labels=labels)
            logits = out.logits.view(-1, model.config.vocab_size)
            each = loss(log_softmax(logits), labels.view(-1)).view(len(labels), -1)
            found += (-each.sum(1) / written["attention_mask"].sum(1)).tolist()
    return np.array(found)


def mover_score_loop(texts: Sequence[tuple[Any, FloatArray]], pairs: Sequence[tuple[int, int]]) -> FloatArray:
    """MoverScore 2: 256 pairs at a time, all tokens of both texts padded to the longest, pyemd on every whole matrix.

    ``texts`` holds the vectors and weights of all tokens; those that do not count are zero. In double precision, unlike
    the published program, which loses four digits where texts are nearly equal.
    """
    import torch
    from pyemd import emd_with_flow

    found = []
    for start in range(0, len(pairs), _MOVER_BATCH):
        batch = pairs[start : start + _MOVER_BATCH]
        padded, masses = [], []
        for side in (1, 0):
            chosen = [texts[pair[side]] for pair in batch]
            padded.append(
                torch.nn.utils.rnn.pad_sequence([vectors.double() for vectors, _ in chosen], batch_first=True)
            )
            width = padded[-1].shape[1]
            masses.append([np.pad(weights / weights.sum(), (0, width - len(weights))) for _, weights in chosen])
        both = torch.cat(padded, 1)
        both = both / (both.norm(dim=-1, keepdim=True) + 1e-30)
        distances = torch.cdist(both, both, compute_mode="donot_use_mm_for_euclid_dist").numpy()
        for first, second, matrix in zip(*masses, distances, strict=True):
            left = np.concatenate([first, np.zeros(len(second))])
            right = np.concatenate([np.zeros(len(first)), second])
            _, flow = emd_with_flow(left, right, matrix)
            found.append(1 / (1 + float((np.array(flow) * matrix).sum())))
    return np.array(found)


def vector_loop(
    table: Any, sentences: Callable[[str], list[str]], summaries: Sequence[str], references: Sequence[str]
) -> FloatArray:
    """nlg-eval: every pair by itself, its words found and looked up again, cosines by scikit-learn.

    ``sentences`` stands for nltk's splitter, whose data cannot be assumed to be here.
    """
    from nltk.tokenize import word_tokenize
    from sklearn.metrics.pairwise import cosine_similarity

    found = []
    for summary, reference in zip(summaries, references, strict=True):
        sides = []
        for text in (summary, reference):
            words = [word for line in sentences(text.lower()) for word in word_tokenize(line, preserve_line=True)]
            known = [table.matrix[table.rows[word]] for word in words if word in table.rows]
            sides.append(np.array(known, dtype=np.float64))
        hyp, ref = sides
        averages = [side.sum(0) / np.linalg.norm(side.sum(0)) for side in sides]
        extrema = [np.where(np.abs(side.min(0)) >= side.max(0), side.min(0), side.max(0)) for side in sides]
        greedy = [cosine_similarity(one, other).max(0).mean() for one, other in ((ref, hyp), (hyp, ref))]
        found.append(
            [
                cosine_similarity(averages[:1], averages[1:]).item(),
                cosine_similarity(extrema[:1], extrema[1:]).item(),
                sum(greedy) / 2,
            ]
        )
    return np.array(found)
