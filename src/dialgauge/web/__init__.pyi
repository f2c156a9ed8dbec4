from dialgauge.web._pages import (
    PAGE_SCRIPT as PAGE_SCRIPT,
    environment as environment,
    inline_css as inline_css,
    page as page,
)
from dialgauge.web._svg import (
    Figure as Figure,
    box as box,
    dot as dot,
    drawing as drawing,
    group as group,
    horizontal_grid as horizontal_grid,
    line as line,
    linear as linear,
    text as text,
    ticks as ticks,
    vertical_grid as vertical_grid,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.web._pages import (
    data_block as data_block,
    data_value as data_value,
    inline_policy as inline_policy,
    served_policy as served_policy,
    static_folder as static_folder,
)
from dialgauge.web._svg import (
    Rows as Rows,
    Scale as Scale,
    figure_data as figure_data,
    rounded as rounded,
    short as short,
    slug as slug,
    tick_text as tick_text,
)
