"""The tables of an annotation project. The same on SQLite and PostgreSQL; times are seconds since 1970 (UTC)."""

import sqlalchemy as sa
from sqlalchemy.engine import Connection

metadata = sa.MetaData()

#: What holds for the whole project: its protocol, its secret, the stage that is open.
setting = sa.Table(
    "setting",
    metadata,
    sa.Column("name", sa.String(40), primary_key=True),
    sa.Column("value", sa.JSON, nullable=False),
)

annotator = sa.Table(
    "annotator",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(80), nullable=False, unique=True),
    sa.Column("role", sa.String(12), nullable=False),  # annotator | adjudicator
    sa.Column("state", sa.String(12), nullable=False),  # active | paused | replaced | dropped | withdrawn
    sa.Column("admitted", sa.Boolean, nullable=False),  # admitted by the lead despite a failed training
    sa.Column("counts", sa.Boolean, nullable=False, server_default=sa.true()),  # false: ratings are left out
)

#: Those who run the study. The first is called "lead"; sessions and links without an annotator are theirs.
lead = sa.Table(
    "lead",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(80), nullable=False, unique=True),
    sa.Column("role", sa.String(12), nullable=False),  # owner | manager | viewer
    sa.Column("state", sa.String(12), nullable=False),  # active | removed
    sa.Column("password", sa.Text),  # its argon2 hash
    sa.Column("created", sa.Double, nullable=False),
)

#: Who an annotator is on a crowd platform. Nothing else knows; deleting a row makes the ratings anonymous.
identity = sa.Table(
    "identity",
    metadata,
    sa.Column("annotator", sa.ForeignKey("annotator.id"), primary_key=True),
    sa.Column("provider", sa.String(20), nullable=False),
    sa.Column("external_id", sa.String(200), nullable=False),
    sa.Column("session", sa.String(200), nullable=False),
    sa.UniqueConstraint("provider", "external_id"),
)

#: How far an annotator is outside of rating: consent, guidelines, quiz, and how they left.
participation = sa.Table(
    "participation",
    metadata,
    sa.Column("annotator", sa.ForeignKey("annotator.id"), primary_key=True),
    sa.Column("arrived", sa.Double, nullable=False),
    sa.Column("consent_version", sa.String(40)),
    sa.Column("consent_digest", sa.String(64)),  # SHA-256 of the text
    sa.Column("consented", sa.Double),
    sa.Column("screening", sa.JSON),  # answers to the questions of the consent page
    sa.Column("guidelines_digest", sa.String(64)),  # of the text that was read
    sa.Column("guidelines_read", sa.Double),
    sa.Column("quiz_tries", sa.Integer, nullable=False, server_default="0"),
    sa.Column("quiz_passed", sa.Double),
    sa.Column("outcome", sa.String(20)),  # complete | failed_checks | screened_out | no_consent | returned
    sa.Column("left", sa.Double),
)

#: Comments that the lead has read, up to a revision of the answer.
comment_read = sa.Table(
    "comment_read",
    metadata,
    sa.Column("assignment", sa.ForeignKey("assignment.id"), primary_key=True),
    sa.Column("rev", sa.Integer, nullable=False),
)

dialogue = sa.Table(
    "dialogue",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("dialogue_id", sa.Text, nullable=False),
    sa.Column("language", sa.String(40)),
    sa.Column("turns", sa.JSON, nullable=False),
    sa.Column("own", sa.Boolean, nullable=False),  # written for training, not of the corpus
)

summary = sa.Table(
    "summary",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("dialogue", sa.ForeignKey("dialogue.id"), nullable=False, index=True),
    sa.Column("system", sa.Text, nullable=False),
    sa.Column("variant", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("kind", sa.String(12), nullable=False),  # system | reference | training | check
    sa.Column("text", sa.Text, nullable=False),
)

#: What is answered at once: a summary to rate, summaries to compare, a text to write or to review.
item = sa.Table(
    "item",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(12), nullable=False),  # rate | compare | best-worst | write | review
    sa.Column("purpose", sa.String(12), nullable=False),  # main | training | check
    sa.Column("dialogue", sa.ForeignKey("dialogue.id"), nullable=False, index=True),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("summaries", sa.JSON, nullable=False),  # ids
    sa.Column("reference", sa.ForeignKey("summary.id")),
    sa.Column("expected", sa.JSON),  # training and checks: the right values
    sa.Column("feedback", sa.Text),
    sa.Column("subject", sa.String(40)),  # review: the assignment whose text is reviewed
)

#: A dialogue for one annotator, with all items about it.
page = sa.Table(
    "page",
    metadata,
    sa.Column("id", sa.String(40), primary_key=True),  # opaque
    sa.Column("annotator", sa.ForeignKey("annotator.id"), nullable=False, index=True),
    sa.Column("dialogue", sa.ForeignKey("dialogue.id"), nullable=False, index=True),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("stage", sa.String(16), nullable=False),  # training | pilot | main | review | adjudication
    sa.Column("number_of_pass", sa.Integer, nullable=False),  # 1 …; 0: all dimensions together
    sa.Column("round", sa.Integer, nullable=False, server_default="1"),  # of a pilot that was repeated
    sa.Column("position", sa.Integer, nullable=False),
)

