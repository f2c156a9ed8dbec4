"""The keys that answer the questions of a protocol, as the welcome page names them (``questions.js`` has them too)."""

from dialgauge.annotate._protocol import AnnotateSection
from dialgauge.ratings import Scale

#: A scale with more points than this is a slider, beside a field for the number.
MOST_BUTTONS = 11


def answer_keys(section: AnnotateSection) -> list[tuple[str, str]]:
    """Keys that choose an answer, as first and last of each range, without repeats; none where a text is written."""
    if section.task == "write":
        return []
    if section.task == "compare":
        return [("1", str(len(section.pair_answers)))]
    if section.task == "best-worst":
        return [("1", str(section.candidates))]
    scales = [dimension.points() for dimension in section.dimensions]
    return list(dict.fromkeys(_keys(scale) for scale in scales if not is_slider(scale)))


def is_slider(scale: Scale) -> bool:
    """Whether a scale is answered by a number that is typed or drawn."""
    return scale.step is None or len(scale.points) > MOST_BUTTONS


def _keys(scale: Scale) -> tuple[str, str]:
    if scale.name == "yes/no":
        return ("y", "n")
    points = scale.points
    if all(point == int(point) and 0 <= point <= 10 for point in points):
        # Ten has no key of its own: 0 stands for it.
        return (f"{points[0]:g}", "0" if points[-1] == 10 else f"{points[-1]:g}")
    return ("1", str(len(points)))
