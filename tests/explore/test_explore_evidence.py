"""Reasons of checks beside the dialogue: underlined words, and links to turns."""

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from starlette.testclient import TestClient

from dialgauge.corpus import KEY
from dialgauge.explore import RunData, create_app

RECORD = {
    "sentence": 1,
    "span": [0, 10],
    "p_right": 0.2,
    "verdict": "contradicted",
    "evidence": [2],
    "parts": {"checks": 0.2},
    "reasons": [
        {
            "check": "value_conflict",
            "summary": [0, 4],
            "says": "that",
            "turn": 2,
            "turn_span": [0, 4],
            "dialogue_says": "<i>this</i>",
            "strength": 1.0,
            "weight": 2.0,
        }
    ],
}


@pytest.fixture
def noted(bare_folder: Path) -> RunData:
    """A run in which a metric gave evidence and a plain remark for one summary."""
    data = RunData.open(bare_folder)
    first = data.scores.frame.head(1).select(KEY)
    notes = [json.dumps([RECORD]), "the source was truncated"]
    rows = pl.concat([first, first]).with_columns(pl.lit("rouge-1").alias("metric"), pl.Series("note", notes))
    data.scores = replace(data.scores, notes=rows)
    return data


def test_evidence_is_beside_the_dialogue_and_links_to_its_turn(noted: RunData) -> None:
    name = noted.scores.frame["dialogue_id"][0]
    html = TestClient(create_app(noted), base_url="http://127.0.0.1").get("/dialogue", params={"id": name}).text
    assert html.count('<details class="evidence"') == 1
    assert 'href="#dialogue-turn-2"' in html
    assert 'id="dialogue-turn-2"' in html
    assert "&lt;i&gt;this&lt;/i&gt;" in html
    assert "the source was truncated" in html
    assert "value_conflict" not in html
