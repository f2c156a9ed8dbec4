"""JSON and Parquet in layouts that the importer was not made on; ``stranger_files`` has the tables."""

from tests.corpus.stranger_files import CALLS, PEOPLE, RATED, SYSTEMS, TEXTS, WHOLE, parquet, place, value, whole

whole(
    "05_models.jsonl",
    [
        {
            "id": d,
            "dialogue": CALLS[d].split("\n"),
            "models": {
                s: {
                    "summary": TEXTS[d, s],
                    "scores": {
                        "coherence": [value(d, s, p) for p in PEOPLE],
                        "fluency": [value(d, s, p, 1) for p in PEOPLE],
                    },
                }
                for s in SYSTEMS
            },
        }
        for d in CALLS
    ],
    WHOLE | {"given": 108, "annotators": 3, "dims": ["coherence", "fluency"]},
    lines=True,
)

whole(
    "06_tables.json",
    {
        "version": "1.2",
        "dialogues": [
            {
                "id": d,
                "turns": [
                    {"speaker": line.split(": ")[0], "text": line.split(": ")[1]} for line in CALLS[d].split("\n")
                ],
            }
            for d in CALLS
        ],
        "summaries": [{"dialogue_id": d, "system": s, "summary": TEXTS[d, s]} for d, s in TEXTS],
        "ratings": [
            {"dialogue_id": d, "system": s, "annotator": p, "coherence": value(d, s, p), "fluency": value(d, s, p, 1)}
            for d, s, p in RATED
        ],
    },
    WHOLE | {"given": 108, "annotators": 3, "dims": ["coherence", "fluency"]},
)

whole(
    "07_answers.jsonl.gz",
    [
        {
            "conversation_id": d,
            "conversation": CALLS[d],
            "model": s,
            "summary": TEXTS[d, s],
            "human_evaluations": [
                {
                    "annotator_id": p,
                    "submitted_at": "2026-11-14T10:00:00Z",
                    "answers": [
                        {"question": "Coherence", "answer": value(d, s, p)},
                        {"question": "Fluency", "answer": value(d, s, p, 1)},
                    ],
                }
                for p in PEOPLE
            ],
        }
        for d, s in TEXTS
    ],
    WHOLE | {"given": 108, "annotators": 3, "dims": ["coherence", "fluency"]},
    lines=True,
    gz=True,
)

whole(
    "13_spans.jsonl",
    [
        {
            "doc_id": d,
            "document": CALLS[d],
            "model": s,
            "summary": TEXTS[d, s],
            "annotations": [
                {
                    "annotator": p,
                    "spans": (
                        [{"start": place(d, s)[0], "end": place(d, s)[1], "label": "entity", "severity": "major"}]
                        if value(d, s, p) > 2
                        else []
                    ),
                }
                for p in PEOPLE
            ],
        }
        for d, s in TEXTS
    ],
    WHOLE | {"spans": sum(value(*x) > 2 for x in RATED), "passes": 54, "annotators": 3, "given": 0},
    lines=True,
)

whole(
    "17_qags.jsonl",
    [
        {
            "article": CALLS[d],
            "summary_sentences": [
                {
                    "sentence": t + ".",
                    "responses": [
                        {"worker_id": i, "response": "yes" if (i + k + int(d[1:])) % 2 else "no"} for i in range(3)
                    ],
                }
                for k, t in enumerate(TEXTS[d, "alpha"].rstrip(".").split(". "))
            ],
        }
        for d in CALLS
    ],
    {"dialogues": 6, "summaries": 6, "given": 36, "annotators": 3, "kinds": ["binary"], "sentences": True},
    lines=True,
)

whole(
    "21_usr.json",
    [
        {
            "context": CALLS[d],
            "fact": "f",
            "annotators": list(PEOPLE),
            "responses": [
                {
                    "response": TEXTS[d, s],
                    "model": s,
                    "Understandable": [value(d, s, p) % 2 for p in PEOPLE],
                    "Natural": [value(d, s, p, 1) for p in PEOPLE],
                    "Overall": [value(d, s, p, 2) for p in PEOPLE],
                }
                for s in SYSTEMS
            ],
        }
        for d in CALLS
    ],
    WHOLE | {"given": 162, "annotators": 3, "ndims": 3},
)

