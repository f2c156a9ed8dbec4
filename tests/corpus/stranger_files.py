"""Files in layouts that the importer was not made on, each with what an expert would expect of it.

Names of columns and keys follow published data sets, annotation tools, web forms and speech recognition; all texts are
made here. ``FILES`` writes each of them, ``EXPECTED`` says what must be read.
"""

import csv
import datetime
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import xlsxwriter

SYSTEMS, PEOPLE = ("alpha", "beta", "gamma"), ("w1", "w2", "w3")
CALLS = {
    f"C{n:02d}": f"Agent: Hello, this is desk {n}.\nCustomer: My order {n}00 has not come.\nAgent: I send it again."
    for n in range(1, 7)
}
TEXTS = {
    (d, s): f"The customer of {d} did not get the order. The desk sends it again, says {s}."
    for d in CALLS
    for s in SYSTEMS
}
RATED = [(d, s, p) for d in CALLS for s in SYSTEMS for p in PEOPLE]
WHOLE: dict[str, Any] = {"dialogues": 6, "summaries": 18, "systems": list(SYSTEMS)}
FILES: dict[str, Callable[[Path], object]] = {}
EXPECTED: dict[str, dict[str, Any]] = {}


def value(d: str, s: str, p: str, k: int = 0) -> int:
    """The rating of a summary on dimension k: every value of 1 to 5 occurs."""
    return (int(d[1:]) * 2 + len(s) + int(p[-1]) + k * 3) % 5 + 1


def place(d, s):
    a = TEXTS[d, s].index("order")
    return a, a + 5


def table(
    name: str,
    rows: list[list[Any]],
    expected: dict[str, Any],
    separator: str = ",",
    encoding: str = "utf-8",
    line_end: str = "\n",
) -> None:
    made = io.StringIO()
    csv.writer(made, delimiter=separator, lineterminator=line_end).writerows(rows)
    FILES[name] = lambda path: path.write_bytes(made.getvalue().encode(encoding))
    EXPECTED[name] = expected


def whole(name: str, content: Any, expected: dict[str, Any], lines: bool = False, gz: bool = False) -> None:
    text = "\n".join(map(json.dumps, content)) if lines else json.dumps(content, indent=1)
    FILES[name] = lambda path: path.write_bytes(gzip.compress(text.encode()) if gz else text.encode())
    EXPECTED[name] = expected


def workbook(name: str, fill: Callable[[Any], None], expected: dict[str, Any]) -> None:
    def write(path: Path) -> None:
        book = xlsxwriter.Workbook(str(path))
        fill(book)
        book.close()

    FILES[name] = write
    EXPECTED[name] = expected


