"""What users read is plain English: the phrases that the style guide replaces do not come back."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
#: What not to write, and what to write instead.
INSTEAD = {
    r"h[eo]ld(ing)? (\S+ ){0,8}against": "compare with",
    r"\bso many\b(?! that)": "N, at most N",
    r"\b(goes|go|went|going) on (where|from|with|when|after|below)\b": "resume, continue",
    r"\bdearest\b": "slow, expensive",
    r"\baway with\b": "clear, remove",
    r"\bon purpose\b": "(say what is done)",
    r"\btold apart\b|\btell(s|ing)? (\S+ ){1,3}apart\b": "distinguish; significantly different",
    r"\bis no (run|file|folder|table|corpus|study|manifest|number|metric)\b": "is not a …",
    r"\bwhole or not at all\b": "writes are atomic",
    r"(?<!\w )\bOf the intervals\.": "Confidence level of the intervals.",
    # "feelings" alone is the name of a question of the explorer, as in ?question=feelings.
    r"\b(whether|where|of|their|with) feelings\b|\bfeelings (are|that|of|survive)\b": "sentiment, affect",
    r"\bhow many at a time\b": "number of parallel workers",
    r"\bfollows the ratings for certain\b": "significantly",
    r"\brun again, it\b": "rerun to resume",
    r"\btake in\b|\btaken in\b": "import",
    r"\banew\b": "again, new, resampled",
    r"\bmend (the|this|these|your|its)\b": "correct the file",
    r"\bno ground for\b": "do not … by",
    r"\bgiven beside it counts\b": "replaces it",
}
#: Names of functions that are metaphors or fragments.
NAMES = re.compile(r"\bdef (_?(add_doors|let_in|told|tell|but|sift|whole))\(")


def _texts() -> Iterator[tuple[str, str]]:
    """Pages, templates, and the strings of the code that are not docstrings: help, errors, notes, words of pages."""
    for path in sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]):
        yield path.name, path.read_text("utf-8")
    source = ROOT / "src" / "dialgauge"
    for path in sorted(path for path in source.rglob("*") if path.suffix in {".html", ".toml"}):
        # Texts that are data: dialogues, words, printed tables, templates of summaries.
        if not {"embedded", "lexicon", "papers", "exchanges.toml"} & set(path.parts):
            yield str(path.relative_to(source)), path.read_text("utf-8")
    for path in sorted(source.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        shown = " \n".join(
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
        yield str(path.relative_to(source)), shown


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return {name: " ".join(text.split()) for name, text in _texts()}


@pytest.mark.parametrize("phrase", INSTEAD)
def test_the_phrase_is_not_used(texts: dict[str, str], phrase: str) -> None:
    pattern = re.compile(phrase, re.IGNORECASE)
    found = [f"{name}: {hit[0]}" for name, text in texts.items() for hit in pattern.finditer(text)]
    assert found == [], f"write instead: {INSTEAD[phrase]}"


def test_names_say_what_functions_do() -> None:
    source = ROOT / "src" / "dialgauge"
    found = [
        f"{p.relative_to(source)}: {m[1]}" for p in source.rglob("*.py") for m in NAMES.finditer(p.read_text("utf-8"))
    ]
    assert found == []


def test_the_documentation_stays_short() -> None:
    words = {str(path.relative_to(ROOT)): len(path.read_text("utf-8").split()) for path in ROOT.glob("docs/**/*.md")}
    largest = sorted(words, key=words.__getitem__, reverse=True)[:5]
    assert sum(words.values()) < 40_500, f"say once and link; measured tables go to benchmarks/MEASURED.md: {largest}"
