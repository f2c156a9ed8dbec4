"""The papers that dialgauge recomputes: printed numbers (``NAME.toml``), and a module that declares each."""