def parquet(name: str, rows: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    FILES[name] = lambda path: pl.DataFrame(rows).write_parquet(path)
    EXPECTED[name] = expected


SPANISH = ["Totalmente en desacuerdo", "En desacuerdo", "Neutral", "De acuerdo", "Totalmente de acuerdo"]

table(
    "01_es.csv",
    [
        [
            "Marca temporal",
            "Evaluador",
            "ID de llamada",
            "Transcripción",
            "Modelo",
            "Resumen",
            "El resumen es coherente",
            "El resumen es fluido",
            "Comentarios",
        ],
        *[
            [
                f"14/11/2026 10:{i:02d}:00",
                p,
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                SPANISH[value(d, s, p) - 1],
                SPANISH[value(d, s, p, 1) - 1],
                "está bien" if i % 3 == 0 else "",
            ]
            for i, (d, s, p) in enumerate(RATED)
        ],
    ],
    WHOLE | {"given": 108, "annotators": 3, "ndims": 2, "kinds": ["ordinal"], "comments": 18},
    separator=";",
    encoding="cp1252",
    line_end="\r\n",
)

table(
    "02_utf16.tsv",
    [
        [
            "Ticket Number",
            "Chat Log",
            "Bot Version",
            "Bot Summary",
            "QA Analyst",
            "Accuracy Score (%)",
            "Completeness Score (%)",
            "QA Notes",
            "Reviewed On",
        ],
        *[
            [
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                p,
                f"{value(d, s, p) * 20}%",
                f"{value(d, s, p, 1) * 20 - 5}%",
                "ok" if i % 2 else "",
                f"11/{13 + i % 10}/2026 3:{i:02d} PM",
            ]
            for i, (d, s, p) in enumerate(RATED)
        ],
    ],
    WHOLE
    | {
        "given": 108,
        "annotators": 3,
        "ndims": 2,
        "values": [("C01", "alpha", "w1", 0, value("C01", "alpha", "w1") * 20)],
        "comments": 27,
        "times": 54,
    },
    separator="\t",
    encoding="utf-16",
)

FRENCH = [
    "Pas du tout d'accord",
    "Plutôt pas d'accord",
    "Ni d'accord ni pas d'accord",
    "Plutôt d'accord",
    "Tout à fait d'accord",
]

table(
    "03_fr.csv",
    [
        ["N° de l'appel", "Dialogue", "Système", "Résumé généré", "Évaluateur", "Fidélité", "Clarté", "Date"],
        *[
            [
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                p,
                FRENCH[value(d, s, p) - 1],
                FRENCH[value(d, s, p, 1) - 1],
                f"14.11.2026 15:{i:02d}",
            ]
            for i, (d, s, p) in enumerate(RATED)
        ],
    ],
    WHOLE | {"given": 108, "annotators": 3, "ndims": 2, "kinds": ["ordinal"], "times": 54},
    separator="|",
    encoding="cp1252",
)


def m4(b):
    w = b.add_worksheet("Scores")
    f = b.add_format()
    w.merge_range(0, 0, 1, 0, "Call", f)
    w.merge_range(0, 1, 1, 1, "Transcript", f)
    w.merge_range(0, 2, 1, 2, "Rater", f)
    for k, s in enumerate(SYSTEMS):
        w.merge_range(0, 3 + 3 * k, 0, 5 + 3 * k, s, f)
        for j, h in enumerate(("Summary", "Coherence", "Fluency")):
            w.write(1, 3 + 3 * k + j, h)
    r = 2
    for d in CALLS:
        for p in PEOPLE:
            w.write_row(r, 0, [d, CALLS[d], p])
            for k, s in enumerate(SYSTEMS):
                w.write_row(r, 3 + 3 * k, [TEXTS[d, s], value(d, s, p), value(d, s, p, 1)])
            r += 1


workbook(
    "04_merged.xlsx",
    m4,
    WHOLE
    | {
        "given": 108,
        "annotators": 3,
        "dims": ["coherence", "fluency"],
        "values": [("C02", "beta", "w2", "coherence", value("C02", "beta", "w2"))],
    },
)

SIDES = ["left", "right", "both", "neither"]

table(
    "08_leftright.csv",
    [
        [
            "conv_id",
            "conversation",
            "left_model",
            "left_summary",
            "right_model",
            "right_summary",
            "worker_id",
            "preference",
            "reason",
        ],
        *[
            [
                d,
                CALLS[d],
                "alpha",
                TEXTS[d, "alpha"],
                "beta",
                TEXTS[d, "beta"],
                p,
                SIDES[(i + int(d[1:])) % 4],
                "because" if i == 0 else "",
            ]
            for d in CALLS
            for i, p in enumerate(PEOPLE)
        ],
    ],
    {
        "dialogues": 6,
        "summaries": 12,
        "systems": ["alpha", "beta"],
        "preferences": 18,
        "ties": sum(SIDES[(i + int(d[1:])) % 4] in ("both", "neither") for d in CALLS for i in range(3)),
        "annotators": 3,
        "given": 0,
        "pcomments": 6,
    },
)

COMPARED = ["A is much better", "A is slightly better", "About the same", "B is slightly better", "B is much better"]

table(
    "09_fivepoint.csv",
    [
        [
            "dialogue_id",
            "dialogue",
            "model_A",
            "summary_A",
            "model_B",
            "summary_B",
            "annotator",
            "Which summary is better?",
        ],
        *[
            [d, CALLS[d], "alpha", TEXTS[d, "alpha"], "beta", TEXTS[d, "beta"], p, COMPARED[value(d, "x", p) - 1]]
            for d in CALLS
            for p in PEOPLE
        ],
    ],
    {
        "dialogues": 6,
        "summaries": 12,
        "systems": ["alpha", "beta"],
        "preferences": 18,
        "ties": sum(value(d, "x", p) == 3 for d in CALLS for p in PEOPLE),
        "strengths": 2,
        "annotators": 3,
        "given": 0,
    },
)

table(
    "10_bws_long.csv",
    [
        ["annotator", "trial_id", "call_id", "dialogue", "system", "summary", "best", "worst"],
        *[
            [
                p,
                f"t{d}{p}",
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                int(k == (int(d[1:]) + int(p[1:])) % 3),
                int(k == (int(d[1:]) + int(p[1:]) + 1) % 3),
            ]
            for d in CALLS
            for p in PEOPLE
            for k, s in enumerate(SYSTEMS)
        ],
    ],
    WHOLE | {"choices": 18, "annotators": 3, "given": 0},
)

table(
    "11_bws_items.csv",
    [
        [
            "call_id",
            "dialogue",
            "Item1",
            "Item2",
            "Item3",
            "Item1_model",
            "Item2_model",
            "Item3_model",
            "BestItem",
            "WorstItem",
            "worker",
        ],
        *[
            [
                d,
                CALLS[d],
                TEXTS[d, "alpha"],
                TEXTS[d, "beta"],
                TEXTS[d, "gamma"],
                *SYSTEMS,
                TEXTS[d, SYSTEMS[(i) % 3]],
                TEXTS[d, SYSTEMS[(i + 1) % 3]],
                p,
            ]
            for d in CALLS
            for i, p in enumerate(PEOPLE)
        ],
    ],
    WHOLE | {"choices": 18, "annotators": 3, "given": 0},
)

table(
    "12_ranks.csv",
    [
        ["call_id", "dialogue", "system", "summary", "rater", "rank"],
        *[
            [d, CALLS[d], s, TEXTS[d, s], p, (k + int(p[1:])) % 3 + 1]
            for d in CALLS
            for p in PEOPLE
            for k, s in enumerate(SYSTEMS)
        ],
    ],
    WHOLE | {"given": 54, "annotators": 3, "dims": ["rank"], "direction": ("rank", "lower")},
)

table(
    "14_spantext.csv",
    [
        ["call_id", "transcript", "system", "summary", "annotator", "error_span", "error_type", "severity"],
        *[
            [
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                p,
                "the order" if value(d, s, p) > 2 else "",
                "Entity error" if value(d, s, p) > 2 else "",
                "Minor" if value(d, s, p) > 2 else "",
            ]
            for d, s, p in RATED
        ],
    ],
    WHOLE | {"spans": sum(value(*x) > 2 for x in RATED), "passes": 54, "annotators": 3, "given": 0},
)

table(
    "15_xsumhall.csv",
    [
        [
            "bbcid",
            "system",
            "summary",
            "hallucination_type",
            "hallucinated_span",
            "hallucinated_span_start",
            "hallucinated_span_end",
            "worker_id",
        ],
        *[
            [
                10000 + int(d[1:]),
                s,
                TEXTS[d, s],
                "extrinsic" if value(d, s, p) > 2 else "NULL",
                "the order" if value(d, s, p) > 2 else "NULL",
                TEXTS[d, s].index("the order") if value(d, s, p) > 2 else "NULL",
                TEXTS[d, s].index("the order") + 9 if value(d, s, p) > 2 else "NULL",
                f"wid_{p}",
            ]
            for d, s, p in RATED
        ],
    ],
    {
        "dialogues": 6,
        "summaries": 18,
        "systems": list(SYSTEMS),
        "spans": sum(value(*x) > 2 for x in RATED),
        "passes": 54,
        "annotators": 3,
        "given": 0,
        "ids": ["10001"],
    },
)

table(
    "16_xsumfact.csv",
    [
        ["bbcid", "system", "summary", "is_factual", "worker_id"],
        *[
            [10000 + int(d[1:]), s, TEXTS[d, s], ["yes", "no", "NULL"][value(d, s, p) % 3], f"wid_{p}"]
            for d, s, p in RATED
        ],
    ],
    {
        "dialogues": 6,
        "summaries": 18,
        "systems": list(SYSTEMS),
        "given": sum(value(*x) % 3 != 2 for x in RATED),
        "annotators": 3,
        "ndims": 1,
        "kinds": ["binary"],
    },
)

table(
    "18_seahorse.tsv",
    [
        ["gem_id", "worker_lang", "summary", "model", *[f"question{i}" for i in range(1, 7)]],
        *[
            [
                f"xsum_en-validation-{d}",
                "en-US",
                TEXTS[d, s],
                s,
                *[["Yes", "No", "Unsure"][(int(d[1:]) + i + len(s)) % 3] for i in range(6)],
            ]
            for d, s in TEXTS
        ],
    ],
    {
        "dialogues": 6,
        "summaries": 18,
        "systems": list(SYSTEMS),
        "ndims": 6,
        "kinds": ["binary"],
        "given": sum((int(d[1:]) + i + len(s)) % 3 != 2 for d, s in TEXTS for i in range(6)),
    },
    separator="\t",
)

table(
    "19_newsroom.csv",
    [
        [
            "ArticleID",
            "System",
            "ArticleText",
            "SystemSummary",
            "ArticleTitle",
            "CoherenceRating",
            "FluencyRating",
            "InformativenessRating",
            "RelevanceRating",
        ],
        *[
            [
                d,
                s,
                CALLS[d],
                TEXTS[d, s],
                "title",
                value(d, s, p),
                value(d, s, p, 1),
                value(d, s, p, 2),
                value(d, s, p, 3),
            ]
            for d, s, p in RATED
        ],
    ],
    WHOLE | {"given": 216, "annotators": 3, "ndims": 4},
)

table(
    "20_hanna.csv",
    [
        [
            "Story ID",
            "Prompt",
            "Human",
            "Story",
            "Model",
            "Relevance",
            "Coherence",
            "Empathy",
            "Surprise",
            "Worker ID",
            "Assignment ID",
            "Work time in seconds",
            "Name",
        ],
        *[
            [
                int(d[1:]),
                CALLS[d],
                "a human text about it here",
                TEXTS[d, s],
                s,
                value(d, s, p),
                value(d, s, p, 1),
                value(d, s, p, 2),
                value(d, s, p, 3),
                p,
                f"A{i}",
                30 + i,
                "n",
            ]
            for i, (d, s, p) in enumerate(RATED)
        ],
    ],
    {"dialogues": 6, "given": 216, "annotators": 3, "dims": ["coherence", "empathy", "relevance", "surprise"]},
)

table(
    "24_aggrefact.csv",
    [
        [
            "dataset",
            "origin",
            "id",
            "doc",
            "summary",
            "model_name",
            "label",
            "cut",
            "DAE_score",
            "DAE_label",
            "QuestEval_score",
            "QuestEval_label",
        ],
        *[
            [
                "XSumFaith",
                "xsum",
                d,
                CALLS[d],
                TEXTS[d, s],
                s,
                value(d, s, "w1") % 2,
                "test",
                0.5 + len(s) / 100,
                1,
                0.123 * len(s),
                0,
            ]
            for d, s in TEXTS
        ],
    ],
    WHOLE | {"given": 18, "ndims": 1, "kinds": ["binary"]},
)

table(
    "25_faceval.csv",
    [
        ["", "DocID", "Dialogue", "Model", "Summary", "SubObjE", "ProE", "NegE", "ParE", "HalE", "OtherE", "w/ Error"],
        *[
            [
                i,
                13809000 + int(d[1:]),
                CALLS[d],
                s,
                TEXTS[d, s],
                *["yes" if value(d, s, "w1", k) > 4 else "no" for k in range(6)],
                "yes" if any(value(d, s, "w1", k) > 4 for k in range(6)) else "no",
            ]
            for i, (d, s) in enumerate(TEXTS)
        ],
    ],
    {"dialogues": 6, "summaries": 18, "systems": list(SYSTEMS), "given": 126, "ndims": 7, "kinds": ["binary"]},
)

table(
    "26_llmaggrefact.csv",
    [
        ["dataset", "doc", "claim", "label", "contamination_identifier"],
        *[["TofuEval-MediaS", CALLS[d], TEXTS[d, s], value(d, s, "w1") % 2, f"x{d}{s}"] for d, s in TEXTS],
    ],
    {"dialogues": 6, "summaries": 18, "given": 18, "ndims": 1, "kinds": ["binary"]},
)


def m29(b):
    w = b.add_worksheet("Form1")
    f = b.add_format({"num_format": "m/d/yy h:mm:ss"})
    w.write_row(
        0,
        0,
        [
            "ID",
            "Start time",
            "Completion time",
            "Email",
            "Name",
            "Call ID",
            "Transcript",
            "Model",
            "Summary",
            "The summary is coherent.",
            "The summary is fluent.",
            "Any other comments?",
        ],
    )
    A = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]
    for i, (d, s, p) in enumerate(RATED):
        w.write(i + 1, 0, i + 1)
        w.write_datetime(i + 1, 1, datetime.datetime(2026, 11, 14, 9, 0), f)
        w.write_datetime(i + 1, 2, datetime.datetime(2026, 11, 14, 9, 5), f)
        w.write_row(
            i + 1,
            3,
            [
                f"{p}@x.org",
                p.upper(),
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                A[value(d, s, p) - 1],
                A[value(d, s, p, 1) - 1],
                "hm" if i % 9 == 0 else "",
            ],
        )


