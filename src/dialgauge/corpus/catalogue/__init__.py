"""The catalogue of public data sets: where each is published, under which licence, how to get it, and its reader."""

from dialgauge.corpus.catalogue._datasets import DATASETS, get_dataset, read_dataset
from dialgauge.corpus.catalogue._download import fetch_dataset
from dialgauge.corpus.catalogue._entry import Dataset, RemoteFile

__all__ = ["DATASETS", "Dataset", "RemoteFile", "fetch_dataset", "get_dataset", "read_dataset"]
