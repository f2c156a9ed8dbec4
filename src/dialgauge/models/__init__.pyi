from dialgauge.models._assets import (
    ASSETS as ASSETS,
)
from dialgauge.models._assets import (
    EMBEDDED as EMBEDDED,
)
from dialgauge.models._assets import (
    Asset as Asset,
)
from dialgauge.models._assets import (
    find_asset as find_asset,
)
from dialgauge.models._available import (
    CHAT_ADDRESS as CHAT_ADDRESS,
)
from dialgauge.models._available import (
    CHAT_KEY as CHAT_KEY,
)
from dialgauge.models._available import (
    check_available as check_available,
)
from dialgauge.models._batching import (
    TooLargeError as TooLargeError,
)
from dialgauge.models._batching import (
    Watcher as Watcher,
)
from dialgauge.models._batching import (
    batches as batches,
)
from dialgauge.models._batching import (
    report_progress as report_progress,
)
from dialgauge.models._batching import (
    run_batched as run_batched,
)
from dialgauge.models._batching import (
    watching as watching,
)
from dialgauge.models._batching import (
    watching_part as watching_part,
)
from dialgauge.models._chat import (
    BudgetError as BudgetError,
)
from dialgauge.models._chat import (
    ChatAnswer as ChatAnswer,
)
from dialgauge.models._chat import (
    ChatBudget as ChatBudget,
)
from dialgauge.models._chat import (
    ChatEndpoint as ChatEndpoint,
)
from dialgauge.models._convert import (
    convert as convert,
)
from dialgauge.models._device import (
    DEVICES as DEVICES,
)
from dialgauge.models._device import (
    DTYPES as DTYPES,
)
from dialgauge.models._device import (
    choose_device as choose_device,
)
from dialgauge.models._device import (
    default_budget as default_budget,
)
from dialgauge.models._fetch import (
    HubUnreachableError as HubUnreachableError,
)
from dialgauge.models._fetch import (
    fetch_asset as fetch_asset,
)
from dialgauge.models._fetch import (
    fetch_hub as fetch_hub,
)
from dialgauge.models._load import (
    Model as Model,
)
from dialgauge.models._load import (
    NeuralKind as NeuralKind,
)
from dialgauge.models._load import (
    check_files as check_files,
)
from dialgauge.models._load import (
    load as load,
)
from dialgauge.models._load import (
    need_packages as need_packages,
)
from dialgauge.models._load import (
    quiet_loading as quiet_loading,
)
from dialgauge.models._load import (
    unload as unload,
)
from dialgauge.models._parser import (
    load_parser as load_parser,
)
from dialgauge.models._refs import (
    KINDS as KINDS,
)
from dialgauge.models._refs import (
    Kind as Kind,
)
from dialgauge.models._refs import (
    ModelRef as ModelRef,
)
from dialgauge.models._resolve import (
    Resolved as Resolved,
)
from dialgauge.models._resolve import (
    contents as contents,
)
from dialgauge.models._resolve import (
    hub_folder as hub_folder,
)
from dialgauge.models._resolve import (
    model_signature as model_signature,
)
from dialgauge.models._resolve import (
    resolve as resolve,
)
from dialgauge.models._states import (
    EncoderStates as EncoderStates,
)
from dialgauge.models._states import (
    windows as windows,
)
from dialgauge.models._stored import (
    StoredConfig as StoredConfig,
)
from dialgauge.models._stored import (
    stated_licence as stated_licence,
)
from dialgauge.models._stored import (
    stored_config as stored_config,
)
from dialgauge.models._training import (
    EpochRecord as EpochRecord,
)
from dialgauge.models._training import (
    TrainingPlan as TrainingPlan,
)
from dialgauge.models._training import (
    TrainingRecord as TrainingRecord,
)
from dialgauge.models._training import (
    digest_of as digest_of,
)
from dialgauge.models._training import (
    remove_checkpoint as remove_checkpoint,
)
from dialgauge.models._training import (
    train as train,
)
from dialgauge.models._usage import (
    ChatUsage as ChatUsage,
)
from dialgauge.models._usage import (
    TokenPrice as TokenPrice,
)
from dialgauge.models._vectors import (
    WordVectors as WordVectors,
)
from dialgauge.models._vectors import (
    load_vectors as load_vectors,
)
