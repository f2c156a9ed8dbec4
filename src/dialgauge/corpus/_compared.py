"""Tables of comparisons and of marks: pairs with a winner, best-worst tuples, spans."""

import re

from dialgauge.corpus._best_worst import are_marks, by_person, choices, find_best_and_worst, marked_choices
from dialgauge.corpus._mapping import Mapped
from dialgauge.corpus._marks import find_marks, spans
from dialgauge.corpus._names import normalised
from dialgauge.corpus._pairs import find_winners, preferences, refuse_signed, votes
from dialgauge.corpus._sides import options_of
from dialgauge.corpus._table import Table
from dialgauge.corpus._wide import summaries_by_system

#: What stands in brackets at the end of a heading: "Preferred (1/2/equal)".
#: What says which column of an option it is, "Summary A (system)", stays.
_NOTE = re.compile(r"\s*[(\[](?!(?:text|system|model|name)\b)[^()\[\]]*[)\]]\s*$", re.IGNORECASE)


def with_comparisons(table: Table, mapping: Mapped) -> Table:
    """The table with its comparisons or marks taken out of the rows; unchanged where there are none."""
    ignored = mapping.get("ignore", ())
    ignored = (ignored,) if isinstance(ignored, str) else ignored
    names = {column: normalised(_NOTE.sub("", column)) for column in table.frame.columns if column not in ignored}
    whole = {column: normalised(column) for column in names}  # "Best (Ivo)" is Ivo's
    if "annotator" not in mapping and (parted := by_person(table, whole)) is not None:
        table, names = parted, {column: normalised(column) for column in parted.frame.columns}
    options = options_of(table.frame, names)
    ends = find_best_and_worst(names)
    if ends and len(options) < 2:  # the options are the systems that have a column of summaries each
        options = {system: {"summary": column} for system, column in summaries_by_system(table.frame, names).items()}
    if len(options) >= 2 and ends:
        return choices(table, mapping, options, *ends)
    if ends and are_marks(table.frame, ends):
        return marked_choices(table, mapping, *ends)
    if len(options) == 2:
        winners = find_winners(table.frame, names, options)
        if winners:
            return preferences(table, mapping, options, winners)
        if all("system" in uses for uses in options.values()):
            refuse_signed(table.frame, names, options)
    systems = {} if options or {"system", "summary"} & set(mapping) else summaries_by_system(table.frame, names)
    if len(systems) == 2 and (voted := votes(table, mapping, systems)) is not None:
        return voted
    marks = None if table.further else find_marks(table.frame, names)
    return table if marks is None else spans(table, mapping, marks)
