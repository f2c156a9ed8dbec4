from dialgauge.checker._example import (
    Example as Example,
)
from dialgauge.checker._material import (
    Material as Material,
    Source as Source,
)
from dialgauge.checker._pairs import (
    examples_of as examples_of,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.
