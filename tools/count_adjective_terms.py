"""Count which adjectives and nouns belong together in dialogues: pairs that are a term or a set phrase.

    python tools/count_adjective_terms.py src/dialgauge/perturb/words/terms.txt dialogues.jsonl …

Each line of the input is an object with ``dialogue`` and ``summary``. Writes the pairs (adjective of our tables, next
word) that occur at least five times and more than 32 times as often as chance would have it. The perturbations leave
such adjectives alone.
"""

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from dialgauge.perturb._word_tables import _supersenses, substitutes, word_set

_LEAST, _INFORMATION = 5, 5.0
_CLAUSE, _WORD = re.compile(r"[.!?,;:\n\"()]"), re.compile(r"[a-z]+(?:'[a-z]+)?")


def terms(texts: Iterable[str]) -> list[str]:
    """The pairs, in alphabetical order."""
    adjectives = {*substitutes("synonyms"), *substitutes("antonyms"), *word_set("optional_adjectives")}
    adjectives -= word_set("needed_adjectives") | word_set("stopwords")
    nouns = _supersenses()
    words: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for text in texts:
        for clause in _CLAUSE.split(text.lower()):
            found = _WORD.findall(clause)
            words.update(found)
            pairs.update((a, b) for a, b in pairwise(found) if a in adjectives and b.rstrip("s") in nouns)
    total = words.total()
    return sorted(
        f"{a} {b}"
        for (a, b), count in pairs.items()
        if count >= _LEAST and math.log2(count * total / (words[a] * words[b])) > _INFORMATION
    )


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(f"usage: {sys.argv[0]} OUTPUT INPUT …")
    rows = (json.loads(line) for name in sys.argv[2:] for line in Path(name).read_text(encoding="utf-8").splitlines())
    found = terms(row.get(field, "") for row in rows for field in ("dialogue", "summary"))
    Path(sys.argv[1]).write_text("\n".join(found) + "\n", encoding="ascii")
    print(f"{len(found):,} terms")
