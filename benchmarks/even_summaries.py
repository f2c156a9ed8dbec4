"""Which of the written summaries look alike whether they are right or wrong, so that only the conversation tells.

    python -m benchmarks.even_summaries

Writers of right summaries paraphrase more than writers of wrong ones, and some words are commoner on one side. A
classifier that knows only the words of a summary and how much of it is copied from the conversation finds that. From
each conversation those couples of a right and a wrong summary are kept that it does not tell apart; it is trained on
other conversations. Prints its area under the curve before and after, and writes ``written_errors/even.txt``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from benchmarks.written_errors import CONVERSATIONS, EVEN_FILE, unmarked

#: A wrong summary may look this much (in logits) less right than the right one of its couple.
_APART = 0.5
_FOLDS = 10


@dataclass(frozen=True, slots=True)
class _Row:
    key: str
    number: int
    text: str
    right: bool
    looks: tuple[float, ...]


def main() -> None:
    """Choose, print, write."""
    rows = [
        _Row(entry["id"], number, text, one["right"], _looks("\n".join(entry["dialogue"]), text))
        for entry in CONVERSATIONS.read()
        for number, one in enumerate(entry["summaries"], 1)
        for text in (unmarked(one["text"])[0],)
    ]
    for name, prefix in (("six summaries a conversation", "w"), ("eight", "v"), ("all", "")):
        mine = [row for row in rows if row.key.startswith(prefix)]
        print(f"{name}: {len(mine)} summaries, area {_area(mine, seen_right(mine)):.3f}")
    kept = _even(rows, seen_right(rows))
    print(f"even: {len(kept)} summaries, area {_area(kept, seen_right(kept)):.3f}")
    EVEN_FILE.write_text("".join(f"{row.key}/{row.number}\n" for row in kept), "utf-8")


def seen_right(rows: Sequence[_Row]) -> NDArray[np.float64]:
    """How right each summary looks to a classifier that was trained on other conversations."""
    right = np.array([row.right for row in rows])
    looks = np.array([row.looks for row in rows])
    looks = (looks - looks.mean(axis=0)) / (looks.std(axis=0) + 1e-9)
    found = np.zeros(len(rows))
    for learn, test in GroupKFold(_FOLDS).split(rows, right, [row.key for row in rows]):
        words = TfidfVectorizer(sublinear_tf=True, min_df=2, max_features=4000)
        first = words.fit_transform([rows[i].text for i in learn])
        second = words.transform([rows[i].text for i in test])
        model = LogisticRegression(C=2, max_iter=400)
        model.fit(hstack([first, csr_matrix(looks[learn] / 2)]).tocsr(), right[learn])
        found[test] = model.decision_function(hstack([second, csr_matrix(looks[test] / 2)]).tocsr())
    return found


def _looks(dialogue: str, text: str) -> tuple[float, ...]:
    """Shares of words, long words and pairs of words that are copied; length; numbers."""
    said, words = _words(dialogue), _words(text)
    known, pairs = set(said), set(pairwise(said))
    long = [word for word in words if len(word) > 3]
    return (
        float(np.mean([word in known for word in words])),
        float(np.mean([word in known for word in long])) if long else 0.0,
        float(np.mean([pair in pairs for pair in pairwise(words)])) if len(words) > 1 else 0.0,
        float(np.log1p(len(words))),
        float(sum(word.isdigit() for word in words)),
    )


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z']+|\d+", text.lower())


def _even(rows: Sequence[_Row], seen: NDArray[np.float64]) -> list[_Row]:
    """The right summaries that look most wrong, each beside a wrong one that looks most right."""
    conversations: dict[str, list[tuple[float, _Row]]] = {}
    for value, row in zip(seen.tolist(), rows, strict=True):
        conversations.setdefault(row.key, []).append((value, row))
    found = []
    for mine in conversations.values():
        right = sorted((one for one in mine if one[1].right), key=lambda one: one[0])
        wrong = sorted((one for one in mine if not one[1].right), key=lambda one: -one[0])
        for first, second in zip(right, wrong, strict=False):
            if second[0] - first[0] > -_APART:
                found += [first[1], second[1]]
    return found


def _area(rows: Sequence[_Row], seen: NDArray[np.float64]) -> float:
    return float(roc_auc_score([row.right for row in rows], seen))


if __name__ == "__main__":
    main()