workbook(
    "29_msforms.xlsx",
    m29,
    WHOLE | {"given": 108, "annotators": 3, "ndims": 2, "kinds": ["ordinal"], "comments": 6, "times": 54},
)

table(
    "30_cells.csv",
    [
        ["call_id", "transcript", "model", "summary", "annotator", "ratings"],
        *[
            [d, CALLS[d], s, TEXTS[d, s], p, str({"coherence": value(d, s, p), "fluency": value(d, s, p, 1)})]
            for d, s, p in RATED
        ],
    ],
    WHOLE | {"given": 108, "annotators": 3, "dims": ["coherence", "fluency"]},
)

table(
    "31_lists.csv",
    [
        ["call_id", "transcript", "model", "summary", "coherence", "fluency"],
        *[
            [
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                str([value(d, s, p) for p in PEOPLE]),
                str([value(d, s, p, 1) for p in PEOPLE]),
            ]
            for d, s in TEXTS
        ],
    ],
    WHOLE | {"given": 108, "annotators": 3, "dims": ["coherence", "fluency"]},
)

table(
    "33_wide_comments.csv",
    [
        ["call_id", "transcript", "model", "summary"]
        + [f"{p}_{h}" for p in PEOPLE for h in ("coherence", "fluency", "comment")],
        *[
            [
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                *[
                    x
                    for p in PEOPLE
                    for x in (value(d, s, p), value(d, s, p, 1), f"note by {p}" if value(d, s, p) == 1 else "")
                ],
            ]
            for d, s in TEXTS
        ],
    ],
    WHOLE
    | {"given": 108, "annotators": 3, "dims": ["coherence", "fluency"], "comments": sum(value(*x) == 1 for x in RATED)},
)

