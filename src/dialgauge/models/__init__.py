"""Models: where their weights come from, what kinds there are, and how texts go through them in batches."""

from dialgauge.models._assets import ASSETS, EMBEDDED, Asset, find_asset
from dialgauge.models._available import CHAT_ADDRESS, CHAT_KEY, check_available
from dialgauge.models._batching import Watcher, batches, report_progress, run_batched, watching
from dialgauge.models._device import DEVICES, DTYPES, choose_device, default_budget
from dialgauge.models._load import Model, NeuralKind, load, need_packages, unload
from dialgauge.models._refs import KINDS, Kind, ModelRef
from dialgauge.models._resolve import Resolved, contents, hub_folder, model_signature, resolve
from dialgauge.models._states import EncoderStates, windows

__all__ = [
    "ASSETS",
    "CHAT_ADDRESS",
    "CHAT_KEY",
    "DEVICES",
    "DTYPES",
    "EMBEDDED",
    "KINDS",
    "Asset",
    "EncoderStates",
    "Kind",
    "Model",
    "ModelRef",
    "NeuralKind",
    "Resolved",
    "Watcher",
    "batches",
    "check_available",
    "choose_device",
    "contents",
    "default_budget",
    "find_asset",
    "hub_folder",
    "load",
    "model_signature",
    "need_packages",
    "report_progress",
    "resolve",
    "run_batched",
    "unload",
    "watching",
    "windows",
]
