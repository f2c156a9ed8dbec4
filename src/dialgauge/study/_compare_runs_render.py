"""A comparison of runs for programs and pull requests: JSON, Markdown, JUnit, and GitHub annotations."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

from dialgauge.study._compare_runs import RunComparison
from dialgauge.study._compare_runs_conditions import Checked
from dialgauge.study._compare_runs_tables import (
    change_table,
    changed_systems_table,
    condition_table,
    overlap_table,
    signature_table,
    verdict_change_table,
)
from dialgauge.tables import escape_markdown, render_table

#: What XML 1.0 cannot hold, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def comparison_json(comparison: RunComparison, checked: Sequence[Checked] = ()) -> dict[str, Any]:
    """The whole comparison as plain data."""
    overlap = comparison.overlap
    return {
        "runs": {
            side: {"folder": str(run.folder), "study": run.name, "dialgauge": run.version}
            for side, run in (("first", comparison.first), ("second", comparison.second))
        },
        "common": dict(overlap.common),
        "only_first": {kind: list(names) for kind, names in overlap.only_first.items()},
        "only_second": {kind: list(names) for kind, names in overlap.only_second.items()},
        "texts": {
            "same": overlap.texts_same,
            "changed": overlap.texts_changed,
            "references_changed": overlap.references_changed,
            "dialogues_changed": list(overlap.dialogues_changed),
        },
        "signatures": comparison.signatures.to_dicts(),
        "changes": comparison.changes.to_dicts(),
        "largest": comparison.largest.to_dicts(),
        "ranks": comparison.ranks.to_dicts(),
        "correlations": comparison.correlations.to_dicts(),
        "verdicts": comparison.verdicts.to_dicts(),
        "conditions": [
            {
                "condition": one.condition.text,
                "met": one.met,
                "looked_at": one.looked_at,
                "findings": [dict(row) for row in one.findings],
            }
            for one in checked
        ],
        "notes": list(comparison.notes),
        "settings": dict(comparison.settings),
    }


def change_line(row: Mapping[str, Any]) -> str:
    """A change as one line of text."""
    if row["difference"] is None:
        return "no value in both runs"
    text = f"{row['first']:.4g} → {row['second']:.4g} ({row['difference']:+.4g}"
    if row["low"] is not None:
        text += f", interval {row['low']:+.4g} to {row['high']:+.4g}"
    if row["p_corrected"] is not None:
        text += f", corrected p {row['p_corrected']:.2g}"
    return f"{text}): {row['verdict']}"


def comparison_markdown(comparison: RunComparison, checked: Sequence[Checked] = ()) -> str:
    """A page for a pull request: conditions, changes, and what only one run has."""
    first, second, overlap = comparison.first, comparison.second, comparison.overlap
    lines = [
        f"## {escape_markdown(second.name)} compared with {escape_markdown(first.name)}",
        "",
        f"{overlap.common['summaries']} summaries of {overlap.common['dialogues']} dialogues are in both runs; "
        f"{overlap.texts_changed} of them have a different text.",
        "",
    ]
    tables = (
        condition_table(checked, brief=True) if checked else None,
        change_table(comparison),
        changed_systems_table(comparison),
        verdict_change_table(comparison),
        None if comparison.signatures.is_empty() else signature_table(comparison),
        overlap_table(comparison, 10),
    )
    for table in tables:
        if table is not None:
            lines += [f"### {escape_markdown(table.title)}", "", render_table(replace(table, title=""), "markdown")]
    lines += [f"- {escape_markdown(text)}" for text in (*comparison.notes, method_line(comparison))]
    return "\n".join(lines) + "\n"


def method_line(comparison: RunComparison) -> str:
    """How the numbers were computed, in a sentence."""
    made = comparison.settings
    ways = 2 ** min(max(comparison.changes["dialogues"].drop_nulls().to_list(), default=0), 64)
    drawn = f"all {ways}" if ways <= made["permutations"] else f"{made['permutations']} random"
    return (
        f"difference = second − first on shared summaries; {made['confidence']:.0%} bootstrap interval over dialogues; "
        f"paired permutation test, {drawn} permutations, seed {made['seed']}; p corrected by "
        f"{made['correction']}, {made['alpha']:g} counts as significant"
    )


def junit_xml(comparison: RunComparison, checked: Sequence[Checked] = ()) -> str:
    """JUnit: a test case per condition and per metric and dimension. Those that meet a condition have failed."""
    root = ElementTree.Element("testsuites", name="dialgauge compare-runs")
    caught: dict[tuple[str, str], list[str]] = {}
    suite = ElementTree.SubElement(root, "testsuite", name="conditions")
    for one in checked:
        case = _case(suite, "conditions", one.condition.text)
        if one.met:
            _fail(case, one.condition.text, one.sentences)
        measured = [row for row in one.findings if row["kind"] in ("metric", "dimension")]
        for row, sentence in zip(measured, one.sentences, strict=False):
            caught.setdefault((row["kind"], row["name"]), []).append(f"{one.condition.text}: {sentence}")
    for kind in ("metric", "dimension"):
        suite = ElementTree.SubElement(root, "testsuite", name=f"{kind}s")
        rows = comparison.changes.filter(kind=kind)
        for (name,), part in rows.group_by("name", maintain_order=True):
            case = _case(suite, f"{kind}s", str(name))
            found = caught.get((kind, str(name)))
            if found:
                _fail(case, found[0], found)
            elif part["difference"].null_count() == part.height:
                ElementTree.SubElement(case, "skipped", message="no value in both runs for the same summary")
            text = "\n".join(f"{row['system']}: {change_line(row)}" for row in part.iter_rows(named=True))
            ElementTree.SubElement(case, "system-out").text = _xml(text)
    for suite in (*root, root):
        for attribute, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
            suite.set(attribute, str(sum(1 for _ in suite.iter(tag))))
        suite.set("errors", "0")
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _case(suite: ElementTree.Element, group: str, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname=f"dialgauge.{group}", name=_xml(name), time="0")


def _fail(case: ElementTree.Element, message: str, lines: Sequence[str]) -> None:
    failure = ElementTree.SubElement(case, "failure", message=_xml(message), type="regression")
    failure.text = _xml("\n".join(lines))


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


def github_annotations(comparison: RunComparison, checked: Sequence[Checked] = ()) -> list[str]:
    """Lines that GitHub Actions shows: an error for each condition that is met, a warning for what else got worse."""
    lines, told = [], set()
    for one in checked:
        if one.met:
            told |= {(row["kind"], row["name"]) for row in one.findings}
            lines.append(_annotation("error", one.condition.text, "\n".join(one.sentences)))
    for row in comparison.together.iter_rows(named=True):
        if row["verdict"] == "worse" and (row["kind"], row["name"]) not in told:
            lines.append(_annotation("warning", f"{row['name']} is worse", change_line(row)))
    for text in comparison.notes:
        lines.append(_annotation("notice", "dialgauge compare-runs", text))
    return lines


def _annotation(level: str, title: str, message: str) -> str:
    message = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    title = title.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    title = title.replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={title}::{message}"