table(
    "34_comment_dim.csv",
    [
        [
            "call_id",
            "transcript",
            "model",
            "summary",
            "annotator",
            "coherence",
            "coherence_comment",
            "fluency",
            "fluency_comment",
        ],
        *[
            [
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                p,
                value(d, s, p),
                "why" if value(d, s, p) == 2 else "",
                value(d, s, p, 1),
                "",
            ]
            for d, s, p in RATED
        ],
    ],
    WHOLE
    | {"given": 108, "annotators": 3, "dims": ["coherence", "fluency"], "comments": sum(value(*x) == 2 for x in RATED)},
)

CHINESE = ["非常不同意", "不同意", "一般", "同意", "非常同意"]

table(
    "37_zh.csv",
    [
        ["对话编号", "对话", "模型", "摘要", "评分员", "连贯性", "流畅性"],
        *[[d, CALLS[d], s, TEXTS[d, s], p, CHINESE[value(d, s, p) - 1], value(d, s, p, 1)] for d, s, p in RATED],
    ],
    WHOLE | {"given": 108, "annotators": 3, "ndims": 2},
    encoding="utf-8-sig",
)

table(
    "38_signed.csv",
    [
        ["dialogue_id", "dialogue", "summary_a", "summary_b", "annotator", "preference"],
        *[[d, CALLS[d], TEXTS[d, "alpha"], TEXTS[d, "beta"], p, value(d, "x", p) - 3] for d in CALLS for p in PEOPLE],
    ],
    {"refused": True},
)