#: An item for one annotator, and the current answer.
assignment = sa.Table(
    "assignment",
    metadata,
    sa.Column("id", sa.String(40), primary_key=True),  # opaque
    sa.Column("page", sa.ForeignKey("page.id"), nullable=False, index=True),
    sa.Column("annotator", sa.ForeignKey("annotator.id"), nullable=False, index=True),
    sa.Column("item", sa.ForeignKey("item.id"), nullable=False, index=True),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("shown", sa.JSON, nullable=False),  # ids of the summaries in the order shown
    sa.Column("rev", sa.Integer, nullable=False),
    sa.Column("answer", sa.JSON, nullable=False),
    sa.Column("complete", sa.Boolean, nullable=False),
    sa.Column("active_ms", sa.Integer, nullable=False),
    sa.Column("first_saved", sa.Double),
    sa.Column("saved", sa.Double),
    sa.UniqueConstraint("page", "item"),
)

#: Every change that was ever acknowledged; rows are never changed.
event = sa.Table(
    "event",
    metadata,
    sa.Column("key", sa.String(40), primary_key=True),  # chosen by the client: the same change has the same key
    sa.Column("assignment", sa.ForeignKey("assignment.id"), nullable=False),
    sa.Column("rev", sa.Integer, nullable=False),
    sa.Column("answer", sa.JSON, nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("active_ms", sa.Integer, nullable=False),
    sa.Column("source", sa.String(20), nullable=False),  # browser | sheets | label-studio
    sa.Column("at", sa.Double, nullable=False),
    sa.UniqueConstraint("assignment", "rev"),
)

#: A change that came when the answer was closed to it: kept as it was sent, until it is taken or left.
late = sa.Table(
    "late",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),  # in the order of arrival
    sa.Column("key", sa.String(40), nullable=False, unique=True),
    sa.Column("assignment", sa.String(40), nullable=False, index=True),
    sa.Column("annotator", sa.ForeignKey("annotator.id"), nullable=False, index=True),
    sa.Column("item", sa.ForeignKey("item.id"), nullable=False),
    sa.Column("body", sa.JSON, nullable=False),  # the change as the browser sent it
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("reason", sa.String(12), nullable=False),  # paused | closed | moved | dropped | final | conflict
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("outcome", sa.String(12)),  # taken | left; null: open
    sa.Column("settled", sa.Double),
)

#: A page that is open in front of somebody is not given to somebody else before this time.
lease = sa.Table(
    "lease",
    metadata,
    sa.Column("page", sa.String(40), primary_key=True),
    sa.Column("until", sa.Double, nullable=False),
)

#: An assignment whose page was given to somebody else: what is needed to accept what its annotator still sends.
moved = sa.Table(
    "moved",
    metadata,
    sa.Column("assignment", sa.String(40), primary_key=True),
    sa.Column("page", sa.JSON, nullable=False),  # the row of the page as it was
    sa.Column("annotator", sa.ForeignKey("annotator.id"), nullable=False, index=True),
    sa.Column("item", sa.ForeignKey("item.id"), nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("shown", sa.JSON, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
)

link = sa.Table(
    "link",
    metadata,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("annotator", sa.ForeignKey("annotator.id")),  # null: a lead
    sa.Column("lead", sa.ForeignKey("lead.id")),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("expires", sa.Double, nullable=False),
    sa.Column("used", sa.Double),
    sa.Column("revoked", sa.Double),
)

session = sa.Table(
    "session",
    metadata,
    sa.Column("digest", sa.String(64), primary_key=True),  # of the cookie, which is kept nowhere
    sa.Column("annotator", sa.ForeignKey("annotator.id"), index=True),  # null: a lead
    sa.Column("lead", sa.ForeignKey("lead.id")),
    sa.Column("csrf", sa.String(64), nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("expires", sa.Double, nullable=False),
    sa.Column("revoked", sa.Double),
)

#: What was done, by whom. Each entry has a hash of all before it, so that no change goes unseen; see ``_audit.py``.
audit = sa.Table(
    "audit",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("action", sa.String(40), nullable=False),
    sa.Column("detail", sa.JSON, nullable=False),  # {} once it was erased
    sa.Column("salt", sa.String(40)),  # null once the detail was erased
    sa.Column("digest", sa.String(64)),  # of salt and detail
    sa.Column("head", sa.String(64)),  # of the previous head and this entry
)


def add_missing_columns(connection: Connection) -> None:
    """Bring a database of an earlier version up to date: columns are only ever added."""
    inspector = sa.inspect(connection)
    for table in metadata.sorted_tables:
        have = {column["name"] for column in inspector.get_columns(table.name)}
        for column in table.columns:
            if column.name not in have:
                kind = sa.schema.CreateColumn(column).compile(dialect=connection.dialect)
                connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {kind}")
