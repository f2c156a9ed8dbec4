"""The lead's password, stored as its argon2 hash."""

from sqlalchemy.engine import Connection

from dialgauge.annotate._access import RefusedError, log
from dialgauge.annotate._project import Project, get_setting, set_setting

SHORTEST = 10


def password_fits(project: Project, password: str) -> bool:
    """Whether this is the lead's password; False if none is set."""
    from argon2 import PasswordHasher
    from argon2.exceptions import Argon2Error, InvalidHashError

    with project.store.read() as connection:
        stored = get_setting(connection, "password")
    if stored is None:
        return False
    try:
        return PasswordHasher().verify(stored, password)
    except (Argon2Error, InvalidHashError):
        return False


def hash_password(password: str) -> str:
    """The hash of a password that is long enough."""
    from argon2 import PasswordHasher

    if len(password) < SHORTEST:
        raise RefusedError(422, "invalid", f"A password needs at least {SHORTEST} characters.")
    return PasswordHasher().hash(password)


def set_password(connection: Connection, hashed: str) -> None:
    """Set the lead's password."""
    set_setting(connection, "password", hashed)
    log(connection, "lead", "password-set")