table(
    "40_wide3.csv",
    [
        [
            "call_id",
            "transcript",
            *[f"{s}_summary" for s in SYSTEMS],
            *[f"{dim}_{s}_{p}" for dim in ("coherence", "fluency") for s in SYSTEMS for p in ("r1", "r2")],
        ],
        *[
            [
                d,
                CALLS[d],
                *[TEXTS[d, s] for s in SYSTEMS],
                *[value(d, s, "w" + p[1:], k) for k in (0, 1) for s in SYSTEMS for p in ("r1", "r2")],
            ]
            for d in CALLS
        ],
    ],
    WHOLE | {"given": 72, "annotators": 2, "dims": ["coherence", "fluency"]},
)

BETTER = ["Summary A", "Summary B", "No difference"]

table(
    "B03_multi.csv",
    [
        [
            "Timestamp",
            "Email Address",
            "Call ID",
            "Transcript",
            "Model A",
            "Summary A",
            "Model B",
            "Summary B",
            "Which summary is more coherent?",
            "Which summary is more accurate?",
        ],
        *[
            [
                f"11/14/2026 10:00:0{i}",
                f"{p}@x.org",
                d,
                CALLS[d],
                "alpha",
                TEXTS[d, "alpha"],
                "beta",
                TEXTS[d, "beta"],
                BETTER[(i + int(d[1:])) % 3],
                BETTER[(i + 1) % 3],
            ]
            for d in CALLS
            for i, p in enumerate(PEOPLE)
        ],
    ],
    {
        "dialogues": 6,
        "summaries": 12,
        "systems": ["alpha", "beta"],
        "preferences": 36,
        "annotators": 3,
        "given": 0,
        "ties": sum((i + int(d[1:])) % 3 == 2 for d in CALLS for i in range(3)) + 6,
    },
)

table(
    "B04_raters.csv",
    [
        ["dialogue_id", "dialogue", "system", "summary", "dimension", "rater_1", "rater_2", "rater_3"],
        *[
            [d, CALLS[d], s, TEXTS[d, s], dim, *[value(d, s, p, k) for p in PEOPLE]]
            for d, s in TEXTS
            for k, dim in enumerate(("coherence", "fluency"))
        ],
    ],
    WHOLE | {"given": 108, "annotators": 3, "dims": ["coherence", "fluency"]},
)

table(
    "B05_mturkpair.csv",
    [
        [
            "HITId",
            "HITTypeId",
            "AssignmentId",
            "WorkerId",
            "AssignmentStatus",
            "SubmitTime",
            "Input.call_id",
            "Input.dialogue",
            "Input.model_a",
            "Input.summary_a",
            "Input.model_b",
            "Input.summary_b",
            "Answer.preference",
            "Answer.comment",
            "WorkTimeInSeconds",
        ],
        *[
            [
                f"H{d}",
                "T",
                f"A{d}{p}",
                p,
                "Approved",
                "Sat Nov 14 08:39:10 PST 2026",
                d,
                CALLS[d],
                "alpha",
                TEXTS[d, "alpha"],
                "beta",
                TEXTS[d, "beta"],
                ["A", "B", "tie"][(i + int(d[1:])) % 3],
                "c",
                44,
            ]
            for d in CALLS
            for i, p in enumerate(PEOPLE)
        ],
    ],
    {
        "dialogues": 6,
        "summaries": 12,
        "systems": ["alpha", "beta"],
        "preferences": 18,
        "annotators": 3,
        "given": 0,
        "pcomments": 18,
        "ties": 6,
    },
)

table(
    "B06_da.tsv",
    [
        ["segment_id", "src", "mt", "ref", "system", "annotator_login", "score"],
        *[[d, CALLS[d], TEXTS[d, s], "The order is sent again.", s, p, value(d, s, p) * 17 + 3] for d, s, p in RATED],
    ],
    WHOLE | {"given": 54, "annotators": 3, "ndims": 1, "kinds": ["interval"]},
    separator="\t",
)


def b09(b):
    w = b.add_worksheet("Data")
    w.write_row(0, 0, ["Call", "Transcript", "System", "Summary"])
    for i, (d, s) in enumerate(TEXTS):
        w.write_row(i + 1, 0, [d, CALLS[d], s, TEXTS[d, s]])
    for k, dim in enumerate(("Coherence", "Fluency")):
        w = b.add_worksheet(dim)
        w.write_row(0, 0, ["Call", "System", "Rater 1", "Rater 2", "Rater 3"])
        for i, (d, s) in enumerate(TEXTS):
            w.write_row(i + 1, 0, [d, s, *[value(d, s, p, k) for p in PEOPLE]])


workbook("B09_dimsheets.xlsx", b09, WHOLE | {"given": 108, "annotators": 3, "dims": ["coherence", "fluency"]})

