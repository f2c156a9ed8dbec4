"""The data sets themselves. ``unverified`` lists the facts that could not be checked."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from dialgauge.corpus._corpus import Corpus
from dialgauge.corpus.catalogue._dialogue_sets import read_csds, read_dialogsum, read_samsum, read_tweetsumm
from dialgauge.corpus.catalogue._entry import Dataset, RemoteFile
from dialgauge.corpus.catalogue._rated_sets import (
    read_dialsummeval,
    read_faceval,
    read_summedits,
    read_summeval,
    read_tofueval,
)
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.files import check_folder

_ALL = (
    Dataset(
        name="dialsummeval",
        title="DialSummEval (Gao & Wan 2022) and its reproduction",
        what="ratings of 14 systems on SAMSum chats, by three annotators on four dimensions",
        size="100 dialogues, 1,400 summaries, 16,800 ratings (twice)",
        language="en",
        licence="none stated; SAMSum texts: CC BY-NC-ND 4.0",
        ratings=True,
        home="https://github.com/kite99520/DialSummEval",
        paper="Gao & Wan, NAACL 2022; Camara et al., ML Reproducibility Challenge 2022",
        how="Downloads the original ratings from the reproduction's repository, which has them with annotator 3's "
        "coherence put right (the authors' own file repeats annotator 2's there). The reproduction's and the "
        "ablation's ratings are published as spreadsheets; they are read from human_reproduction.jsonl and "
        "human_ablation.jsonl beside dialogues.jsonl and summaries.jsonl.",
        unverified="We did not download the file from this address.",
        files=(
            RemoteFile(
                "https://raw.githubusercontent.com/tricodex/Reproducing_DialSummEval/"
                "4df482161a1d07205993c516576ce03735dc0946/original_annotations/human_judgment.jsonl",
                "human_judgment.jsonl",
                git_blob="ed1e1e7",
            ),
        ),
        parts=("original", "reproduction", "ablation"),
        markers=("human_judgment.jsonl", "human_original.jsonl"),
        read=read_dialsummeval,
    ),
    Dataset(
        name="samsum",
        title="SAMSum (Gliwa et al. 2019)",
        what="messenger chats written by linguists, a reference each",
        size="16,369 dialogues (14,732 / 818 / 819)",
        language="en",
        licence="CC BY-NC-ND 4.0",
        ratings=False,
        home="https://arxiv.org/abs/1911.12237",
        paper="Gliwa et al., NewSum 2019",
        how="Downloads corpus.7z from arXiv; unpack it beside itself with 7z (train.json, val.json, test.json). "
        "A folder of the datasets package or a hub snapshot of SAMSum is read with read_corpus.",
        unverified="The address is from other projects; no checksum is known.",
        files=(RemoteFile("https://arxiv.org/src/1911.12237v2/anc/corpus.7z", "corpus.7z"),),
        parts=("all", "train", "validation", "test"),
        markers=("samsum.test.jsonl.gz", "samsum.test.jsonl", "val.json"),
        read=read_samsum,
    ),
    Dataset(
        name="dialogsum",
        title="DialogSum (Chen et al. 2021)",
        what="face-to-face dialogues with topics; three references on test",
        size="13,460 dialogues (12,460 / 500 / 500) and 100 hidden ones",
        language="en",
        licence="CC BY-NC-SA 4.0",
        ratings=False,
        home="https://github.com/cylnlp/dialogsum",
        paper="Chen et al., Findings of ACL 2021",
        how="Downloads the JSONL files of the authors' repository.",
        unverified="The address of train is not checked; those of dev and test follow the repository's listing.",
        files=tuple(
            RemoteFile(
                "https://raw.githubusercontent.com/cylnlp/dialogsum/848cc8c05e0a04def79326539de827f1b28786a0/"
                f"DialogSum_Data/dialogsum.{split}.jsonl",
                f"dialogsum.{split}.jsonl",
            )
            for split in ("train", "dev", "test", "hiddentest.dialogue", "hiddentest.topic")
        ),
        parts=("all", "train", "dev", "test", "hiddentest"),
        markers=("dialogsum.test.jsonl",),
        read=read_dialogsum,
    ),
    Dataset(
        name="tweetsumm",
        title="TweetSumm (Feigenblat et al. 2021)",
        what="customer care on Twitter; three abstractive and three extractive summaries each",
        size="1,100 dialogues, about 6,500 summaries",
        language="en",
        licence="CDLA-Sharing-1.0; the tweets: see Kaggle",
        ratings=False,
        home="https://github.com/guyfe/Tweetsumm",
        paper="Feigenblat et al., Findings of EMNLP 2021",
        how="Downloads the annotations. The tweets are in twcs.csv of Kaggle's 'Customer Support on Twitter' "
        "(thoughtvector/customer-support-on-twitter), which needs an account: put that file into the same folder.",
        unverified="The address of the test file follows those of train and valid; no checksums are known.",
        files=tuple(
            RemoteFile(
                "https://raw.githubusercontent.com/guyfe/Tweetsumm/3aebc7351ea72069426e6bcbb35bebd4a06235af/"
                f"tweet_sum_data_files/final_{split}_tweetsum.jsonl",
                f"final_{split}_tweetsum.jsonl",
            )
            for split in ("train", "valid", "test")
        ),
        parts=("all", "train", "valid", "test"),
        markers=("final_test_tweetsum.jsonl", "final_train_tweetsum.jsonl"),
        read=read_tweetsumm,
    ),
    Dataset(
        name="csds",
        title="CSDS (Lin et al. 2021) with the outputs of RODS (Lin et al. 2022)",
        what="Chinese customer service; summaries of the user's side, the agent's side and the whole",
        size="800 test dialogues, with the outputs of ten systems",
        language="zh",
        licence="none stated (derived from JDDC, research use)",
        ratings=False,
        home="https://github.com/xiaolinAndy/CSDS",
        paper="Lin et al., EMNLP 2021; Lin et al., ACL 2022",
        how="The authors publish train.json, val.json and test.json on Google Drive and Baidu (links in their README), "
        "the outputs of RODS in github.com/xiaolinAndy/RODS under results/CSDS. Put the JSON files into one folder.",
        unverified="The JSON files on the drives were not checked; their layout follows the authors' README.",
        parts=("all", "train", "val", "test"),
        markers=("csds_test_dialogues.jsonl", "val.json"),
        read=read_csds,
    ),
    Dataset(
        name="summeval",
        title="SummEval (Fabbri et al. 2021)",
        what="ratings of 16 systems on news articles, by three experts and five crowd workers",
        size="100 articles, 1,600 summaries, 11 references each",
        language="en",
        licence="MIT; articles: CNN/DailyMail",
        ratings=True,
        home="https://github.com/Yale-LILY/SummEval",
        paper="Fabbri et al., TACL 2021",
        how="Downloads the annotations, which come without the articles; pair them with CNN/DailyMail by the authors' "
        "script to have the sources too. News, not dialogues: for comparison.",
        unverified="No checksum is known.",
        files=(
            RemoteFile(
                "https://storage.googleapis.com/sfr-summarization-repo-research/model_annotations.aligned.jsonl",
                "model_annotations.aligned.jsonl",
            ),
        ),
        parts=("expert", "crowd"),
        markers=("model_annotations.aligned.jsonl", "model_annotations.aligned.paired.jsonl"),
        read=read_summeval,
    ),
    Dataset(
        name="tofueval",
        title="TofuEval (Tang et al. 2024)",
        what="topic-focused summaries of interviews and meetings; linguists judged each sentence's consistency",
        size="6 systems, about 1,800 summaries, 5,000 sentences",
        language="en",
        licence="not verified",
        ratings=True,
        home="https://github.com/amazon-science/tofueval",
        paper="Tang et al., NAACL 2024",
        how="Downloads the judgements. The documents are MediaSum's and MeetingBank's: the authors' README says how to "
        "make {mediasum,meetingbank}_{dev,test}_doc.csv. The authors ask not to train on this benchmark.",
        unverified="The licence, and that this commit is the latest version.",
        files=tuple(
            RemoteFile(
                "https://raw.githubusercontent.com/amazon-science/tofueval/0c0084df58ef6878945bac63e6de638dc29a2b81/"
                f"factual_consistency/{source}_factual_eval_{split}.csv",
                f"{source}_factual_eval_{split}.csv",
            )
            for source in ("mediasum", "meetingbank")
            for split in ("dev", "test")
        ),
        parts=("all", "mediasum", "meetingbank"),
        markers=("mediasum_factual_eval_dev.csv", "meetingbank_factual_eval_dev.csv"),
        read=read_tofueval,
    ),
    Dataset(
        name="faceval",
        title="FacEval (Wang et al. 2022)",
        what="kinds of factual error in the summaries of four systems and in the references of SAMSum",
        size="150 dialogues, 750 summaries",
        language="en",
        licence="none stated; SAMSum texts: CC BY-NC-ND 4.0",
        ratings=True,
        home="https://github.com/BinWang28/FacEval",
        paper="Wang et al., EMNLP 2022",
        how="Downloads the table of judgements.",
        unverified="No checksum is known; the file does not say how many people made each judgement.",
        files=(
            RemoteFile(
                "https://raw.githubusercontent.com/BinWang28/FacEval/1ef1bfb83ae2a0986723645aafb776462fe3061c/"
                "human_result/FacEval_human_result.csv",
                "FacEval_human_result.csv",
            ),
        ),
        markers=("FacEval_human_result.csv",),
        read=read_faceval,
    ),
    Dataset(
        name="summedits",
        title="SummEdits (Laban et al. 2023)",
        what="summaries edited by a model, judged consistent or not; dialogue domains: samsum, qmsumm, sales_call",
        size="10 domains, about 6,350 edited summaries",
        language="en",
        licence="CC BY 4.0 (not verified)",
        ratings=True,
        home="https://github.com/salesforce/factualNLG",
        paper="Laban et al., EMNLP 2023",
        how="Downloads the three dialogue domains from the authors' repository; summedits.json of the hub is read too.",
        unverified="The licence is the hub's as other projects give it; documents have their own. No checksum known.",
        files=tuple(
            RemoteFile(
                "https://raw.githubusercontent.com/salesforce/factualNLG/639f58a55baf34b32fe4b0137c062735fa9e360a/"
                f"data/summedits/summedits_{domain}.json",
                f"summedits_{domain}.json",
            )
            for domain in ("samsum", "qmsumm", "sales_call")
        ),
        parts=("all", "samsum", "qmsumm", "sales_call", "ectsum", "news", "podcast", "sales_email", "scitldr"),
        markers=("summedits_samsum.json", "summedits.json"),
        read=read_summedits,
    ),
    Dataset(
        name="sst",
        title="Stanford Sentiment Treebank (Socher et al. 2013)",
        what="words and phrases of film reviews with their sentiment, for word-level taggers; not dialogues",
        size="11,855 sentences (8,544 / 1,101 / 2,210)",
        language="en",
        licence="none stated; research use",
        ratings=False,
        home="https://nlp.stanford.edu/sentiment/",
        paper="Socher et al., EMNLP 2013",
        how="Downloads the trees as published.",
        unverified="The checksum is from another public project.",
        files=(
            RemoteFile(
                "https://nlp.stanford.edu/sentiment/trainDevTestTrees_PTB.zip",
                "trainDevTestTrees_PTB.zip",
                sha256="5c613a4f673fc74097d523a2c83f38e0cc462984d847b82c7aaf36b01cbbbfcc",
            ),
        ),
        markers=("trainDevTestTrees_PTB.zip",),
    ),
)

#: The catalogue, by name.
DATASETS: Mapping[str, Dataset] = {entry.name: entry for entry in _ALL}


def get_dataset(name: str) -> Dataset:
    """The entry of the catalogue with this name (a part after a colon is ignored)."""
    base = name.partition(":")[0]
    if base not in DATASETS:
        raise UnknownNameError("data set", base, DATASETS)
    return DATASETS[base]


def read_dataset(name: str, folder: str | PathLike[str] | None = None) -> Corpus:
    """A public data set from a folder that holds it: ``read_dataset("dialsummeval:reproduction", "data")``.

    The folder may have the published layout; by default it is the one that ``dialgauge datasets get`` made.
    """
    dataset = get_dataset(name)
    if dataset.read is None:
        raise InputError(f"{dataset.name} is not a data set of dialogues and summaries: {dataset.what}")
    part = name.partition(":")[2] or (dataset.parts[0] if dataset.parts else "")
    if part and part not in dataset.parts:
        raise UnknownNameError(f"part of {dataset.name}", part, dataset.parts)
    path = dataset.folder if folder is None else Path(folder)
    check_folder(path, f"; fetch it with 'dialgauge datasets get {dataset.name}'" if folder is None else "")
    try:
        return dataset.read(path, part).with_language(dataset.language)
    except (KeyError, TypeError) as error:
        raise InputError(f"{path}: {dataset.name} does not have a known layout: no field {error}") from error
