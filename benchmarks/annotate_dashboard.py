"""The lead's pages of a large study: CPU time of the first look after a start, and of looks between saves.

    python benchmarks/annotate_dashboard.py

28,000 assignments of 100 annotators on four dimensions (280 summaries, rated by all). Requests go through the whole
application, JSON included; what a server makes ready when it starts is given for itself. The bars: 0.2 s of CPU for
the dashboard, at the first look and after further saves, and for the page *Quality*; values equal to the full
computation to 1e-9. Exits with 1 where one is missed.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa
from fastapi.testclient import TestClient

from dialgauge.annotate import AnnotateSection, Project, _schema as t, create_app
from dialgauge.annotate._library import Library
from dialgauge.annotate._results import plain_ratings, results, system_codes
from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from dialgauge.ratings import agreement

DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")
HOST = "http://127.0.0.1"
SYSTEMS = ("a", "b", "c", "d")


def _corpus(dialogues: int) -> Corpus:
    talks = [
        Dialogue(f"d{number}", (Turn("Ann", f"Where is {number}?"), Turn("Ben", "Late.")))
        for number in range(dialogues)
    ]
    return Corpus.build(
        talks, [Summary(talk.id, one, f"Ann asks {talk.id} in way {one}.") for talk in talks for one in SYSTEMS]
    )


def _rate(project: Project, seed: int, share: float, ago: float = 0.0) -> int:
    """Answer a share of all assignments, the first of them so many seconds ago; how many."""
    chance = np.random.default_rng(seed)

    def write(connection: Any) -> int:
        rows = connection.execute(sa.select(t.assignment.c.id, t.assignment.c.item, t.assignment.c.rev)).all()
        chosen = [row for row in rows if chance.random() < share]
        changes = []
        now = time.time()
        for moment, row in zip(np.linspace(now - ago, now, len(chosen)).tolist(), chosen, strict=True):
            points = np.clip(np.round(3 + (row.item % 5 - 2) * 0.6 + chance.normal(0, 0.8, len(DIMENSIONS))), 1, 5)
            values = dict(zip(DIMENSIONS, points.tolist(), strict=True))
            answer: dict[str, Any] = {"values": values, "spans": [], "text": None, "comment": "", "by_default": []}
            changes.append({"wanted": row.id, "new": answer, "next": row.rev + 1, "now": moment})
        query = sa.update(t.assignment).where(t.assignment.c.id == sa.bindparam("wanted"))
        query = query.values(
            answer=sa.bindparam("new", type_=sa.JSON), rev=sa.bindparam("next"), complete=True,
            active_ms=9000, saved=sa.bindparam("now"), first_saved=sa.bindparam("now"),
        )  # fmt: skip
        if changes:
            connection.execute(query, changes)
        return len(changes)

    return project.store.write(write)


def _sign_in(client: TestClient, project: Project) -> None:
    link = next(link for link in project.links() if link.name == "lead")
    assert client.post(link.path, headers={"Origin": HOST}, follow_redirects=False).status_code == 303


def _look(client: TestClient, page: str) -> tuple[float, dict[str, Any]]:
    start = time.process_time()
    response = client.get(f"/api/lead/{page}")
    spent = time.process_time() - start
    return spent, response.raise_for_status().json()


def _looks(project: Project, count: int) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """CPU seconds of the looks at each page, the first one right after the start; the last dashboard."""
    spent: dict[str, list[float]] = {"start": [], "dashboard": [], "quality": []}
    start = time.process_time()
    with TestClient(create_app(project), base_url=HOST) as client:
        _sign_in(client, project)
        # The thread that makes things ready has begun; it holds the lock until they are.
        client.get("/api/lead/comments").raise_for_status()
        spent["start"].append(time.process_time() - start)
        for number in range(8):
            for page in ("quality", "dashboard"):
                seconds, view = _look(client, page)
                spent[page].append(seconds)
            _rate(project, number + 1, 250 / count)
        _, view = _look(client, "dashboard")
    return spent, view


def _largest_difference(project: Project, view: dict[str, Any]) -> float:
    with project.store.read() as connection:
        rated = results(connection, project, Library(), system_codes(connection, project)).ratings
    wanted = agreement(
        plain_ratings(rated), ("krippendorff-alpha", "cohen-kappa", "fleiss-kappa"), by=("dimension",), resamples=0
    ).frame.to_dicts()
    pairs = zip(view["agreement"], wanted, strict=True)
    return float(max(abs(ours["value"] - theirs["value"]) for ours, theirs in pairs))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dialogues", type=int, default=70)
    parser.add_argument("--annotators", type=int, default=100)
    asked = parser.parse_args()
    table = {
        "annotators": [f"p{number:03d}" for number in range(asked.annotators)],
        "dimensions": [{"name": name, "scale": "1-5"} for name in DIMENSIONS],
    }
    with tempfile.TemporaryDirectory() as folder:
        section = AnnotateSection.model_validate(table)
        with Project.open(Path(folder) / "study.db", section, _corpus(asked.dialogues), name="desk", seed=1) as project:
            count = _rate(project, 0, 1.0, ago=3600)
            spent, view = _looks(project, count)
            difference = _largest_difference(project, view)
    print(f"{count:,} assignments, {asked.annotators} annotators, seconds of CPU")
    print(f"made ready at the start: {spent['start'][0]:.2f}")
    for page in ("dashboard", "quality"):
        first, *later = spent[page]
        middle = sorted(later)[len(later) // 2]
        print(f"{page}: first look {first:.3f}; after 250 saves each {middle:.3f}, most {max(later):.3f}")
    print(f"largest difference from the full computation: {difference:.1e}")
    slowest = max(*spent["dashboard"], *spent["quality"])
    return int(slowest >= 0.2 or difference > 1e-9)


if __name__ == "__main__":
    sys.exit(main())
