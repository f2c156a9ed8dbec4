"""Who gets in, who is kept out, and what stands before every request."""

import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from dialgauge.annotate import _schema as tables, _shield, create_app
from dialgauge.annotate._access import sign
from dialgauge.annotate._shield import LARGEST_BODY, Limiter
from tests.annotate.annotate_api import HOST, open_study


def test_a_link_is_exchanged_once(database: Path | str) -> None:
    with open_study(database) as study:
        link = next(link for link in study.project.links() if link.name == "ada")
        client = TestClient(study.app, base_url=HOST, follow_redirects=False)
        # Looking does not use it up: programs that preview links only look.
        assert [client.get(link.path).status_code for _ in range(3)] == [200] * 3
        entered = client.post(link.path)
        cookie = entered.headers["set-cookie"]
        assert (entered.status_code, entered.headers["location"]) == (303, "/work")
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        other = TestClient(study.app, base_url=HOST)
        assert other.post(link.path).status_code == 410
        assert other.get(link.path).status_code == 410
        fresh = next(link for link in study.project.links() if link.name == "ada")
        assert fresh.path != link.path


def test_links_expire_are_revoked_and_cannot_be_forged(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        lead = study.person("lead")
        client = TestClient(study.app, base_url=HOST)
        link = next(link for link in study.project.links() if link.name == "bo")
        token = link.path.removeprefix("/enter/")
        link_id, expires, mac = token.split(".")
        for forged in (
            f"{link_id}.{int(expires) + 99}.{mac}",
            f"{link_id}.{expires}.{'A' * len(mac)}",
            f"{link_id}.{'9' * 5000}.{mac}",
            sign("another secret", link_id, float(expires)),
            sign(study.project.secret, "unknown", float(expires)),
            "nonsense",
            "a.b.c",
        ):
            assert client.post(f"/enter/{forged}").status_code == 404, forged
        bo = next(one for one in lead.get("/api/lead/dashboard")["annotators"] if one["name"] == "bo")
        lead.send("POST", f"/api/lead/annotators/{bo['id']}", {"action": "revoke"})
        assert "link-revoked" in client.get(link.path).text or client.get(link.path).status_code == 410
        old = {"id": "old", "annotator": bo["id"], "created": 0.0, "expires": float(int(time.time()) - 5)}
        study.project.store.write(lambda connection: connection.execute(sa.insert(tables.link).values(**old)))
        assert client.get(f"/enter/{sign(study.project.secret, 'old', old['expires'])}").status_code == 410


def test_revoking_ends_the_session_at_once(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        lead, bo = study.person("lead"), study.person("bo")
        bo.get("/api/pages")
        number = next(one["id"] for one in lead.get("/api/lead/dashboard")["annotators"] if one["name"] == "bo")
        lead.send("POST", f"/api/lead/annotators/{number}", {"action": "revoke"})
        bo.get("/api/pages", status=401)
        bo.get("/work", status=401)


def test_logging_out_ends_the_session(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        ada = study.person("ada")
        cookie = dict(ada.client.cookies)
        assert ada.client.post("/logout", headers={"Origin": HOST}).status_code == 403
        assert ada.client.post("/logout", data={"csrf": ada.csrf}, headers={"Origin": HOST}).status_code == 303
        ada.client.cookies.update(cookie)
        ada.get("/api/pages", status=401)


def test_changes_need_the_token_and_the_origin(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        ada, bo = study.person("ada"), study.person("bo")
        item = ada.pages()[0]["items"][0]["id"]
        body = {"key": "0" * 32, "rev": 0, "values": {}}
        put = lambda **headers: ada.client.put(f"/api/assignments/{item}", json=body, headers=headers)  # noqa: E731
        assert put(Origin=HOST).status_code == 403
        assert put(Origin=HOST, **{"X-CSRF-Token": bo.csrf}).status_code == 403
        assert put(Origin=HOST, **{"X-CSRF-Token": "é".encode()}).status_code == 403
        for origin in ("https://evil.example", "null", "http://127.0.0.1:81", "https://127.0.0.1"):
            assert put(Origin=origin, **{"X-CSRF-Token": ada.csrf}).json()["error"] == "origin"
        assert put(Origin=HOST, **{"X-CSRF-Token": ada.csrf}).status_code == 200


def test_other_names_of_this_machine_are_refused(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        for host, status in (("evil.example", 421), ("localhost:8321", 401), ("[::1]:8321", 401), ("10.0.0.5", 401)):
            client = TestClient(study.app, base_url=f"http://{host}")
            assert client.get("/api/pages").status_code == status, host


def test_https_has_secure_cookies(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        app = create_app(study.project, public_url="https://rate.example.org")
        client = TestClient(app, base_url="https://rate.example.org", follow_redirects=False)
        link = study.project.links()[0]
        entered = client.post(link.path, headers={"Origin": "https://rate.example.org"})
        assert "Secure" in entered.headers["set-cookie"]
        assert "strict-transport-security" in entered.headers


def test_every_answer_has_a_strict_policy(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        ada = study.person("ada")
        nonces = set()
        for path in ("/work", "/guidelines", "/api/pages", "/nowhere", "/static/nothing.js"):
            response = ada.client.get(path)
            policy = response.headers["content-security-policy"]
            assert "unsafe" not in policy
            assert "default-src 'none'" in policy
            assert response.headers["x-content-type-options"] == "nosniff"
            if path.startswith(("/api/", "/static/")):
                assert "script-src" not in policy  # none at all
            else:
                nonces.add(policy.split("nonce-")[1].split("'")[0])
        assert len(nonces) == 3
        response = ada.client.get("/work")
        assert response.headers["content-security-policy"].split("nonce-")[1].split("'")[0] in response.text


def test_annotators_have_no_way_to_the_leads_side(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        ada, lead = study.person("ada"), study.person("lead")
        stranger = TestClient(study.app, base_url=HOST)
        paths = [path for path in study.app._application.openapi()["paths"] if path.startswith("/api/lead")]
        assert len(paths) > 10
        for path in paths:
            url = path.replace("{number}", "1").replace("{format}", "csv").replace("{kind}", "sheets")
            url = url.replace("{key}", "0" * 32)
            for method, body in (("GET", None), ("POST", _body(path))):
                codes = [
                    ada.client.request(method, url, json=body, headers={"X-CSRF-Token": ada.csrf}).status_code,
                    stranger.request(method, url, json=body).status_code,
                ]
                assert codes in ([403, 401], [405, 405], [404, 404]), (method, url, codes)
        assert lead.client.get("/api/pages").status_code == 403
        assert ada.client.get("/lead").status_code == 403
        assert stranger.get("/lead").status_code == 401


def _body(path: str) -> dict[str, object]:
    bodies: dict[str, dict[str, object]] = {
        "/api/lead/gate": {"decision": "stop"},
        "/api/lead/annotators": {"name": "eve"},
        "/api/lead/annotators/{number}": {"action": "pause"},
        "/api/lead/adjudicate": {"adjudicator": "ada"},
        "/api/lead/password": {"password": "long enough to do"},
        "/api/lead/plan": {"dimension": "relevance"},
        "/api/lead/late/{key}": {"decision": "leave"},
        "/api/lead/leads": {"name": "eve"},
        "/api/lead/comments": {"read": {"x": 1}},
        "/api/lead/leads/{number}": {"role": "owner"},
    }
    return bodies.get(path, {})


def test_the_leads_password(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        lead = study.person("lead")
        client = TestClient(study.app, base_url=HOST, follow_redirects=False)
        assert client.post("/lead/login", data={"password": ""}).status_code == 403
        assert lead.send("POST", "/api/lead/password", {"password": "short"}, status=422)["error"] == "invalid"
        lead.send("POST", "/api/lead/password", {"password": "correct horse 电池"})
        assert client.post("/lead/login", data={"password": "correct horse"}).status_code == 403
        entered = client.post("/lead/login", data={"password": "correct horse 电池"})
        assert (entered.status_code, entered.headers["location"]) == (303, "/lead")
        assert client.get("/api/lead/dashboard").status_code == 200
        actions = [entry["action"] for entry in lead.get("/api/lead/audit")["entries"]]
        assert actions[:4] == ["login", "login-failed", "password-set", "login-failed"]
        with study.project.store.read() as connection:
            stored = connection.execute(sa.select(tables.lead.c.password)).scalars().all()
        assert [value.startswith("$argon2") for value in stored] == [True]


@pytest.fixture
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """All requests come at once, however long the machine takes for them."""
    monkeypatch.setattr(_shield, "time", SimpleNamespace(monotonic=lambda: 0.0))


@pytest.mark.usefixtures("stopped_clock")
def test_passwords_cannot_be_tried_out_fast(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        client = TestClient(study.app, base_url=HOST)
        codes = [client.post("/lead/login", data={"password": str(number)}).status_code for number in range(12)]
        assert codes == [403] * 10 + [429] * 2


@pytest.mark.usefixtures("stopped_clock")
def test_requests_that_are_too_large_or_too_many(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db", rate=5) as study:
        ada = study.person("ada")
        headers = {"X-CSRF-Token": ada.csrf, "Origin": HOST}
        whole = ada.client.put("/api/assignments/x", content=b"x" * (LARGEST_BODY + 1), headers=headers)
        assert (whole.status_code, whole.json()["error"]) == (413, "too-large")
        pieces = (b"x" * 65536 for _ in range(5))
        assert ada.client.put("/api/assignments/x", content=pieces, headers=headers).status_code == 413
        codes = [ada.client.get("/api/session").status_code for _ in range(40)]
        assert codes[0] == 200
        assert codes[-1] == 429


@pytest.mark.parametrize("burst", [1, 5])
def test_the_limiter_lets_through_its_rate(burst: int) -> None:
    limiter = Limiter(rate=2, burst=burst, most_keys=3)
    assert [limiter.wait("a", now=0.0) == 0 for _ in range(burst + 1)] == [True] * burst + [False]
    assert limiter.wait("b", now=0.0) == 0
    assert limiter.wait("a", now=0.5) == 0
    assert limiter.wait("a", now=0.5) == pytest.approx(0.5)
    for key in "cdef":
        limiter.wait(key, now=0.5)
    assert len(limiter._buckets) == 3