whole(
    "22_unisumeval.jsonl",
    [
        {
            "uid": f"DISL_{d}",
            "doc_id": d,
            "source": "mediasum",
            "domain": "calls",
            "length": "short",
            "input_type": "Dialogue",
            "redact_type": "unredact",
            "model": s,
            "reference": "The order is sent again.",
            "input_context": CALLS[d],
            "summary": TEXTS[d, s],
            "sentences": [x.rstrip(".") + "." for x in TEXTS[d, s].split(". ")],
            "fact_verification_label": [value(d, s, "w1") % 2, value(d, s, "w2") % 2],
            "fact_verification_error_type": [
                "no error" if value(d, s, "w1") % 2 == 0 else "entity",
                "no error" if value(d, s, "w2") % 2 == 0 else "oos",
            ],
            "faithfulness_score": 1 - (value(d, s, "w1") % 2 + value(d, s, "w2") % 2) / 2,
            "summary_success_state": "success",
        }
        for d, s in TEXTS
    ],
    {"dialogues": 6, "systems": list(SYSTEMS), "given_min": 36, "annotators": 1},
    lines=True,
)

whole(
    "23_diasumfact.json",
    {
        d: {
            "utterances": CALLS[d].split("\n"),
            "query": "",
            "target_summary": "The order is sent again.",
            "dataset_name": "SAMSum",
            "group_idx": 1,
            "annotations": {
                s: {
                    "model_prediction": TEXTS[d, s],
                    "sentence_annotations": [
                        {
                            "index": k,
                            "sentence": x.rstrip(".") + ".",
                            "annotation": (
                                [
                                    {
                                        "error_class": "EntE",
                                        "error_span": "order" if k == 0 else "desk",
                                        "intrinsic/extrinsic": "intrinsic",
                                        "comment": "no",
                                    }
                                ]
                                if value(d, s, PEOPLE[k]) > 3
                                else []
                            ),
                        }
                        for k, x in enumerate(TEXTS[d, s].split(". "))
                    ],
                }
                for s in SYSTEMS
            },
        }
        for d in CALLS
    },
    {
        "dialogues": 6,
        "systems": list(SYSTEMS),
        "spans": sum(value(d, s, p) > 3 for d, s in TEXTS for p in PEOPLE[:2]),
        "passes": 18,
    },
)

whole(
    "27_assembly.json",
    {
        "id": "aa-1",
        "status": "completed",
        "text": "x",
        "utterances": [
            {"speaker": "A", "text": "Hello, desk.", "start": 1, "end": 2, "confidence": 0.9, "words": []},
            {"speaker": "B", "text": "My order is late.", "start": 3, "end": 4, "confidence": 0.9, "words": []},
        ],
    },
    {"dialogues": 1, "turns": 2, "ids": ["aa-1"]},
)

whole(
    "28_deepgram.json",
    {
        "metadata": {"request_id": "dg-1", "duration": 3.2},
        "results": {
            "channels": [
                {
                    "alternatives": [
                        {
                            "transcript": "hello desk my order is late",
                            "confidence": 0.9,
                            "words": [
                                {"word": "hello", "start": 0, "end": 1, "speaker": 0, "punctuated_word": "Hello"},
                                {"word": "late", "start": 2, "end": 3, "speaker": 1, "punctuated_word": "late."},
                            ],
                        }
                    ]
                }
            ],
            "utterances": [
                {"start": 0, "end": 1, "transcript": "Hello desk.", "speaker": 0, "channel": 0},
                {"start": 2, "end": 3, "transcript": "My order is late.", "speaker": 1, "channel": 0},
            ],
        },
    },
    {"dialogues": 1, "turns": 2},
)

parquet(
    "32_nested.parquet",
    [
        {
            "dialogue_id": d,
            "dialogue": CALLS[d],
            "system": s,
            "summary": TEXTS[d, s],
            "annotations": [
                {"worker": p, "coherence": value(d, s, p), "fluency": value(d, s, p, 1), "comment": "c"} for p in PEOPLE
            ],
        }
        for d, s in TEXTS
    ],
    WHOLE | {"given": 108, "annotators": 3, "dims": ["coherence", "fluency"], "comments": 54},
)