table(
    "B10_check.csv",
    [
        ["call_id", "transcript", "system", "summary", "annotator", "Hallucination", "Omission"],
        *[
            [d, CALLS[d], s, TEXTS[d, s], p, "x" if value(d, s, p) > 3 else "", "x" if value(d, s, p, 1) > 3 else ""]
            for d, s, p in RATED
        ],
    ],
    WHOLE | {"given": 108, "annotators": 3, "dims": ["hallucination", "omission"], "kinds": ["binary"]},
)

table(
    "B11_multi.csv",
    [
        ["call_id", "transcript", "system", "summary", "annotator", "quality", "error_types"],
        *[
            [
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                p,
                value(d, s, p),
                ["", "Entity", "Entity; Number", "Number"][value(d, s, p) % 4],
            ]
            for d, s, p in RATED
        ],
    ],
    WHOLE | {"given": 54 * 3, "annotators": 3, "dims": ["entity", "number", "quality"]},
)

table(
    "B14_slider.csv",
    [
        ["Gesprächs-ID", "Gespräch", "Modell", "Zusammenfassung", "E-Mail", "Kohärenz (0-100)", "Treue (0-100)"],
        *[
            [d, CALLS[d], s, TEXTS[d, s], f"{p}@x.de", f"{value(d, s, p) * 13},5", f"{value(d, s, p, 1) * 13},0"]
            for d, s, p in RATED
        ],
    ],
    WHOLE | {"given": 108, "annotators": 3, "ndims": 2, "kinds": ["interval"]},
    separator=";",
    encoding="utf-8-sig",
)

table(
    "B18_letters.csv",
    [
        [
            "call_id",
            "transcript",
            "system",
            "summary",
            *[f"{dim} - Annotator {x}" for dim in ("Coherence", "Fluency") for x in "ABC"],
        ],
        *[[d, CALLS[d], s, TEXTS[d, s], *[value(d, s, p, k) for k in (0, 1) for p in PEOPLE]] for d, s in TEXTS],
    ],
    WHOLE | {"given": 108, "annotators": 3, "dims": ["coherence", "fluency"]},
)

table(
    "B19_votes.csv",
    [
        ["doc_id", "document", "model", "summary", "label_1", "label_2", "label_3", "majority_label"],
        *[
            [
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                *[value(d, s, p) % 2 for p in PEOPLE],
                int(sum(value(d, s, p) % 2 for p in PEOPLE) > 1),
            ]
            for d, s in TEXTS
        ],
    ],
    WHOLE | {"given": 54, "annotators": 3, "ndims": 1, "kinds": ["binary"]},
)

table(
    "B21_q.csv",
    [
        ["call_id", "transcript", "system", "summary", "rater", "q1_rating", "q1_comment", "q2_rating", "q2_comment"],
        *[
            [
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                p,
                value(d, s, p),
                "because" if value(d, s, p) == 3 else "",
                value(d, s, p, 1),
                "",
            ]
            for d, s, p in RATED
        ],
    ],
    WHOLE | {"given": 108, "annotators": 3, "ndims": 2, "comments": sum(value(*x) == 3 for x in RATED)},
)

table(
    "B22_it.csv",
    [
        ["ID conversazione", "Trascrizione", "Modello", "Riassunto", "Valutatore", "Coerenza", "Note"],
        *[
            [
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                p,
                [
                    "Per niente d'accordo",
                    "In disaccordo",
                    "Né d'accordo né in disaccordo",
                    "D'accordo",
                    "Completamente d'accordo",
                ][value(d, s, p) - 1],
                "sì" if value(d, s, p) == 1 else "",
            ]
            for d, s, p in RATED
        ],
    ],
    WHOLE
    | {"given": 54, "annotators": 3, "ndims": 1, "kinds": ["ordinal"], "comments": sum(value(*x) == 1 for x in RATED)},
    separator=";",
)

table(
    "B23_scale.csv",
    [
        ["call_id", "transcript", "system", "summary", "annotator", "relevance"],
        *[
            [
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                p,
                ["Not relevant", "Slightly relevant", "Somewhat relevant", "Relevant", "Very relevant"][
                    value(d, s, p) - 1
                ],
            ]
            for d, s, p in RATED
        ],
    ],
    WHOLE
    | {
        "given": 54,
        "annotators": 3,
        "dims": ["relevance"],
        "kinds": ["ordinal"],
        "values": [("C01", "alpha", "w1", "relevance", value("C01", "alpha", "w1"))],
    },
)

table(
    "B24_nominal.csv",
    [
        ["call_id", "transcript", "system", "summary", "annotator", "verdict on the summary"],
        *[
            [d, CALLS[d], s, TEXTS[d, s], p, ["usable as is", "minor edits", "rewrite"][value(d, s, p) % 3]]
            for d, s, p in RATED
        ],
    ],
    WHOLE | {"given": 54, "annotators": 3, "ndims": 1, "kinds": ["nominal"]},
)

