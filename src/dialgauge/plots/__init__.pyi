from dialgauge.plots._charts import (
    chart as chart,
    chart_names as chart_names,
    charts as charts,
    save_charts as save_charts,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.plots._charts import (
    FORMATS as FORMATS,
    save_chart as save_chart,
    with_wide_font as with_wide_font,
)
