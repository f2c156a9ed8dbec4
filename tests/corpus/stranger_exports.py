"""Exports of survey, crowd and labelling tools that the importer was not made on, as small as they can be.

``ROWS`` are tables with a row per dialogue, system and person; ``RECORDS`` are JSON. All have the same 72 ratings of
two dimensions by three people, but for those that ``FEWER`` names. All of ``REFUSED`` must end with an error.
"""

import json
from collections.abc import Callable
from typing import Any

PEOPLE, SYSTEMS, ASKED = ("ann", "bob", "cat"), ("bart", "gpt4"), ("Coherence", "Fluency")
CALLS = {
    f"C-{n}": f"Agent: Desk {n}, hello.\nCustomer: My order {n}0 has not come yet.\nAgent: I send it again today."
    for n in range(6)
}
TEXTS = {
    (d, s): f"The customer of call {d} did not get the order, and {s} says it is sent again."
    for d in CALLS
    for s in SYSTEMS
}
ITEMS = [(d, s, who) for d, s in TEXTS for who in PEOPLE]


def value(d: str, s: str, who: str, asked: str) -> int:
    """1 to 5, different between dialogues, systems, people and dimensions."""
    return (int(d[2:]) * 3 + 2 * SYSTEMS.index(s) + PEOPLE.index(who) * 4 + 3 * ASKED.index(asked)) % 5 + 1


def _answers(d: str, s: str, who: str) -> list[int]:
    return [value(d, s, who, asked) for asked in ASKED]


def _named(names: str, write: Callable[[int], Any] = int) -> Callable[[str, str, str], dict[str, Any]]:
    """A row with the id, the dialogue, the system, the summary, the person and the answers under these names."""
    keys = names.split("|")

    def row(d: str, s: str, who: str) -> dict[str, Any]:
        return dict(zip(keys, (d, CALLS[d], s, TEXTS[d, s], who, *map(write, _answers(d, s, who))), strict=False))

    return row


_PLAIN = "id|transcript|model|summary|rater|Coherence|Fluency"
_WORDS = ("Very poor", "Poor", "Fair", "Good", "Very good")
ROWS: dict[str, Callable[[str, str, str], dict[str, Any]]] = {
    "surveymonkey": _named(
        "Call reference|Dialogue|System|Summary|Respondent ID|How coherent is the summary?|How fluent is the summary?"
    ),
    "limesurvey": _named(
        "callid. Call|dialogue. Dialogue|model. Model|summary. Summary|token. Access code|"
        "G1Q1[SQ1]. Rate the summary [Coherence]|G1Q1[SQ2]. Rate the summary [Fluency]"
    ),
    "toloka": _named(
        "INPUT:dialogue_id|INPUT:dialogue|INPUT:model|INPUT:summary|ASSIGNMENT:worker_id|OUTPUT:coherence|OUTPUT:fluency"
    ),
    "appen": lambda d, s, who: {
        **_named("conversation_id|dialogue|model|summary|_worker_id|coherence|fluency")(d, s, who),
        "_golden": "false",
        "_trust": "0.9",
        "_unit_id": 5000 + int(d[2:]),
        "_channel": "clix",
    },
    "jotform": _named(
        "Call number|Call transcript|AI model|AI summary|Your initials|Rate the summary >> Coherence|"
        "Rate the summary >> Fluency"
    ),
    "out of": _named(_PLAIN, lambda answer: f"{answer}/5"),
    "number and word": _named(_PLAIN, lambda answer: f"{answer} - {_WORDS[answer - 1]}"),
    "stars": _named(_PLAIN, lambda answer: "⭐" * answer),
    "percentages": _named(_PLAIN, lambda answer: f"{answer * 20} %"),
    "another alphabet": _named("رقم_المحادثة|المحادثة|النموذج|الملخص|المقيم|الترابط|الطلاقة"),
    "phoenix": _named(
        "attributes.session.id|attributes.input.value|attributes.llm.model_name|attributes.output.value|annotator.id|"
        "annotations.coherence.score|annotations.fluency.score"
    ),
    "german": _named("Gesprächs-Nr.|Protokoll|Anbieter|Kürzel davon|Prüfer|Verständlichkeit|Lesbarkeit"),
    "polish": _named("nr_rozmowy|rozmowa|model|streszczenie|oceniający|spójność|płynność"),
    "swedish": _named("samtal_id|samtal|modell|sammanfattning|bedömare|sammanhang|flyt"),
    "short names": lambda d, s, who: {
        **_named("CASEID|TRANSCR|SYS|SUMM|RATER_NO|COH|FLU")(d, s, who),
        "RATER_NO": PEOPLE.index(who) + 1,
    },
    "thumbs": lambda d, s, who: {
        **_named("conversation_id|conversation|model|summary|user")(d, s, who),
        "feedback": "thumbs_up" if value(d, s, who, "Fluency") > 2 else "thumbs_down",
    },
    "facts about people and calls": lambda d, s, who: {
        **_named(_PLAIN)(d, s, who),
        "rater_native": "no" if who == "bob" else "yes",
        "call_minutes": 4 + int(d[2:]),
        "rouge_l": 0.3,
    },
}
_ITEM = {(d, s): {"call_id": d, "dialogue": CALLS[d], "model": s, "summary": TEXTS[d, s]} for d, s in TEXTS}


def _scores(d: str, s: str, who: str) -> dict[str, int]:
    return dict(zip(ASKED, _answers(d, s, who), strict=True))