table(
    "C01_surge.csv",
    [
        [
            "task_id",
            "task_url",
            "worker_id",
            "worker_first_name",
            "completed_at",
            "time_spent",
            "Conversation ID",
            "Conversation",
            "Summary",
            "Model Name",
            "Accuracy",
            "Accuracy - Explanation",
            "Completeness",
            "Completeness - Explanation",
            "Gold standard answer",
        ],
        *[
            [
                f"t{i}",
                "http://x",
                p,
                "Al",
                "2026-11-14T10:00:00Z",
                31 + i,
                d,
                CALLS[d],
                TEXTS[d, s],
                s,
                ["Completely accurate", "Mostly accurate", "Partially accurate", "Not accurate"][value(d, s, p) % 4],
                "x because" if i % 4 == 0 else "",
                value(d, s, p, 1),
                "",
                "",
            ]
            for i, (d, s, p) in enumerate(RATED)
        ],
    ],
    WHOLE | {"given": 108, "annotators": 3, "ndims": 2, "comments": 14},
)

table(
    "C04_prolific_qual.csv",
    [
        [
            "StartDate",
            "EndDate",
            "Status",
            "IPAddress",
            "Progress",
            "Duration (in seconds)",
            "Finished",
            "RecordedDate",
            "ResponseId",
            "PROLIFIC_PID",
            "call_id",
            "transcript",
            "system",
            "summary",
            "Q1",
            "Q2",
            "Q3",
        ],
        [
            "Start Date",
            "End Date",
            "Response Type",
            "IP Address",
            "Progress",
            "Duration (in seconds)",
            "Finished",
            "Recorded Date",
            "Response ID",
            "PROLIFIC_PID",
            "call_id",
            "transcript",
            "system",
            "summary",
            "The summary is coherent",
            "The summary is fluent",
            "Anything else?",
        ],
        ['{"ImportId":"startDate"}'] + ['{"ImportId":"x"}'] * 16,
        *[
            [
                "2026-11-14 10:00:00",
                "2026-11-14 10:05:00",
                "IP Address",
                "1.1.1.1",
                100,
                55,
                "True",
                "2026-11-14 10:05:01",
                f"R_{i}",
                p,
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                [
                    "Strongly disagree",
                    "Somewhat disagree",
                    "Neither agree nor disagree",
                    "Somewhat agree",
                    "Strongly agree",
                ][value(d, s, p) - 1],
                value(d, s, p, 1),
                "hm" if i == 0 else "",
            ]
            for i, (d, s, p) in enumerate(RATED)
        ],
    ],
    WHOLE | {"given": 108, "annotators": 3, "ndims": 2},
)

table(
    "C05_zero.csv",
    [
        [
            "call_no",
            "call_text",
            "engine",
            "auto_summary",
            "reviewer",
            "score_overall",
            "score_accuracy",
            "reviewed_at",
        ],
        *[
            [
                f"{int(d[1:]):07d}",
                CALLS[d],
                s,
                TEXTS[d, s],
                p,
                f"{value(d, s, p)}/5",
                f"{value(d, s, p, 1)}/5",
                "14 Nov 2026 10:00",
            ]
            for d, s, p in RATED
        ],
    ],
    WHOLE | {"given": 108, "annotators": 3, "ndims": 2, "ids": ["0000001"], "times": 54},
)

table(
    "C07_agree.csv",
    [
        [
            "Call ID",
            "Transcript",
            "Model",
            "Summary",
            "Rater A: coherence",
            "Rater B: coherence",
            "Rater C: coherence",
            "Mean coherence",
            "Std coherence",
        ],
        *[
            [
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                *[value(d, s, p) for p in PEOPLE],
                round(sum(value(d, s, p) for p in PEOPLE) / 3, 2),
                0.5,
            ]
            for d, s in TEXTS
        ],
    ],
    WHOLE | {"given": 54, "annotators": 3, "dims": ["coherence"]},
)

table(
    "C08_5051.csv",
    [
        [
            "pair_id",
            "dialogue_id",
            "dialogue",
            "system_1",
            "system_2",
            "summary_1",
            "summary_2",
            "annotator_1",
            "annotator_2",
            "annotator_3",
        ],
        *[
            [
                f"p{i}",
                d,
                CALLS[d],
                "alpha",
                "beta",
                TEXTS[d, "alpha"],
                TEXTS[d, "beta"],
                *[["1", "2", "tie"][(value(d, "x", p)) % 3] for p in PEOPLE],
            ]
            for i, d in enumerate(CALLS)
        ],
    ],
    {"dialogues": 6, "summaries": 12, "systems": ["alpha", "beta"], "preferences": 18, "annotators": 3, "given": 0},
)

table(
    "C10_err_counts.csv",
    [
        [
            "meeting_id",
            "meeting_transcript",
            "summarizer",
            "minutes",
            "coder",
            "n_hallucinations",
            "n_omissions",
            "Overall (1=bad, 7=excellent)",
        ],
        *[
            [d, CALLS[d], s, TEXTS[d, s], p, value(d, s, p) - 1, value(d, s, p, 1) - 1, value(d, s, p) + 1]
            for d, s, p in RATED
        ],
    ],
    WHOLE | {"given": 162, "annotators": 3, "ndims": 3, "lower": ["n_hallucinations", "n_omissions"]},
)

table(
    "C12_teams_chat.csv",
    [
        ["MessageId", "ConversationId", "CreatedDateTime", "From", "Body"],
        *[
            [
                f"m{i}{k}",
                f"T{i}",
                f"2026-11-14T10:0{k}:00Z",
                ["Agent", "Ana", "Agent"][k],
                ["Hello.", "My order is late.", "I look."][k],
            ]
            for i in range(4)
            for k in range(3)
        ],
    ],
    {"dialogues": 4, "turns": 12},
)

