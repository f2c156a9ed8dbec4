"""From nothing to a first verdict: installs a wheel into an empty environment, and takes the time of three commands.

``check_first_verdict.py dist/dialgauge-*-manylinux*.whl`` downloads what the wheel requires. The data are a CSV file
with the columns that somebody might have: call, model, transcript, summary, annotator, and ratings in further columns.
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

SECONDS = 60.0
FAULTS = ("", "", "The caller was very happy. ", "Nothing was agreed. ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="first-verdict-") as folder:
        home = Path(folder)
        write_calls(home / "calls.csv")
        venv.create(home / "fresh", with_pip=True)
        program = home / "fresh" / "bin"
        commands = (
            [str(program / "pip"), "install", "-q", "--disable-pip-version-check", str(given.wheel.resolve())],
            [str(program / "dialgauge"), "init", "study.toml", "--corpus", "calls.csv"],
            [str(program / "dialgauge"), "run", "study.toml"],
        )
        total = 0.0
        for command in commands:
            start, before = time.perf_counter(), os.times()
            done = subprocess.run(command, cwd=home, capture_output=True, text=True)
            taken = time.perf_counter() - start
            total += taken
            cpu = sum(os.times()[2:4]) - sum(before[2:4])
            print(f"{taken:6.1f} s ({cpu:.1f} s of processor time)  {Path(command[0]).name} {command[1]}")
            if done.returncode:
                sys.exit(done.stdout + done.stderr)
        print(f"{total:6.1f} s  from nothing to a verdict\n\n{done.stdout}")
        sys.exit(total > SECONDS)


def write_calls(path: Path) -> None:
    """Forty calls, four models of which two add faults, three annotators who see them."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["call", "model", "transcript", "summary", "annotator", "consistency", "fluency"])
        for call in range(40):
            wish = ("a refund", "a new card", "a later date", "a technician")[call % 4]
            name = ("Ann", "Bo", "Cem", "Dora", "Eli")[call % 5]
            order = call * 37 + 100
            said = f"Agent: Hello, how can I help?\n{name}: I want {wish} for order {order}.\nAgent: I will see to it."
            for model, fault in enumerate(FAULTS):
                summary = f"{fault}{name} wants {wish} for order {order}."
                for annotator in range(3):
                    grade = 5 - 3 * bool(fault) - (call * 7 + annotator * 3 + model) % 2
                    rows.writerow(
                        [call, f"model-{model}", said, summary, f"rater-{annotator}", grade, 5 - (call + model) % 2]
                    )


if __name__ == "__main__":
    main()
