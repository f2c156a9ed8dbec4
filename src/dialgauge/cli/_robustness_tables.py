"""Output of ``dialgauge robustness``: the matrix of changes, trust cards, doses and correlations, or JSON."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import polars as pl

from dialgauge.cli._output import console, note, print_table
from dialgauge.corpus import KEY
from dialgauge.errors import counted
from dialgauge.tables import NOTHING, Cell, Part, estimate, estimate_cell, harmless, number

if TYPE_CHECKING:
    from dialgauge.report import RobustnessData

#: Marks of the verdicts in the matrix.
_MARKS = {
    "noticed": "✓",
    "faint": "~",
    "blind": "○",
    "wrong": "✗",
    "stable": "✓",
    "lowered": "✗",
    "raised": "✗",
    "unclear": "?",
}
#: The widest cell of the matrix: −12.3✓
_CELL = 6
#: Names are broken at hyphens only if a part would be wider than this.
_HEAD = 12
_HEADINGS = {
    "degrades": "should fall",
    "degrades-mildly": "should fall a little",
    "preserves": "should stay",
}


def print_robustness(data: "RobustnessData", *, with_texts: bool) -> None:
    """Print the tables, and notes about them on stderr."""
    _print_matrix(data)
    _print_cards(data, with_texts)
    _print_doses(data)
    _print_correlations(data)
    _print_notes(data)


def _print_matrix(data: "RobustnessData") -> None:
    cards = data.tables["cards"].filter(pl.col("dimension") == "overall", pl.col("direction") != "none")
    metrics = cards.sort("robustness", descending=True, nulls_last=True, maintain_order=True)["metric"].to_list()
    changes = {(row["metric"], row["perturbation"]): row for row in data.tables["changes"].iter_rows(named=True)}
    verdicts = data.tables["verdicts"].filter(pl.col("dimension") == "overall")
    said = {(row["metric"], row["perturbation"]): row["verdict"] for row in verdicts.iter_rows(named=True)}
    dividers = {expected: f"— {heading} —" for expected, heading in _HEADINGS.items()}
    used = (dividers[expected] for expected in verdicts["expected"].unique() if expected in dividers)
    names = ("perturbation", *verdicts["perturbation"], *used)
    for count, block in enumerate(_blocks(metrics, max(map(len, names)))):
        heads = [_fold(metric) for metric in block]
        rows: list[tuple[object, ...]] = []
        for expected, divider in dividers.items():
            labels = verdicts.filter(pl.col("expected") == expected)["perturbation"].unique(maintain_order=True)
            if labels.len():
                rows.append((divider, *("" for _ in block)))
            rows += [
                (label, *(_cell(changes[metric, label], said[metric, label]) for metric in block)) for label in labels
            ]
        title = "change under each perturbation" if not count else "change, continued"
        print_table(title, ("perturbation", *heads), rows, numeric=heads, compact=True)


def _blocks(metrics: list[str], names: int) -> Iterator[list[str]]:
    """Groups of metrics whose columns fit the screen next to names of this width."""
    block: list[str] = []
    edges, left = 2, 0
    for metric in metrics:
        width = 1 + max(_CELL, *map(len, _fold(metric).splitlines()))
        if block and width > left:
            yield block
            block = []
        left = (left if block else console.width - edges - names) - width
        block.append(metric)
    if block:
        yield block


def _fold(metric: str) -> str:
    """Split a name into lines: one each for the target and every parameter; long parts are broken at hyphens."""
    lines: list[str] = []
    for part in re.split(r"(?=[@:,])", metric):
        lines.append("")
        for piece in re.findall(r"[^-]*-?", part) if len(part) > _HEAD else [part]:
            if lines[-1] and len(lines[-1]) + len(piece) > _HEAD:
                lines.append("")
            lines[-1] += piece
    return "\n".join(lines)


def _cell(row: Mapping[str, Any], verdict: str | None) -> Cell:
    mark = "" if row["change"] is None else _MARKS.get(verdict or "", " ")
    return Cell((Part(_short(row["change"]) + mark, value=row["change"]),))


def _short(value: float | None) -> str:
    """At most five characters: −12.3, −1.23, −.07."""
    return number(value, 2 if value is None or abs(value) < 9.995 else 1, short=True)


def _print_cards(data: "RobustnessData", with_texts: bool) -> None:
    from dialgauge.report import card_sentences

    cards = data.tables["cards"].filter(pl.col("dimension") == "overall")
    texts = {row[:-1]: row[-1] for row in data.corpus.summaries.select(*KEY, "text").iter_rows()} if with_texts else {}
    console.print("trust cards", style="bold")
    for row in cards.sort("robustness", descending=True, nulls_last=True, maintain_order=True).iter_rows(named=True):
        if row["direction"] == "none":
            continue
        numbers = "   ".join(f"{name} {_estimate(row, name)}" for name in ("robustness", "sensitivity", "stability"))
        _say(f"{row['metric']}", style="bold")
        _say(f"  {numbers}")
        if row["reason"]:
            _say(f"  {row['reason']}")
        _say("  " + " ".join(card_sentences(data, row["metric"])))
        for failure in _failures(data, row["metric"]):
            _print_failure(failure)
            if with_texts:
                _print_texts(failure, texts)
        console.print()


def _print_failure(failure: Mapping[str, Any]) -> None:
    _say(
        f"  worst: {failure['variant']} of {failure['dialogue_id']} / {failure['system']}: "
        f"{failure['original_score']:.4g} → {failure['variant_score']:.4g} ({_short(failure['change'])})"
    )


def _print_texts(failure: Mapping[str, Any], texts: Mapping[tuple[str, ...], str]) -> None:
    key = tuple(failure[part] for part in KEY)
    parent = tuple("original" if part == "variant" else failure[part] for part in KEY)
    _say(f"    original:  {texts.get(parent, '(not in the corpus)')}")
    _say(f"    perturbed: {texts.get(key, '(not in the corpus)')}")


def _failures(data: "RobustnessData", metric: str) -> Iterator[Mapping[str, Any]]:
    return data.tables["failures"].filter(pl.col("metric") == metric).iter_rows(named=True)


def _say(text: str, style: str = "") -> None:
    from rich.padding import Padding
    from rich.text import Text

    indent = len(text) - len(text.lstrip())
    console.print(Padding(Text(harmless(text.lstrip()), style=style), (0, 0, 0, indent), expand=False))


def _estimate(row: Mapping[str, Any], name: str) -> str:
    return estimate(row[name], row[f"{name}_low"], row[f"{name}_high"], short=True)


def _print_doses(data: "RobustnessData") -> None:
    frame = data.tables["doses"]
    if frame.is_empty():
        return
    series = list(frame.select("series", "levels").unique(maintain_order=True).iter_rows())
    columns = [f"{name}\n{levels}" for name, levels in series]
    cells = {(row["metric"], row["series"]): row for row in frame.iter_rows(named=True)}
    rows = [(metric, *(_dose(cells[metric, name]) for name, _ in series)) for metric in dict.fromkeys(frame["metric"])]
    print_table("change per level, and share of levels in order", ("metric", *columns), rows, numeric=columns)


def _dose(row: Mapping[str, Any]) -> str:
    if row["slope"] is None:
        return NOTHING
    sure = row["slope_low"] is not None and (row["slope_low"] > 0 or row["slope_high"] < 0)
    return f"{_short(row['slope'])}{'*' if sure else ' '} {row['monotone']:.0%}".rjust(11)


def _print_correlations(data: "RobustnessData") -> None:
    if data.correlations is None:
        return
    frame = data.correlations
    sets = list(dict.fromkeys(frame["set"]))
    cells = {(row["metric"], row["dimension"], row["set"]): row for row in frame.iter_rows(named=True)}
    columns = [name if name == "original" else f"{name} − original" for name in sets]
    for dimension in dict.fromkeys(frame["dimension"]):
        rows = [
            (metric, *(_correlation(cells[metric, dimension, name]) for name in sets))
            for metric in dict.fromkeys(frame["metric"])
        ]
        title = f"{dimension}: mean correlation with the ratings"
        print_table(title, ("metric", *columns), rows, numeric=columns)
    note("mean of Pearson, Spearman and Kendall over all summaries, raw sign; [jackknife interval of the difference]")
    if data.corpus.info.ratings_origin == "constructed":
        note("the ratings of the originals were constructed by a program, not given by people")
    if frame["ratings"].str.contains("priors").any():
        note(
            "ratings of variants are published means of their perturbation (--priors), from another corpus: "
            "they differ between perturbations, never within one"
        )


def _correlation(row: Mapping[str, Any]) -> Cell:
    value = row["value"] if row["set"] == "original" else row["difference"]
    return estimate_cell(value, row["low"], row["high"], short=True)


def _print_notes(data: "RobustnessData") -> None:
    from dialgauge.metaeval import ANY_DIMENSION, count_kinds, too_few_kinds
    from dialgauge.report import passed_kinds, passed_sentence

    settings = data.settings
    note(
        f"{settings['items']} summaries of {settings['dialogues']} dialogues; changes in standard deviations between "
        f"{settings['spread']}, negative is worse; dimensions: {', '.join(settings['dimensions'])}"
    )
    note(
        f"✓ as expected; ~ falls by less than {settings['margin']:g}; ○ blind (within ±{settings['margin']:g}); "
        "✗ wrong direction, or changed although the meaning is preserved; ? undecided (sign and equivalence tests "
        "over dialogues, "
        f"Benjamini–Hochberg, {1 - settings['confidence']:.2g})"
    )
    note(
        "robustness: how often damage lowers a score by more than a rewrite of the same summary moves it (.5: it never "
        "changes); "
        "sensitivity: share of degraded versions that fall; stability: share of rewritten versions that stay"
    )
    if few := too_few_kinds(*count_kinds(data.tables["verdicts"], ANY_DIMENSION)):
        note(few)
    if not data.tables["doses"].is_empty():
        note(
            "within a summary: change per level, * interval excludes 0; share of pairs of levels where the higher "
            "scores lower"
        )
    note(passed_sentence(data, passed_kinds(data)) + " --json and -o have counts and reasons by kind.")
    if data.tables["unpaired"].height:
        note(f"skipped: {counted(data.tables['unpaired'].height, 'variant')} without the original summary")
    silent = data.tables["cards"].filter(pl.col("direction") == "none")["metric"].unique(maintain_order=True)
    if silent.len():
        note(f"no verdict for descriptive metrics and metrics of unknown direction: {', '.join(silent)}")


def as_json(data: "RobustnessData") -> dict[str, Any]:
    """The same results as one JSON document."""
    from dialgauge.report import passed_kinds

    return {
        "corpus": data.corpus.info.name,
        "settings": dict(data.settings),
        **{name: table.to_dicts() for name, table in data.tables.items()},
        "correlations": data.correlations.to_dicts() if data.correlations is not None else [],
        "kinds": [asdict(kind) for kind in passed_kinds(data)],
        "declined": data.declined.to_dicts() if data.declined is not None else [],
    }