table(
    "C14_yn_multi.csv",
    [
        [
            "id",
            "dialogue",
            "summary_gpt",
            "summary_llama",
            "faithful_gpt",
            "faithful_llama",
            "complete_gpt",
            "complete_llama",
            "annotator",
            "notes_gpt",
            "notes_llama",
        ],
        *[
            [
                d,
                CALLS[d],
                TEXTS[d, "alpha"],
                TEXTS[d, "beta"],
                *["Y" if value(d, s, p, k) > 2 else "N" for k in (0, 1) for s in ("alpha", "beta")],
                p,
                "n1" if p == "w1" else "",
                "",
            ]
            for d in CALLS
            for p in PEOPLE
        ],
    ],
    {
        "dialogues": 6,
        "summaries": 12,
        "systems": ["gpt", "llama"],
        "given": 72,
        "annotators": 3,
        "dims": ["complete", "faithful"],
        "kinds": ["binary"],
        "comments": 6,
    },
)

table(
    "C15_hundred.csv",
    [
        ["ConversationID", "Text", "System", "Generated Summary", "Annotator Name", "Faithfulness [%]", "Confidence"],
        *[
            [d, CALLS[d], s, TEXTS[d, s], p, value(d, s, p) * 20, ["low", "medium", "high"][value(d, s, p, 2) % 3]]
            for d, s, p in RATED
        ],
    ],
    WHOLE | {"given": 54, "annotators": 3, "ndims": 1},  # how sure they were is no judgement of the summary
)

table(
    "D01_kappa.csv",
    [
        ["utt_id", "Conv. text", "Sys", "Hyp. summary", "Ann1_Fact", "Ann1_Flu", "Ann2_Fact", "Ann2_Flu"],
        *[
            [
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                value(d, s, "w1"),
                value(d, s, "w1", 1),
                value(d, s, "w2"),
                value(d, s, "w2", 1),
            ]
            for d, s in TEXTS
        ],
    ],
    WHOLE | {"given": 72, "annotators": 2, "ndims": 2},
)

table(
    "D03_excel_grid.csv",
    [
        ["", "", "alpha", "", "beta", "", "gamma", ""],
        ["Call", "Transcript", "Summary", "Score", "Summary", "Score", "Summary", "Score"],
        *[[d, CALLS[d], *[x for s in SYSTEMS for x in (TEXTS[d, s], value(d, s, "w1"))]] for d in CALLS],
    ],
    WHOLE | {"given": 18},
)

table(
    "D05_kusto.tsv",
    [
        [
            "ConversationGuid",
            "TranscriptText",
            "ModelDeployment",
            "AISummary",
            "ReviewerAlias",
            "GroundednessScore",
            "CompletenessScore",
            "ReviewComment",
            "ReviewTimestampUtc",
        ],
        *[
            [
                f"aaaa-{d}",
                CALLS[d],
                s,
                TEXTS[d, s],
                p,
                value(d, s, p),
                value(d, s, p, 1),
                "ok",
                "2026-11-14T10:00:00.000Z",
            ]
            for d, s, p in RATED
        ],
    ],
    WHOLE | {"given": 108, "annotators": 3, "ndims": 2, "comments": 54, "times": 54},
    separator="\t",
)

table(
    "D07_polish.csv",
    [
        ["id_rozmowy", "transkrypcja", "model", "streszczenie", "oceniający", "spójność", "płynność"],
        *[[d, CALLS[d], s, TEXTS[d, s], p, value(d, s, p), value(d, s, p, 1)] for d, s, p in RATED],
    ],
    WHOLE | {"given": 108, "annotators": 3, "ndims": 2},
    separator=";",
    encoding="cp1250",
)

table(
    "D08_pct.csv",
    [
        [
            "Call Ref",
            "Call Transcript",
            "Vendor",
            "Vendor Summary",
            "QA Name",
            "Overall QA %",
            "Factual? (Y/N)",
            "Missed key info? (Y/N)",
            "QA Date",
        ],
        *[
            [
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                p,
                f"{value(d, s, p) * 20}%",
                "Y" if value(d, s, p) > 2 else "N",
                "N" if value(d, s, p, 1) > 2 else "Y",
                "14-Nov-26",
            ]
            for d, s, p in RATED
        ],
    ],
    WHOLE | {"given": 162, "annotators": 3, "ndims": 3, "times": 54},
)

table(
    "D10_mcq.csv",
    [
        [
            "call_id",
            "transcript",
            "system",
            "summary",
            "annotator_id",
            "Does the summary contain errors?",
            "If yes, which sentence?",
            "How severe?",
        ],
        *[
            [
                d,
                CALLS[d],
                s,
                TEXTS[d, s],
                p,
                "Yes" if value(d, s, p) > 3 else "No",
                "The desk sends it again" if value(d, s, p) > 3 else "",
                ["", "minor", "major"][1 + value(d, s, p) % 2] if value(d, s, p) > 3 else "",
            ]
            for d, s, p in RATED
        ],
    ],
    WHOLE | {"given_min": 54, "annotators": 3},
)
