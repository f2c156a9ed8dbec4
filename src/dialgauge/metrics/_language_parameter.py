"""The parameter ``lang``: by the rules of which language a text is read."""

from dialgauge.language import find_language, language_signature
from dialgauge.metrics._metric import Parameter


class LanguageParameter(Parameter):
    """The code of a language. The default is not in signatures: values from before there were languages keep theirs."""

    __slots__ = ()

    def check(self, owner: str, name: str, value: str) -> None:
        """Refuse a code that no language has."""
        if value != self.default:
            find_language(value)

    def signed(self, value: str) -> str | None:
        """The code and the version of the language's rules."""
        return None if value == self.default else language_signature(value)


def language_parameter(default: str, help: str) -> Parameter:
    """The parameter, with the code that holds where none is given (``""``: no language in particular)."""
    return LanguageParameter(default, (), f"{help}; 'dialgauge languages' lists the codes")
