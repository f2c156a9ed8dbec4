from dialgauge.checker._calls import (
    call_like as call_like,
)
from dialgauge.checker._example import (
    Couple as Couple,
    Example as Example,
    Group as Group,
)
from dialgauge.checker._exchanges import (
    exchange_groups as exchange_groups,
)
from dialgauge.checker._folder import (
    CheckerCard as CheckerCard,
    read_checker_card as read_checker_card,
)
from dialgauge.checker._judge import (
    Doubt as Doubt,
    Judged as Judged,
    JudgedSentence as JudgedSentence,
    judge as judge,
    judge_many as judge_many,
)
from dialgauge.checker._marked import (
    check_with_model as check_with_model,
)
from dialgauge.checker._material import (
    Material as Material,
    Source as Source,
)
from dialgauge.checker._pairs import (
    examples_of as examples_of,
    groups_of as groups_of,
)
from dialgauge.checker._settings import (
    CheckerSettings as CheckerSettings,
)
from dialgauge.checker._training import (
    TrainedChecker as TrainedChecker,
    train_checker as train_checker,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.
