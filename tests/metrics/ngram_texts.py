"""What the tests of ROUGE, BLEU and chrF share: texts to try, the study's pairs, and the recorded ones."""

import json
from pathlib import Path

from hypothesis import strategies as st

KERNELS = ("c", "python")

PIECES = (  # noqa: SIM905 - a list literal of forty words is unreadable
    "the The cat cats running ran agreed flies 3.5 1,000.50 U.S. 10-20 well-known don't O'Neil (hi) x&y &amp; "
    "&lt;b&gt; &quot; <skipped> a.b ... ,, .5 5. ! ? — é Straße İstanbul K Σίσυφος 客户 订单 🎉 🇨🇭 😍 Ann's, Bob's. "
    "James' ’tis it’s “so” «oui» naïve café, e\u0301te\u0301 привет, العميل، नमस्ते ไทย ok?! (Ann's) 5% $3.50 a/b 👩‍👩‍👧"
).split()
SEPARATORS = (" ", " ", " ", "  ", "", "\n", "-\n", "\t", "\u00a0", "\u3000", ".\n", ", ")

#: Repeated words of few kinds, with odd separators, so that overlaps, ties and every tokeniser rule occur.
_built = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(SEPARATORS)), max_size=25).map(
    lambda parts: "".join(piece + separator for piece, separator in parts)
)
#: Few letters and many line breaks: common subsequences with many ties.
_tied = st.text(alphabet="abc \n", max_size=60).map(lambda text: " ".join(text))
texts = st.one_of(_built, _tied, st.text(max_size=40))


def study_pairs(data_dir: Path) -> dict[str, tuple[list[str], list[str]]]:
    """The summaries of the DialSummEval study with their references, and with their dialogues (a line per turn)."""
    folder = data_dir / "dialsummeval"
    dialogues = {
        row["dialogue_id"]: row for row in map(json.loads, (folder / "dialogues.jsonl").open(encoding="utf-8"))
    }
    rows = [json.loads(line) for line in (folder / "summaries.jsonl").open(encoding="utf-8")]
    summaries = [row["summary"] for row in rows]
    assert len(summaries) == 1400
    return {
        "reference": (summaries, [dialogues[row["dialogue_id"]]["reference"] for row in rows]),
        "source": (summaries, [dialogues[row["dialogue_id"]]["dialogue"].replace(" | ", "\n") for row in rows]),
    }


def golden(golden_dir: Path, name: str) -> tuple[list[str], list[str], list[dict]]:
    """Summaries, references and the recorded results of each."""
    results = json.loads((golden_dir / name).read_text(encoding="utf-8"))["results"]
    summaries, references, recorded = [], [], []
    for line in (golden_dir / "texts.jsonl").open(encoding="utf-8"):
        dialogue = json.loads(line)
        for system, summary in dialogue["systems"].items():
            summaries.append(summary)
            references.append(dialogue["reference"])
            recorded.append(results[f"{dialogue['id']}-{system}"])
    assert len(recorded) == 36
    return summaries, references, recorded
