from dialgauge.models._batching import (
    TooLargeError as TooLargeError,
    batches as batches,
    run_batched as run_batched,
)
from dialgauge.models._chat import (
    BudgetError as BudgetError,
    ChatAnswer as ChatAnswer,
    ChatBudget as ChatBudget,
    ChatEndpoint as ChatEndpoint,
)
from dialgauge.models._fetch import (
    HubUnreachableError as HubUnreachableError,
)
from dialgauge.models._load import (
    Model as Model,
    NeuralKind as NeuralKind,
    load as load,
)
from dialgauge.models._parser import (
    load_parser as load_parser,
)
from dialgauge.models._refs import (
    Kind as Kind,
    ModelRef as ModelRef,
)
from dialgauge.models._resolve import (
    Resolved as Resolved,
    resolve as resolve,
)
from dialgauge.models._settings import (
    ChatSettings as ChatSettings,
    Precision as Precision,
    TrainingPlan as TrainingPlan,
    TrainingSettings as TrainingSettings,
)
from dialgauge.models._states import (
    windows as windows,
)
from dialgauge.models._training import (
    EpochRecord as EpochRecord,
    TrainingRecord as TrainingRecord,
    train as train,
)
from dialgauge.models._usage import (
    ChatUsage as ChatUsage,
    TokenPrice as TokenPrice,
)
from dialgauge.models._vectors import (
    WordVectors as WordVectors,
    load_vectors as load_vectors,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.models._assets import (
    ASSETS as ASSETS,
    EMBEDDED as EMBEDDED,
    Asset as Asset,
    find_asset as find_asset,
)
from dialgauge.models._available import (
    check_available as check_available,
)
from dialgauge.models._batching import (
    Watcher as Watcher,
    report_progress as report_progress,
    watching as watching,
    watching_part as watching_part,
)
from dialgauge.models._convert import (
    convert as convert,
)
from dialgauge.models._device import (
    DTYPES as DTYPES,
    choose_device as choose_device,
    default_budget as default_budget,
)
from dialgauge.models._fetch import (
    fetch_asset as fetch_asset,
    fetch_hub as fetch_hub,
)
from dialgauge.models._fused import (
    parts_of as parts_of,
    parts_product as parts_product,
    weight_parts as weight_parts,
)
from dialgauge.models._load import (
    check_files as check_files,
    need_packages as need_packages,
    quiet_loading as quiet_loading,
    unload as unload,
)
from dialgauge.models._packed import (
    PackedBart as PackedBart,
    PackedEncoder as PackedEncoder,
    Spans as Spans,
    packed_encoder as packed_encoder,
    to_device as to_device,
)
from dialgauge.models._resolve import (
    contents as contents,
    hub_folder as hub_folder,
    model_signature as model_signature,
)
from dialgauge.models._stored import (
    StoredConfig as StoredConfig,
    stated_licence as stated_licence,
    stored_config as stored_config,
)
from dialgauge.models._training import (
    digest_of as digest_of,
    remove_checkpoint as remove_checkpoint,
    settle as settle,
)
