"""How a study grows: 4 rated dimensions, 1,000 resamples, CPU by stage.

    python -m benchmarks.study_growth 14x50 56x50 100x100 14x2000 14x50x80 14x50x40x12

Numbers are those of systems, dialogues, metrics (40 if not given, at most 90) and raters of each summary (3).
Texts and ratings are drawn with a seed: a summary keeps some words of its reference, and a rating follows how many.
"""

import json
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl

_SEED = 20_261_116
_WORDS, _DIALOGUE_WORDS, _VOCABULARY = 25, 120, 5_000
_RATERS, _DIMENSIONS = 3, ("relevance", "consistency", "fluency", "coherence")
#: Forty columns, none of which needs a model.
METRICS = (
    *(f"rouge-{kind}{part}" for kind in ("1", "2", "3", "l", "lsum") for part in ("", "-p", "-r")),
    *(f"bleu-{n}" for n in (1, 2, 3, 4)),
    *("chrf", "chrf++", "ter", "meteor"),
    *(f"rouge-{kind}@source" for kind in ("1", "2", "l", "1-p", "2-p", "l-p")),
    *("chrf@source", "length", "compression", "coverage", "density"),
    *(f"novel-{n}" for n in (1, 2, 3)),
    *("repetition-1", "repetition-2", "redundancy-l"),
)
#: More of them, of the same cost as one another.
_FURTHER = tuple(f"chrf:chars={chars},beta={beta}" for beta in range(3, 13) for chars in range(1, 6))


def write_study(folder: Path, systems: int, dialogues: int, metrics: int = len(METRICS), raters: int = _RATERS) -> Path:
    """A corpus of this size, and the study file that asks for everything about it."""
    rng = random.Random(_SEED)
    words = [f"w{number}" for number in range(_VOCABULARY)]
    skill = [0.2 + 0.6 * rng.random() for _ in range(systems)]
    lines = []
    for j in range(dialogues):
        source = rng.choices(words, k=_DIALOGUE_WORDS)
        reference = sorted(rng.sample(range(_DIALOGUE_WORDS), _WORDS))
        summaries, ratings = [{"system": "reference", "kind": "reference", "text": _text(source, reference)}], []
        for i in range(systems):
            kept = [place for place in reference if rng.random() < skill[i]]
            filled = [*(source[place] for place in kept), *rng.choices(words, k=rng.randint(1, _WORDS - len(kept) + 1))]
            summaries.append({"system": f"s{i:03d}", "kind": "system", "text": " ".join(filled)})
            for rater in range(raters):
                for dimension in _DIMENSIONS:
                    value = 1 + 4 * len(kept) / _WORDS + rng.gauss(0, 0.8)
                    row = {"system": f"s{i:03d}", "annotator": f"r{rater}", "dimension": dimension}
                    ratings.append({**row, "value": min(5, max(1, round(value)))})
        turns = [
            {"speaker": "AB"[part % 2], "text": " ".join(source[part * 12 : part * 12 + 12])} for part in range(10)
        ]
        lines.append({"id": f"d{j}", "turns": turns, "summaries": summaries, "ratings": ratings})
    corpus = folder / "corpus.jsonl"
    corpus.write_text("\n".join(map(json.dumps, lines)))
    study = folder / "study.toml"
    used = ", ".join(f'"{name}"' for name in (*METRICS, *_FURTHER)[:metrics])
    study.write_text(
        f'[study]\nname = "growth"\nseed = 1\n[corpus]\nsource = "{corpus}"\n[metrics]\nuse = [{used}]\n[report]\n'
    )
    return study


def _text(source: list[str], places: list[int]) -> str:
    return " ".join(source[place] for place in places)


def measure(*size: int) -> dict[str, float]:
    """CPU seconds of each stage, and of the whole command."""
    with tempfile.TemporaryDirectory(prefix="dialgauge-growth-") as place:
        folder = Path(place)
        study = write_study(folder, *size)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        code = "import sys; from dialgauge.cli import main; sys.argv[0] = 'dialgauge'; main()"
        command = [sys.executable, "-c", code, "run", str(study), "--output", str(folder / "run")]
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        stages = json.loads((folder / "run" / "manifest.json").read_text())["stages"]
    found = {name: float(entry["cpu_seconds"]) for name, entry in stages.items()}
    whole = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {**found, "all": whole, "peak MiB": float(max(entry["peak_memory_mib"] for entry in stages.values()))}


def main() -> None:
    """A column of seconds for each size that was asked for."""
    sizes = [tuple(int(part) for part in word.split("x")) for word in sys.argv[1:]] or [(14, 50), (56, 50)]
    table = {" × ".join(map(str, size)): measure(*size) for size in sizes}
    stages = list(dict.fromkeys(stage for column in table.values() for stage in column))
    frame = pl.DataFrame(
        {"stage": stages, **{size: [column.get(name) for name in stages] for size, column in table.items()}}
    )
    with pl.Config(tbl_rows=-1, tbl_cols=-1, float_precision=2):
        print(frame)


if __name__ == "__main__":
    main()
