"""The parameter ``lang``: the language whose rules split a text."""

from dialgauge.language import find_language, language_signature
from dialgauge.metrics._metric import Parameter


class LanguageParameter(Parameter):
    """A language code. The default is not in signatures, so that signatures from before this parameter stay valid."""

    __slots__ = ()

    def check(self, owner: str, name: str, value: str) -> None:
        """Reject an unknown language code."""
        if value != self.default:
            find_language(value)

    def signed(self, value: str) -> str | None:
        """The code and the version of the language's rules."""
        return None if value == self.default else language_signature(value)


def language_parameter(default: str, help: str) -> Parameter:
    """The parameter with this default code (``""``: no particular language)."""
    return LanguageParameter(default, (), f"{help}; 'dialgauge languages' lists the codes")