RECORDS: dict[str, Any] = {
    "surge": [
        {
            "id": f"task{n}",
            "fields": item,
            "responses": [
                {"worker_id": who, "data": {k: str(v) for k, v in _scores(*key, who).items()}} for who in PEOPLE
            ],
        }
        for n, (key, item) in enumerate(_ITEM.items())
    ],
    "prodigy": [
        {
            "text": TEXTS[d, s],
            "meta": {"call_id": d, "model": s, "dialogue": CALLS[d]},
            "accept": [str(value(d, s, who, "Fluency"))],
            "answer": "accept",
            "_annotator_id": who,
            "_task_hash": n,
        }
        for n, (d, s, who) in enumerate(ITEMS)
    ],
    "langsmith": [
        {
            "id": f"run-{n}",
            "inputs": {"call_id": d, "transcript": CALLS[d]},
            "outputs": {"summary": TEXTS[d, s]},
            "extra": {"metadata": {"model": s}},
            "feedback": [
                {"key": k, "score": v, "value": None, "source": {"type": "app", "user_name": who}}
                for who in PEOPLE
                for k, v in _scores(d, s, who).items()
            ],
        }
        for n, (d, s) in enumerate(TEXTS)
    ],
    "langfuse": {
        "data": [
            {
                "id": f"tr{n}",
                "sessionId": d,
                "input": {"messages": [{"role": "user", "content": CALLS[d]}]},
                "output": {"content": TEXTS[d, s]},
                "metadata": {"model": s},
                "scores": [
                    {"name": k, "value": v, "source": "ANNOTATION", "authorUserId": who}
                    for who in PEOPLE
                    for k, v in _scores(d, s, who).items()
                ],
            }
            for n, (d, s) in enumerate(TEXTS)
        ],
        "meta": {"page": 1},
    },
    "calls by id, people by an unknown name": {
        "project": "Q4",
        "calls": {
            d: {
                "transcript": CALLS[d],
                "outputs": {
                    s: {
                        "text": TEXTS[d, s],
                        "evaluations": [{"by": who, "scores": _scores(d, s, who)} for who in PEOPLE],
                    }
                    for s in SYSTEMS
                },
            }
            for d in CALLS
        },
    },
    "lists side by side": [
        {
            "id": d,
            "dialogue": CALLS[d],
            "models": list(SYSTEMS),
            "summaries": [TEXTS[d, s] for s in SYSTEMS],
            "annotators": list(PEOPLE),
            **{k.lower(): [[value(d, s, who, k) for who in PEOPLE] for s in SYSTEMS] for k in ASKED},
        }
        for d in CALLS
    ],
    "columns and rows": {
        "columns": ["call_id", "dialogue", "system", "summary", "rater", "coherence", "fluency"],
        "rows": [[d, CALLS[d], s, TEXTS[d, s], who, *_answers(d, s, who)] for d, s, who in ITEMS],
    },
    "edges and nodes": {
        "data": {
            "evaluations": {
                "edges": [
                    {
                        "node": {
                            "item": _ITEM[d, s],
                            "rater": {"email": f"{who}@x.org"},
                            "scores": [{"criterion": k, "value": v} for k, v in _scores(d, s, who).items()],
                        }
                    }
                    for d, s, who in ITEMS
                ]
            }
        }
    },
    "people around calls": {
        "study": "s",
        "raters": [
            {
                "rater": who,
                "sessions": [
                    {
                        "call_id": d,
                        "transcript": CALLS[d],
                        "items": [{"model": s, "summary": TEXTS[d, s], "answers": _scores(d, s, who)} for s in SYSTEMS],
                    }
                    for d in CALLS
                ],
            }
            for who in PEOPLE
        ],
    },
    "scores of traces": [
        {
            "traceId": d,
            "name": asked,
            "value": value(d, s, who, asked),
            "authorUserId": who,
            "metadata": {"model": s},
            "input": CALLS[d],
            "output": TEXTS[d, s],
        }
        for d, s, who in ITEMS
        for asked in ASKED
    ],
    "users": {
        "users": {
            who: {
                "answers": {
                    f"-N{n}": {**item, **{k.lower(): v for k, v in _scores(*key, who).items()}}
                    for n, (key, item) in enumerate(_ITEM.items())
                }
            }
            for who in PEOPLE
        }
    },
    "votes in one cell": [
        {**item, **{k.lower(): "|".join(str(value(*key, who, k)) for who in PEOPLE) for k in ASKED}}
        for key, item in _ITEM.items()
    ],
    "people in front": [
        {**item, **{f"{who}: {k}": value(*key, who, k) for who in PEOPLE for k in ASKED}} for key, item in _ITEM.items()
    ],
    "means alone": [
        {**item, "avg_coherence": sum(value(*key, who, "Coherence") for who in PEOPLE) / 3}
        for key, item in _ITEM.items()
    ],
    "long, with a response": [
        {**_ITEM[d, s], "worker": who, "question": asked, "response": value(d, s, who, asked), "rt_ms": 900 + n}
        for n, (d, s, who) in enumerate(ITEMS)
        for asked in ASKED
    ],
}
#: Judgements and people, where they are not 72 of 3.
FEWER = {"thumbs": (36, 3), "prodigy": (36, 3), "means alone": (12, 1)}
REFUSED: dict[str, Any] = {
    "strings in strings": [
        {**_ITEM[d, s], "zorp": json.dumps(json.dumps({who: {"p": value(d, s, who, "Fluency")} for who in PEOPLE}))}
        for d, s in TEXTS
    ],
}