whole(
    "35_ultra.jsonl",
    [
        {
            "source": "calls",
            "instruction": CALLS[d],
            "models": list(SYSTEMS),
            "completions": [
                {
                    "model": s,
                    "response": TEXTS[d, s],
                    "annotations": {
                        "helpfulness": {"Rating": str(value(d, s, "w1")), "Rationale": "r"},
                        "honesty": {"Rating": str(value(d, s, "w1", 1)), "Rationale": "r"},
                    },
                }
                for s in SYSTEMS
            ],
        }
        for d in CALLS
    ],
    WHOLE | {"given": 36, "ndims": 2, "comments": 18},
    lines=True,
)

whole(
    "36_zendesk.json",
    {
        "tickets": [
            {
                "id": 100 + i,
                "subject": "late",
                "comments": [
                    {"author_id": 1, "author": "Agent", "body": "Hello"},
                    {"author_id": 2, "author": "Ana", "body": "My order is late."},
                ],
                "summary": "Ana's order is late.",
            }
            for i in range(3)
        ]
    },
    {"dialogues": 3, "turns": 6},
)

whole(
    "39_labels.json",
    [
        {
            "call_id": d,
            "transcript": CALLS[d],
            "summary": TEXTS[d, "alpha"],
            "generated_by": "alpha",
            "labels": {
                "faithful": {"w1": True, "w2": False, "w3": True},
                "complete": {"w1": False, "w2": True, "w3": None},
            },
        }
        for d in CALLS
    ],
    {
        "dialogues": 6,
        "summaries": 6,
        "given": 30,
        "annotators": 3,
        "dims": ["complete", "faithful"],
        "kinds": ["binary"],
    },
)

whole(
    "B01_lsmin.json",
    [
        {
            "id": i,
            "call_id": d,
            "dialogue": CALLS[d],
            "model": s,
            "summary": TEXTS[d, s],
            "coherence": value(d, s, p),
            "errors": (
                [{"start": place(d, s)[0], "end": place(d, s)[1], "text": "order", "labels": ["Entity"]}]
                if value(d, s, p) > 2
                else []
            ),
            "annotator": int(p[1]),
            "annotation_id": 900 + i,
            "created_at": "2026-11-14T10:00:00Z",
            "updated_at": "2026-11-14T10:05:00Z",
            "lead_time": 33.1,
        }
        for i, (d, s, p) in enumerate(RATED)
    ],
    WHOLE
    | {"given": 54, "annotators": 3, "dims": ["coherence"], "spans": sum(value(*x) > 2 for x in RATED), "passes": 54},
)

whole(
    "B07_dimsys.jsonl",
    [
        {
            "id": d,
            "dialogue": CALLS[d],
            "summaries": {s: TEXTS[d, s] for s in SYSTEMS},
            "ratings": {
                dim: {s: [value(d, s, p, k) for p in PEOPLE] for s in SYSTEMS}
                for k, dim in enumerate(("coherence", "fluency"))
            },
        }
        for d in CALLS
    ],
    WHOLE
    | {
        "given": 108,
        "annotators": 3,
        "dims": ["coherence", "fluency"],
        "values": [("C02", "beta", "2", "coherence", value("C02", "beta", "w2"))],
    },
    lines=True,
)

whole(
    "B08_nested_item.jsonl",
    [
        {
            "item": {"id": d, "dialogue": CALLS[d], "summary": TEXTS[d, s], "model": s},
            "rating": {"coherence": value(d, s, p), "fluency": value(d, s, p, 1)},
            "worker": {"id": p, "country": "US"},
            "timestamp": 1763110000 + i,
        }
        for i, (d, s, p) in enumerate(RATED)
    ],
    WHOLE | {"given": 108, "annotators": 3, "dims": ["coherence", "fluency"], "ids": ["C01"], "times": 54},
    lines=True,
)

