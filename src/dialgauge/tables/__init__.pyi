from dialgauge.tables._latex import escape_latex as escape_latex
from dialgauge.tables._model import (
    Cell as Cell,
    Column as Column,
    Part as Part,
    Row as Row,
    Table as Table,
    listing as listing,
    matrix as matrix,
)
from dialgauge.tables._numbers import (
    estimate_cell as estimate_cell,
    number_cell as number_cell,
    number_rows as number_rows,
)
from dialgauge.tables._render import FORMATS as FORMATS, render_table as render_table
from dialgauge.tables._results import FrameResult as FrameResult
from dialgauge.tables._texts import number as number

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.tables._alike import group_alike as group_alike
from dialgauge.tables._console import (
    fits_width as fits_width,
    print_table as print_table,
    room_beside as room_beside,
)
from dialgauge.tables._csv import (
    csv_text as csv_text,
    escape_formulas_in as escape_formulas_in,
    unescape_formulas_in as unescape_formulas_in,
)
from dialgauge.tables._markdown import escape_markdown as escape_markdown
from dialgauge.tables._model import text_cell as text_cell
from dialgauge.tables._numbers import best_of as best_of, stars_of as stars_of
from dialgauge.tables._results import notebook_table as notebook_table
from dialgauge.tables._texts import (
    NOTHING as NOTHING,
    estimate as estimate,
    harmless as harmless,
    interval as interval,
)
