"""The lead's dashboard of a large study: CPU time of the first look, and of looks between saves.

    python benchmarks/annotate_dashboard.py

28,000 assignments of 100 annotators on four dimensions (280 summaries, rated by all). The bars: 0.2 s of CPU for a look
after further saves, and values equal to the full computation to 1e-9. Exits with 1 where one is missed.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from dialgauge.annotate import AnnotateSection, Project, _schema as t
from dialgauge.annotate._dashboard import dashboard_view
from dialgauge.annotate._desk import Desk
from dialgauge.annotate._library import Library
from dialgauge.annotate._results import plain_ratings, results, system_codes
from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from dialgauge.ratings import agreement

DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")
SYSTEMS = ("a", "b", "c", "d")


def _corpus(dialogues: int) -> Corpus:
    talks = [
        Dialogue(f"d{number}", (Turn("Ann", f"Where is {number}?"), Turn("Ben", "Late.")))
        for number in range(dialogues)
    ]
    return Corpus.build(
        talks, [Summary(talk.id, one, f"Ann asks {talk.id} in way {one}.") for talk in talks for one in SYSTEMS]
    )


def _rate(project: Project, seed: int, share: float) -> int:
    """Answer a share of all assignments; how many."""
    chance = np.random.default_rng(seed)

    def write(connection: Any) -> int:
        rows = connection.execute(sa.select(t.assignment.c.id, t.assignment.c.item, t.assignment.c.rev)).all()
        chosen = [row for row in rows if chance.random() < share]
        changes = []
        for row in chosen:
            points = np.clip(np.round(3 + (row.item % 5 - 2) * 0.6 + chance.normal(0, 0.8, len(DIMENSIONS))), 1, 5)
            values = dict(zip(DIMENSIONS, points.tolist(), strict=True))
            answer: dict[str, Any] = {"values": values, "spans": [], "text": None, "comment": "", "by_default": []}
            changes.append({"wanted": row.id, "new": answer, "next": row.rev + 1, "now": time.time()})
        query = sa.update(t.assignment).where(t.assignment.c.id == sa.bindparam("wanted"))
        query = query.values(
            answer=sa.bindparam("new", type_=sa.JSON), rev=sa.bindparam("next"), complete=True,
            active_ms=9000, saved=sa.bindparam("now"), first_saved=sa.bindparam("now"),
        )  # fmt: skip
        if changes:
            connection.execute(query, changes)
        return len(changes)

    return project.store.write(write)


def _look(project: Project, desk: Desk) -> tuple[float, dict[str, Any]]:
    start = time.process_time()
    with project.store.read() as connection:
        desk.refresh(connection)
        view = dashboard_view(connection, desk)
    return time.process_time() - start, view


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
            count = _rate(project, 0, 1.0)
            desk = Desk(project, Library())
            first, _ = _look(project, desk)
            time.sleep(6)  # the first answers are no longer among the latest
            looks = []
            for number in range(1, 8):
                _rate(project, number, 250 / count)
                spent, view = _look(project, desk)
                looks.append(spent)
            difference = _largest_difference(project, view)
    middle = sorted(looks)[len(looks) // 2]
    print(f"{count:,} assignments, {asked.annotators} annotators: first look {first:.2f} s of CPU")
    print(f"after 250 further saves each: median {middle:.3f} s, most {max(looks):.3f} s of CPU")
    print(f"largest difference from the full computation: {difference:.1e}")
    return int(middle >= 0.2 or difference > 1e-9)


if __name__ == "__main__":
    sys.exit(main())