parquet(
    "B15_arena.parquet",
    [
        {
            "question_id": d,
            "model_a": "alpha",
            "model_b": "beta",
            "winner": ["model_a", "model_b", "tie (bothbad)"][(i + int(d[1:])) % 3],
            "judge": p,
            "conversation_a": [
                {"content": CALLS[d], "role": "user"},
                {"content": TEXTS[d, "alpha"], "role": "assistant"},
            ],
            "conversation_b": [
                {"content": CALLS[d], "role": "user"},
                {"content": TEXTS[d, "beta"], "role": "assistant"},
            ],
            "turn": 1,
            "language": "English",
            "tstamp": 1682351591.1,
        }
        for d in CALLS
        for i, p in enumerate(PEOPLE)
    ],
    {"dialogues": 6, "summaries": 12, "systems": ["alpha", "beta"], "preferences": 18, "ties": 6, "annotators": 3},
)

whole(
    "B16_azure.json",
    {
        "source": "https://x/y.wav",
        "durationInTicks": 100,
        "recognizedPhrases": [
            {
                "recognitionStatus": "Success",
                "channel": 0,
                "speaker": 1,
                "offset": "PT1S",
                "nBest": [{"confidence": 0.9, "lexical": "hello", "display": "Hello, desk."}],
            },
            {
                "recognitionStatus": "Success",
                "channel": 0,
                "speaker": 2,
                "offset": "PT3S",
                "nBest": [{"confidence": 0.9, "lexical": "x", "display": "My order is late."}],
            },
        ],
    },
    {"dialogues": 1, "turns": 2},
)

whole(
    "B17_gong.json",
    {
        "requestId": "r",
        "callTranscripts": [
            {
                "callId": "g1",
                "transcript": [
                    {
                        "speakerId": "a",
                        "topic": "t",
                        "sentences": [
                            {"start": 1, "end": 2, "text": "Hello."},
                            {"start": 2, "end": 3, "text": "Desk here."},
                        ],
                    },
                    {
                        "speakerId": "b",
                        "topic": "t",
                        "sentences": [{"start": 4, "end": 5, "text": "My order is late."}],
                    },
                ],
            }
        ],
    },
    {"dialogues": 1, "turns": 2, "ids": ["g1"]},
)

whole(
    "B20_metrics.json",
    [
        {
            "id": f"{d}",
            "source": CALLS[d],
            "system_output": TEXTS[d, s],
            "system_id": s,
            "reference": "The order is sent again.",
            "human_scores": {"coherence": value(d, s, "w1") + 0.33, "fluency": value(d, s, "w2") + 0.0},
            "metric_scores": {"rouge": 0.3, "bertscore": 0.8 + len(s) / 100},
        }
        for d, s in TEXTS
    ],
    WHOLE | {"given": 36, "dims": ["coherence", "fluency"]},
)

whole(
    "B25_people.json",
    [
        {
            "annotator": p,
            "judgements": [
                {
                    "call_id": d,
                    "transcript": CALLS[d],
                    "system": s,
                    "summary": TEXTS[d, s],
                    "coherence": value(d, s, p),
                    "fluency": value(d, s, p, 1),
                }
                for d in CALLS
                for s in SYSTEMS
            ],
        }
        for p in PEOPLE
    ],
    WHOLE | {"given": 108, "annotators": 3, "dims": ["coherence", "fluency"]},
)

whole(
    "C02_scale.json",
    [
        {
            "task_id": f"t{i}",
            "status": "completed",
            "params": {
                "metadata": {"call_id": d, "model": s},
                "attachment": {"transcript": CALLS[d], "summary": TEXTS[d, s]},
            },
            "response": {
                "annotations": {
                    "coherence": {"response": [[str(value(d, s, p))]]},
                    "fluency": {"response": [[str(value(d, s, p, 1))]]},
                }
            },
            "annotator_email": f"{p}@x.org",
            "completed_at": "2026-11-14T10:00:00Z",
        }
        for i, (d, s, p) in enumerate(RATED)
    ],
    WHOLE | {"given": 108, "annotators": 3, "dims": ["coherence", "fluency"]},
)

whole(
    "C06_webanno.jsonl",
    [
        {
            "id": f"{d}|{s}",
            "text": TEXTS[d, s],
            "meta": {"dialogue": CALLS[d], "dialogue_id": d, "system": s},
            "annotations": {p: {"coherence": value(d, s, p), "faithful": value(d, s, p) > 2} for p in PEOPLE},
        }
        for d, s in TEXTS
    ],
    WHOLE | {"given": 108, "annotators": 3, "dims": ["coherence", "faithful"]},
    lines=True,
)

