"""Which layout a file has, by the keys of its first records."""

from collections.abc import Mapping, Sequence
from typing import Any

from dialgauge.corpus._table import Table
from dialgauge.corpus.layouts._base import Builder, Layout
from dialgauge.corpus.layouts._calls import CALLS
from dialgauge.corpus.layouts._choices import CHOICES
from dialgauge.corpus.layouts._crowds import CROWDS
from dialgauge.corpus.layouts._datasets import DATASETS
from dialgauge.corpus.layouts._feedback import FEEDBACK
from dialgauge.corpus.layouts._pipelines import PIPELINES
from dialgauge.corpus.layouts._platforms import PLATFORMS
from dialgauge.corpus.layouts._published import PUBLISHED
from dialgauge.corpus.layouts._sentences import SENTENCES
from dialgauge.corpus.layouts._standoff import STANDOFF
from dialgauge.corpus.layouts._tools import TOOLS
from dialgauge.errors import InputError

#: All layouts by name; the first whose signature fits is taken.
LAYOUTS: Mapping[str, Layout] = {
    one.name: one
    for one in (
        *CROWDS,
        *TOOLS,
        *STANDOFF,
        *PLATFORMS,
        *PIPELINES,
        *DATASETS,
        *PUBLISHED,
        *SENTENCES,
        *FEEDBACK,
        *CHOICES,
        *CALLS,
    )
}
_LOOKED_AT = 50


def recast(table: Table, mapping: Mapping[str, str | Sequence[str]], name: str | None = None) -> Table | None:
    """The table as its layout says, or None where no layout fits; ``name`` asks for one."""
    head = _records(table, _LOOKED_AT)
    if not head:
        return None
    keys = frozenset(key for _, record in head for key in record)
    layout = LAYOUTS[name] if name else next((one for one in LAYOUTS.values() if one.fits(keys, head[0][1])), None)
    if layout is None:
        return None
    file = table.place(0)[0]
    records = _records(table, None)
    several = {id(record): table.place(number)[0] for number, (_, record) in enumerate(records)}
    builder = Builder(records, mapping, file, files=several if table.records is not None else {})
    try:
        layout.read(builder)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        raise InputError(
            f"looks like {layout.title}, but is not: {error!r}; name the format to read it as it is"
        ) from error
    return builder.table(table, layout)


def _records(table: Table, most: int | None) -> list[tuple[int, dict[str, Any]]]:
    if table.records is not None:
        return list(table.records[:most])
    frame = table.frame if most is None else table.frame.head(most)
    lines = [table.place(row)[1] or 0 for row in range(frame.height)] if most is None else [0] * frame.height
    return list(zip(lines, frame.iter_rows(named=True), strict=True))
