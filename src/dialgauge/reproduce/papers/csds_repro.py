"""The reproduction study of role-oriented dialogue summaries (Gao, Ruan and Wan, 2023), recomputed.

Its per-sentence ratings were never published, so Tables 3 and 4 are computed from the printed Table 1, and Table 2 from
the claims that Table 1 can confirm. The automatic scores of the corpus, CSDS, are computed from the systems' outputs.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl

from dialgauge.errors import InputError
from dialgauge.progress import Progress
from dialgauge.reproduce._compare import Comparison, compare
from dialgauge.reproduce._conclusions import Claim, Conclusions, check_claims, claims_from
from dialgauge.reproduce._paper_figures import ranks_figure
from dialgauge.reproduce._papers import PAPERS, Paper
from dialgauge.reproduce._printed import (
    Cell,
    PaperCheck,
    PrintedTable,
    TableCheck,
    check_table,
    load_printed,
    read_published,
    study_folder,
)
from dialgauge.reproduce._studies import StudyResults, printed_results
from dialgauge.reproduce.papers.csds_scores import published_bleu, published_rouge
from dialgauge.reproduce.papers.json_lines import read_json_lines
from dialgauge.web import Figure

_PRINTED = "csds_repro.toml"
ORIGINAL = "Original"
SETTINGS = ("Repr1", "Repr2", "Repr3", "Repr4", "Repr5")
Values = dict[tuple[str, str], float | None]
_OUTPUTS = "csds_rouge/csds_baseline_outputs.jsonl.gz"


def recompute(data: str, progress: Progress) -> PaperCheck:
    """All tables; ``data`` is the folder of the CSDS bundle or the folder that holds it."""
    folder = study_folder(Path(data), "csds", [_OUTPUTS])
    tables = load_printed(_PRINTED)
    comparison = compare(printed_studies(tables["1"]))
    conclusions = check_claims(published_claims(), comparison.studies)
    scores = _automatic(folder / _OUTPUTS, progress)
    return PaperCheck(
        PAPER.name,
        PAPER.title,
        (
            _conclusions_table(conclusions),
            _cv_table(tables["3"], comparison),
            _spearman_table(tables["4"], comparison),
            check_table(tables["csds-rouge"], scores["csds-rouge"], near=_within(0.005, 3), text=_ROUGE_TEXT),
            check_table(tables["csds-bleu"], scores["csds-bleu"], near=_within(0.01, 6), text=_BLEU_TEXT),
        ),
        facts={"undetermined": _undetermined(comparison)},
        figures=_figures(tables["1"]),
    )


def _figures(table: PrintedTable) -> tuple[Figure, ...]:
    """How the systems rank in the original and in each setting, by the printed numbers."""
    names = (ORIGINAL, *SETTINGS)
    systems = list(dict.fromkeys(row.split(" / ")[1] for row in table.rows))
    figures = []
    for column in table.columns:
        cells = {system: [table.entries.get((f"{name} / {system}", column)) for name in names] for system in systems}
        values = {
            system: [float(cell.value) for cell in row if cell is not None]
            for system, row in cells.items()
            if None not in row
        }
        if values:
            figures.append(ranks_figure(f"Systems by {column.replace('/', ', ')}", names, values))
    return tuple(figures)


def printed_studies(table: PrintedTable) -> list[StudyResults]:
    """The printed Table 1 as six studies: the original, then the settings of the reproduction."""
    agreement: dict[str, float] = read_published(_PRINTED)["agreement"]
    studies = []
    for name in (ORIGINAL, *SETTINGS):
        rows = []
        for (row, column), printed in table.entries.items():
            study, system = row.split(" / ")
            dimension, role = column.split("/")
            if study == name:
                value = f"{printed.text}{'*' * printed.stars}"
                rows.append({"system": system, "dimension": dimension, "role": role, "value": value, "scale": "0-1"})
        reported = agreement["Original" if name == ORIGINAL else "Reproduction"]
        studies.append(printed_results(rows, name).with_agreement(reported, "cohen-kappa"))
    return studies


def published_claims() -> tuple[Claim, ...]:
    """The six conclusions of the original study as claims."""
    declared = read_published(_PRINTED)["conclusions"]
    kept = [{k: v for k, v in table.items() if k not in ("printed", "direction")} for table in declared]
    return claims_from(kept, _PRINTED)


def _cell_key(row: Mapping[str, Any]) -> tuple[str, str]:
    """Row and column of Table 3: the settings among themselves are its block "All"."""
    block = "All" if row["studies"] == "reproductions" else row["studies"].removeprefix(f"{ORIGINAL} vs ")
    return f"{block} / {row['system']}", f"{row['dimension']}/{row['role']}"


def _cv_table(table: PrintedTable, comparison: Comparison) -> TableCheck:
    rows = comparison.cells.filter(pl.col("studies") != "all studies").to_dicts()
    among = [row["low"] for row in rows if row["studies"] == "reproductions"]
    reach = [(row["high"] - row["low"]) / 2 for row in rows if row["studies"] != "reproductions"]
    return check_table(
        table,
        {_cell_key(row): row["cv_star"] for row in rows},
        intervals={_cell_key(row): (row["low"], row["high"]) for row in rows},
        text=f"Computed from the printed Table 1. Its rounding to two decimals moves the CV* of two studies by up to "
        f"±{fmean(reach):.1f} points on average (at most ±{max(reach):.1f}); among the settings, "
        f"{sum(low < 1e-9 for low in among)} of {len(among)} cells could as well be 0.",
    )


def _spearman_table(table: PrintedTable, comparison: Comparison) -> TableCheck:
    values, notes, ranges = {}, {}, {}
    for row in comparison.correlations.iter_rows(named=True):
        key = row["study"], f"{row['dimension']}/{row['role']}"
        values[key], ranges[key] = row["spearman"], (row["low"], row["high"])
        if row["open"]:
            notes[key] = "open: rounding decides even the sign" if row["sign_open"] else "open: rounding decides"
    counts = _undetermined(comparison)
    return check_table(
        table,
        values,
        notes=notes,
        intervals=ranges,
        text=f"Computed from the printed Table 1, whose equal numbers need not be equal before rounding: "
        f"{len(counts['open'])} of {len(values)} cells are not determined by what is printed, "
        f"{len(counts['sign_open'])} not even in sign.",
    )


def _undetermined(comparison: Comparison) -> dict[str, list[str]]:
    """The cells of Table 4 that the printed numbers do not determine."""
    return {
        column: [
            f"{row['study']} {row['dimension']}/{row['role']}"
            for row in comparison.correlations.filter(pl.col(column)).iter_rows(named=True)
        ]
        for column in ("open", "sign_open")
    }


def _conclusions_table(conclusions: Conclusions) -> TableCheck:
    """The verdict on each claim, and the direction in which its effect changed where the paper says so."""
    cells = []
    for claim, printed in zip(conclusions.claims, read_published(_PRINTED)["conclusions"], strict=True):
        rows = conclusions.frame.filter((pl.col("claim") == claim.id) & (pl.col("study") != ORIGINAL))
        verdict = conclusions.overall(claim.id)
        share = fmean(rows["holds"] / rows["parts"])
        note = f"{verdict}: {rows['holds'].sum()} of {rows['parts'].sum()} parts hold over the five settings"
        row = f"{claim.id}: {claim.text}"
        cells.append(
            Cell(
                row=row,
                column="verdict",
                printed=printed["printed"],
                value=float(printed["printed"] == "confirmed"),
                recomputed=share,
                matches=(verdict == "confirmed") == (printed["printed"] == "confirmed"),
                shown=verdict,
                note=note,
            )
        )
        if "direction" in printed:
            change = fmean(rows["change"])
            found = "better" if change > 0 else "worse"
            cells.append(
                Cell(
                    row=row,
                    column="direction",
                    printed=printed["direction"],
                    value=1.0 if printed["direction"] == "better" else -1.0,
                    recomputed=change,
                    matches=found == printed["direction"],
                    shown=found,
                    note=f"the mean difference changes by {change:+.3f} compared with the original",
                )
            )
    return TableCheck(
        "2",
        "the original's conclusions checked in the reproduction: verdict, and change of the effect",
        tuple(cells),
        text="Each conclusion is declared as a claim with a rule and checked in Table 1 in all five settings. The "
        "paper has no partial verdict: what we call partly confirmed (one side of the dialogue, not the other) it "
        "calls not confirmed. For conclusion 6 the declared rule asks for three of four parts, which is how the paper "
        "reads it.",
    )


_ROUGE_TEXT = (
    "ROUGE-1.5.5 on characters with its bootstrap mean, which it prints to three decimals in per cent; where the third "
    "is a 5, either rounding counts as printed."
)
_BLEU_TEXT = "BLEU of the corpus on characters; a cell counts as printed within 0.01."


def _automatic(path: Path, progress: Progress) -> dict[str, Values]:
    """ROUGE and BLEU of every system and role, by row and column of the published table."""
    outputs = read_json_lines(path)
    rouge: Values = {}
    bleu: Values = {}
    for done, output in enumerate(outputs):
        system, mode, predictions, references = (output[key] for key in ("system", "mode", "pred", "ref"))
        progress(f"{system} ({mode})", done, len(outputs))
        if len(predictions) != len(references):
            raise InputError(f"{path}: {system} ({mode}) has {len(predictions)} outputs, {len(references)} references")
        for name, value in published_rouge(predictions, references).items():
            rouge[system, f"{mode}/{name}"] = value
        bleu[system, mode] = published_bleu(predictions, references)
    return {"csds-rouge": rouge, "csds-bleu": bleu}


def _within(tolerance: float, places: int) -> Callable[[float, float], bool]:
    """Whether a value, rounded to the places that the program prints, is within this distance of the printed one."""
    return lambda value, printed: abs(round(value, places) - printed) <= tolerance + 1e-9


PAPER = Paper(
    "csds-repro",
    "A Reproduction Study of the Human Evaluation of Role-Oriented Dialogue Summarization Models",
    "the folder of the CSDS bundle (with the outputs of its systems), or its parent",
    _PRINTED,
    recompute,
)
PAPERS.add(PAPER)