whole(
    "C09_rank.jsonl",
    [
        {
            "dialogue_id": d,
            "dialogue": CALLS[d],
            "candidates": [{"model": s, "text": TEXTS[d, s]} for s in SYSTEMS],
            "rankings": [
                {"annotator": p, "ranking": [SYSTEMS[(k + i) % 3] for k in range(3)]} for i, p in enumerate(PEOPLE)
            ],
        }
        for d in CALLS
    ],
    WHOLE | {"annotators": 3, "given": 54, "dims": ["rank"], "direction": ("rank", "lower")},
    lines=True,
)

whole(
    "C11_intercom.json",
    {
        "type": "conversation.list",
        "conversations": [
            {
                "type": "conversation",
                "id": f"c{i}",
                "created_at": 1763110000,
                "source": {"author": {"type": "user", "name": "Ana"}, "body": "<p>My order is late.</p>"},
                "conversation_parts": {
                    "type": "list",
                    "conversation_parts": [
                        {
                            "part_type": "comment",
                            "body": "<p>Hello, I look.</p>",
                            "author": {"type": "admin", "name": "Bo"},
                        },
                        {"part_type": "comment", "body": "<p>Thanks.</p>", "author": {"type": "user", "name": "Ana"}},
                    ],
                },
            }
            for i in range(3)
        ],
    },
    {"dialogues": 3, "turns_min": 6},
)

whole(
    "C13_live.json",
    {
        "annotation_results": [
            {
                "annotator": p,
                "annotations": [
                    {
                        "item_id": f"{d}_{s}",
                        "dialogue_id": d,
                        "system": s,
                        "transcript": CALLS[d],
                        "summary": TEXTS[d, s],
                        "labels": {"coherence": value(d, s, p), "fluency": value(d, s, p, 1)},
                        "comments": "ok",
                    }
                    for d in CALLS
                    for s in SYSTEMS
                ],
            }
            for p in PEOPLE
        ]
    },
    WHOLE | {"given": 108, "annotators": 3, "dims": ["coherence", "fluency"], "comments": 54},
)

whole(
    "D06_langsmith.jsonl",
    [
        {
            "run_id": f"r{d}{s}",
            "inputs": {"transcript": CALLS[d]},
            "outputs": {"summary": TEXTS[d, s]},
            "extra": {"metadata": {"model": s, "call_id": d}},
            "feedback": [
                {"key": "coherence", "score": value(d, s, p), "comment": "c", "source": {"user_id": p}} for p in PEOPLE
            ]
            + [{"key": "fluency", "score": value(d, s, p, 1), "source": {"user_id": p}} for p in PEOPLE],
        }
        for d, s in TEXTS
    ],
    WHOLE | {"given": 108, "annotators": 3, "dims": ["coherence", "fluency"]},
    lines=True,
)

whole(
    "D09_byrater.json",
    {
        "w1": [{"call": d, "system": s, "coherence": value(d, s, "w1")} for d, s in TEXTS],
        "w2": [{"call": d, "system": s, "coherence": value(d, s, "w2")} for d, s in TEXTS],
        "items": [{"call": d, "transcript": CALLS[d], "system": s, "summary": TEXTS[d, s]} for d, s in TEXTS],
    },
    WHOLE | {"given": 36, "annotators": 2, "dims": ["coherence"]},
)

whole(
    "90_by_person.json",
    {
        d: {
            "dialogue": CALLS[d].split("\n"),
            "summaries": {
                s: {
                    "text": TEXTS[d, s],
                    "human": {p: {"coherence": value(d, s, p), "fluency": value(d, s, p, 1)} for p in PEOPLE},
                }
                for s in SYSTEMS
            },
        }
        for d in CALLS
    },
    WHOLE | {"given": 108, "annotators": 3, "dims": ["coherence", "fluency"]},
)

whole(
    "91_human_eval.jsonl",
    [
        {
            "id": d,
            "dialogue": CALLS[d],
            "system": s,
            "summary": TEXTS[d, s],
            "human_eval": {"coherence": value(d, s, PEOPLE[0]), "fluency": value(d, s, PEOPLE[0], 1)},
        }
        for d, s in TEXTS
    ],
    WHOLE | {"given": 36, "annotators": 1, "dims": ["coherence", "fluency"]},
    lines=True,
)
