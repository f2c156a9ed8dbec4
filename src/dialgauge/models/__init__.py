"""Models: where their weights come from, what kinds there are, and how texts go through them in batches."""

from dialgauge.models._assets import ASSETS, EMBEDDED, Asset, find_asset
from dialgauge.models._available import CHAT_ADDRESS, CHAT_KEY, check_available
from dialgauge.models._batching import (
    TooLargeError,
    Watcher,
    batches,
    report_progress,
    run_batched,
    watching,
    watching_part,
)
from dialgauge.models._chat import BudgetError, ChatAnswer, ChatBudget, ChatEndpoint
from dialgauge.models._convert import convert
from dialgauge.models._device import DEVICES, DTYPES, choose_device, default_budget
from dialgauge.models._fetch import HubUnreachableError, fetch_asset, fetch_hub
from dialgauge.models._load import Model, NeuralKind, check_files, load, need_packages, quiet_loading, unload
from dialgauge.models._parser import load_parser
from dialgauge.models._refs import KINDS, Kind, ModelRef
from dialgauge.models._resolve import Resolved, contents, hub_folder, model_signature, resolve
from dialgauge.models._states import EncoderStates, windows
from dialgauge.models._stored import StoredConfig, stated_licence, stored_config
from dialgauge.models._training import (
    EpochRecord,
    TrainingPlan,
    TrainingRecord,
    digest_of,
    remove_checkpoint,
    train,
)
from dialgauge.models._usage import ChatUsage, TokenPrice
from dialgauge.models._vectors import WordVectors, load_vectors

__all__ = [
    "ASSETS",
    "CHAT_ADDRESS",
    "CHAT_KEY",
    "DEVICES",
    "DTYPES",
    "EMBEDDED",
    "KINDS",
    "Asset",
    "BudgetError",
    "ChatAnswer",
    "ChatBudget",
    "ChatEndpoint",
    "ChatUsage",
    "EncoderStates",
    "EpochRecord",
    "HubUnreachableError",
    "Kind",
    "Model",
    "ModelRef",
    "NeuralKind",
    "Resolved",
    "StoredConfig",
    "TokenPrice",
    "TooLargeError",
    "TrainingPlan",
    "TrainingRecord",
    "Watcher",
    "WordVectors",
    "batches",
    "check_available",
    "check_files",
    "choose_device",
    "contents",
    "convert",
    "default_budget",
    "digest_of",
    "fetch_asset",
    "fetch_hub",
    "find_asset",
    "hub_folder",
    "load",
    "load_parser",
    "load_vectors",
    "model_signature",
    "need_packages",
    "quiet_loading",
    "remove_checkpoint",
    "report_progress",
    "resolve",
    "run_batched",
    "stated_licence",
    "stored_config",
    "train",
    "unload",
    "watching",
    "watching_part",
    "windows",
]
