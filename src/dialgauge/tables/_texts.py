"""Numbers and texts as readers see them. Commands import this module at their start: it needs nothing else."""

#: A dash where there is no number.
NOTHING = "–"


#: Control characters, but for tabs and line breaks.
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), *range(127, 160))}


def number(value: float | None, form: int | str = 2, *, short: bool = False, scale: float = 1.0, unit: str = "") -> str:
    """A number for readers: a real minus sign, no sign before zero, a dash where there is none.

    ``form`` is the number of decimals or a format such as ``".4g"`` or ``"+.2f"``; ``short`` leaves out the zero before
    the point (.93); ``scale`` multiplies (100 for per cent) and ``unit`` follows.
    """
    if value is None:
        return NOTHING
    text = format(value if scale == 1.0 else scale * value, form if isinstance(form, str) else f".{form}f")
    if text.startswith(("-", "+")) and not any(sign in text for sign in "123456789in"):
        text = text[1:]
    if short:
        text = text.replace("0.", ".", 1) if text.lstrip("+-").startswith("0.") else text
    return text.replace("-", "−") + unit


def interval(
    low: float | None, high: float | None, form: int | str = 2, *, between: str = " … ", short: bool = False
) -> str:
    """An interval for readers; a dash where there is none."""
    if low is None or high is None:
        return NOTHING
    return f"{number(low, form, short=short)}{between}{number(high, form, short=short)}"


def estimate(
    value: float | None,
    low: float | None,
    high: float | None,
    form: int | str = 2,
    *,
    ends: int | str | None = None,
    between: str = " ",
    short: bool = False,
) -> str:
    """A number with its interval in brackets, where it has one; ``ends`` is the form of the interval if it differs."""
    text = number(value, form, short=short)
    if value is None or low is None or high is None:
        return text
    return f"{text} [{interval(low, high, form if ends is None else ends, between=between, short=short)}]"


def harmless(text: str) -> str:
    """A text that is safe to print on a terminal: control characters are shown as escapes."""
    return text.translate(_CONTROL)
