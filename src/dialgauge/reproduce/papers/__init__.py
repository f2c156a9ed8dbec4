"""The papers that dialgauge recomputes: printed numbers (``NAME.toml``), and a module with a ``PAPER`` for each."""
