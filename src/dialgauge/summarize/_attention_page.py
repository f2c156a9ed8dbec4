"""Attention maps as one self-contained HTML page, models side by side, with the sentiment words marked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dialgauge.affect import LABELS, MARK, NEUTRAL, WORD, Tagger, Words, tag_texts
from dialgauge.errors import InputError, counted
from dialgauge.summarize._attention import AttentionMap, Weights
from dialgauge.web import environment, page

_TOP = 10


@dataclass(frozen=True, slots=True)
class AttentionShare:
    """How much attention the words of one label got, beside how many of the words of the dialogue they are.

    ``lift`` is the first over the second: above 1, they got more attention than their number alone would give.
    Punctuation and speaker tags are no words; both shares are of what words got.
    """

    label: str
    words: int
    word_share: float
    attention_share: float

    @property
    def lift(self) -> float | None:
        """Attention over number; None where there is no such word."""
        return self.attention_share / self.word_share if self.word_share else None


def attention_shares(mapped: AttentionMap, tagger: Tagger) -> tuple[AttentionShare, ...]:
    """The attention that negative, neutral and positive words of the dialogue got."""
    labels = _labels(mapped.dialogue, tagger, speakers=True)
    words = mapped.dialogue.kinds == WORD
    got = float(mapped.total[words].sum())
    shares = []
    for number, label in enumerate(LABELS):
        of_label = words & (labels == number)
        attention = float(mapped.total[of_label].sum()) / got if got else 0.0
        count = int(of_label.sum())
        shares.append(AttentionShare(label, count, count / max(1, int(words.sum())), attention))
    return tuple(shares)


def render_attention(
    maps: Sequence[AttentionMap], tagger: Tagger, *, title: str = "Attention", references: Sequence[str] = ()
) -> str:
    """The page: for each map the summary and the dialogue, shaded by attention, and the words that got most of it.

    It needs no network; without scripts it shows the attention of the whole summary, with them that of the word that
    the reader points to as well. Every text is escaped by the template engine.
    """
    if not maps:
        raise InputError("attention: no map was given")
    panels = [_panel(mapped, tagger) for mapped in maps]
    shown = {"title": title, "tagger": tagger.name, "references": list(references), "panels": panels}
    engine = environment(("dialgauge.summarize", "templates"))
    rows = {"rows": [panel["rows"] for panel in panels]}
    return page(engine, "attention.html", shown, scripts=["attention.js"], data=rows)


def _panel(mapped: AttentionMap, tagger: Tagger) -> dict[str, Any]:
    dialogue = _labels(mapped.dialogue, tagger, speakers=True)
    summary = _labels(mapped.summary, tagger, speakers=False)
    total = mapped.total
    # The strongest word of the whole summary is full ink; single words are shaded by their own strongest.
    return {
        "model": mapped.model,
        "layer": f"layer {mapped.layer} of {mapped.layers}, head {mapped.head} of {mapped.heads}",
        "lines": _lines(_parts(mapped.dialogue, dialogue, _strength(total), mapped.unread)),
        "summary": _parts(mapped.summary, summary, None),
        "rows": [_strength(row).tolist() for row in mapped.weights],
        "top": [(mapped.dialogue.tokens[i], _percent(total[i])) for i in _strongest(mapped, total)],
        "shares": attention_shares(mapped, tagger),
        "elsewhere": _percent(mapped.elsewhere),
        "most": _percent(total.max()),
        "unread": counted(mapped.unread, "word") if mapped.unread else "",
        "parts": mapped.parts,
    }


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _labels(words: Words, tagger: Tagger, *, speakers: bool) -> NDArray[np.int8]:
    [tagged] = tag_texts([words.text], tagger, speakers=speakers)
    return tagged.labels


def _strength(weights: Weights) -> NDArray[np.int64]:
    """In per cent of the strongest."""
    most = weights.max(initial=0.0)
    strength: NDArray[np.int64] = np.round(100 * weights / (most or 1)).astype(np.int64)
    return strength


def _strongest(mapped: AttentionMap, total: Weights) -> list[int]:
    words = [i for i in np.argsort(-total, kind="stable").tolist() if mapped.dialogue.kinds[i] == WORD]
    return words[:_TOP]


def _parts(
    words: Words, labels: NDArray[np.int8], strength: NDArray[np.int64] | None, unread: int = 0
) -> list[dict[str, Any]]:
    """The text, word by word, with what stands between words before each; the last ones were not read."""
    parts = []
    before = 0
    for number, (begin, end) in enumerate(words.spans.tolist()):
        label = int(labels[number])
        parts.append(
            {
                "gap": words.text[before:begin],
                "text": words.text[begin:end],
                "number": number,
                "word": int(words.kinds[number]) != MARK,
                "label": "" if label == NEUTRAL else LABELS[label],
                "unread": number >= len(words) - unread,
                "strength": 0 if strength is None else int(strength[number]),
            }
        )
        before = end
    return parts


def _lines(parts: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """A list of parts for each line of the text."""
    lines: list[list[dict[str, Any]]] = [[]]
    for part in parts:
        if "\n" in part["gap"] and lines[-1]:
            lines.append([])
            part = {**part, "gap": ""}
        lines[-1].append(part)
    return lines
