"""Every byte that is sent to an annotator is read: no system, no dialogue's id, no colleague, no colleague's rating."""

import re
from pathlib import Path

import pytest

from dialgauge.annotate._protocol import ready_protocol
from tests.annotate.annotate_api import HOST, SYSTEMS, open_study, small_corpus

_COLLEAGUES = ("zq-bo", "zq-cy")


def _everything_sent(study: object, name: str) -> bytes:
    """What an annotator's browser gets in a whole study, errors and conflicts included."""
    person = study.person(name)  # type: ignore[attr-defined]
    for path in ("/", "/work", "/guidelines", "/api/session", "/openapi.json", "/api/pages"):
        person._keep(person.client.get(path))
    for path in ("/lead", "/api/lead/dashboard", "/api/lead/export/csv", "/api/lead/audit", "/api/pages/nothing"):
        person._keep(person.client.get(path))
    person.get("/start")
    person._keep(person.client.post("/start", data={"csrf": person.csrf}, headers={"Origin": HOST}))
    person._keep(person.client.get("/leave"))
    page = person.pages()[0]
    item = page["items"][0]
    person.save(item["id"], 9, {}, status=409)
    person.save(item["id"], 0, {"nothing": 1}, status=422)
    for _ in range(3):
        person.rate_everything(_answer)
    for page in person.pages():
        person.get(f"/work/{page['id']}")
    return b"\n".join(person.received)


def _answer(item: dict[str, object], name: str) -> object:
    return {"informativeness": [1, 1], "non-redundancy": [2, 2], "fluency": [1, 2]}.get(name, 3)


@pytest.mark.parametrize("protocol", ["dialsummeval", "csds", "contact-centre"])
def test_nothing_that_an_annotator_gets_names_a_system_or_a_colleague(tmp_path: Path, protocol: str) -> None:
    settings = ready_protocol(protocol) | {"annotators": ["ada", *_COLLEAGUES], "link_days": 1}
    if protocol == "csds":
        settings["pilot"] = {"dialogues": 1, "below": "continue"}
    if protocol == "dialsummeval":
        settings["dimensions"] = [d for d in settings["dimensions"] if d["name"] != "fluency"]
    else:
        settings["checks"] = {"every": 2}
    with open_study(tmp_path / "study.db", small_corpus(4), **settings) as study:
        for colleague in _COLLEAGUES:
            person = study.person(colleague)
            for _ in range(3):
                person.rate_everything(_answer, comment=f"a remark of {colleague}")
        sent = _everything_sent(study, "ada")
    assert len(sent) > 20_000
    for secret in (*SYSTEMS, "zq-reference", "zq-dialogue", *_COLLEAGUES, "remark of", "alphatron"):
        assert secret.encode() not in sent, secret
        assert secret.encode("utf-16-le") not in sent
    assert not re.search(rb'"(system|variant|dialogue_id|purpose|annotator)"\s*:\s*"zq', sent)


def test_the_lead_sees_codes_until_the_study_is_unblinded_and_that_is_logged(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        for name, value in (("ada", 1), ("bo", 5), ("cy", 4)):
            study.person(name).rate_everything(value)
        lead = study.person("lead")
        dashboard = lead.get("/api/lead/dashboard")
        assert dashboard["study"]["blinded"] is True
        # Three systems and the reference have codes, the reference is not rated.
        codes = {row["system"] for row in dashboard["disagreements"]}
        assert len(codes) == 3
        assert codes < {"S1", "S2", "S3", "S4"}
        for format in ("jsonl", "csv", "corpus", "sheets", "parquet", "xlsx"):
            lead.get(f"/api/lead/export/{format}")
        sent = b"\n".join(lead.received)
        assert not any(system.encode() in sent for system in SYSTEMS)
        lead.send("POST", "/api/lead/unblind", {"reason": "all rated"})
        systems = {row["system"] for row in lead.get("/api/lead/dashboard")["disagreements"]}
        assert systems == set(SYSTEMS)
        (entry,) = (one for one in lead.get("/api/lead/audit")["entries"] if one["action"] == "unblinded")
        assert entry["detail"] == {"reason": "all rated"}


def test_ids_differ_between_annotators(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        ids = [
            {page["id"] for page in person.pages()} | {item["id"] for page in person.pages() for item in page["items"]}
            for person in (study.person("ada"), study.person("bo"))
        ]
    assert not ids[0] & ids[1]
    assert all(re.fullmatch(r"[\w-]{22}", one) for one in ids[0] | ids[1])
