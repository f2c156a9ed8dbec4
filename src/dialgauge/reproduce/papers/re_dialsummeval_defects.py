"""Defects of the study, found by dialgauge's general checks. No rule is specific to this study."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from dialgauge.ratings import Finding, check_ratings, check_row_order, drift
from dialgauge.reproduce._print_checks import WrongStars, check_bold, repeated_names
from dialgauge.reproduce._printed import Defect, PrintedTable
from dialgauge.reproduce.papers.re_dialsummeval_data import Bundle

#: What the sets of ratings and the row orders are called in the report.
_NAMES = {
    "original": "original ratings",
    "reproduction": "reproduction ratings",
    "ablation": "ablation ratings",
    "upstream": "original ratings as first published",
    "ratings": "reproduction ratings",
    "metrics": "metric scores",
}

#: How many cells of a column are in bold face, by the captions of the tables.
_BOLD = {"1": 5, "2": 2}


def find_defects(
    bundle: Bundle, printed: Mapping[str, PrintedTable], wrong_stars: Mapping[str, Sequence[WrongStars]]
) -> list[Defect]:
    """Run every check over every table of the study and every printed table; the worst come first."""
    found = [*_row_orders(bundle), *_rating_sets(bundle), *_drift(bundle), *_prints(printed, wrong_stars)]
    return sorted(found, key=lambda defect: ("error", "warning", "note").index(defect.severity))


def _row_orders(bundle: Bundle) -> Iterator[Defect]:
    orders = {name: pl.DataFrame({"dialogue_id": order}) for name, order in bundle.orders.items()}
    for one, other in (("ratings", "metrics"), ("ratings", "ablation")):
        # That a part of the dialogues was rated again is the plan of an ablation, not a defect.
        shared = orders[one].join(orders[other], on="dialogue_id", how="semi", maintain_order="left")
        names = (_NAMES[one], _NAMES[other])
        yield from _defects("", check_row_order(shared, orders[other], names=names))


def _rating_sets(bundle: Bundle) -> Iterator[Defect]:
    """Each finding once: what is said of the summaries is the same for every set of ratings."""
    seen: set[tuple[str, str, str]] = set()
    for name, corpus in bundle.corpora.items():
        findings = list(check_ratings(corpus))
        new = [finding for finding in findings if (finding.check, finding.where, finding.message) not in seen]
        seen.update((finding.check, finding.where, finding.message) for finding in findings)
        yield from _defects(_NAMES[name], new)


def _defects(table: str, findings: Iterable[Finding]) -> Iterator[Defect]:
    for finding in findings:
        about_texts = "summary" in finding.check or "system" in finding.check
        if about_texts and finding.severity == "note":
            continue  # Systems that happen to write the same short summary are not a defect of a study.
        keys = tuple(map(str, finding.evidence.get("rows", ())))
        # A finding about single rows names them in its place; they are listed below it as keys.
        places = [table, "" if keys else finding.where] if table and not about_texts else [finding.where]
        where = ", ".join(filter(None, places))
        yield Defect(finding.check, finding.severity, where, finding.message, keys)


def _drift(bundle: Bundle) -> Iterator[Defect]:
    """Annotators of the reproduction, whose tool went through the dialogues in the order of the file."""
    drifting = drift(bundle.corpora["reproduction"].ratings, order=bundle.orders["ratings"]).drifting
    keys = tuple(
        f"annotator {row['annotator']}, {row['dimension']}: {row['change']:+.2f} (p = {row['adjusted_p']:.2g})"
        for row in drifting.iter_rows(named=True)
    )
    if keys:
        message = (
            "annotators drift relative to the others in the course of the work (first to last rating, linear trend)"
        )
        yield Defect("drift", "warning", _NAMES["reproduction"], message, keys)


def _prints(printed: Mapping[str, PrintedTable], wrong_stars: Mapping[str, Sequence[WrongStars]]) -> Iterator[Defect]:
    for name, wrong in wrong_stars.items():
        if wrong:
            message = f"{len(wrong)} cells do not have the stars of their p-values"
            yield Defect("stars", "error", f"Table {name}", message, tuple(map(str, wrong)))
    for name, best in _BOLD.items():
        bold = check_bold(printed[name], best)
        if bold:
            message = f"{len(bold)} cells contradict the caption: the {best} highest of a column are in bold face"
            yield Defect("bold", "error", f"Table {name}", message, tuple(map(str, bold)))
    for name, table in printed.items():
        for row in repeated_names(table):
            keys = [key for key, label in table.row_names.items() if label == row]
            message = f"the row name {row!r} is printed {len(keys)} times; by their numbers these are {', '.join(keys)}"
            yield Defect("repeated-name", "error", f"Table {name}", message)
