from dialgauge.tables._console import fits_width as fits_width, harmless as harmless, print_table as print_table
from dialgauge.tables._csv import csv_text as csv_text
from dialgauge.tables._latex import escape_latex as escape_latex
from dialgauge.tables._markdown import escape_markdown as escape_markdown
from dialgauge.tables._model import (
    Cell as Cell,
    Column as Column,
    Part as Part,
    Row as Row,
    Table as Table,
    listing as listing,
    matrix as matrix,
    text_cell as text_cell,
)
from dialgauge.tables._numbers import (
    NOTHING as NOTHING,
    best_of as best_of,
    estimate as estimate,
    interval as interval,
    number as number,
    number_cell as number_cell,
    number_rows as number_rows,
    stars_of as stars_of,
)
from dialgauge.tables._render import FORMATS as FORMATS, render_table as render_table
