__all__: list[str]  # The names below are for other rooms only.

from dialgauge.web._pages import (
    PAGE_SCRIPT as PAGE_SCRIPT,
    data_block as data_block,
    data_value as data_value,
    environment as environment,
    inline_css as inline_css,
    inline_policy as inline_policy,
    page as page,
    served_policy as served_policy,
    static_folder as static_folder,
)
from dialgauge.web._svg import (
    Figure as Figure,
    Rows as Rows,
    Scale as Scale,
    box as box,
    dot as dot,
    drawing as drawing,
    figure_data as figure_data,
    group as group,
    horizontal_grid as horizontal_grid,
    line as line,
    linear as linear,
    rounded as rounded,
    short as short,
    slug as slug,
    text as text,
    tick_text as tick_text,
    ticks as ticks,
    vertical_grid as vertical_grid,
)
