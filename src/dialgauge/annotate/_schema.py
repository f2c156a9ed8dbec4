"""The tables of an annotation project. The same on SQLite and PostgreSQL; times are seconds since 1970 (UTC)."""

import sqlalchemy as sa

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
    sa.Column("state", sa.String(12), nullable=False),  # active | paused | replaced
    sa.Column("admitted", sa.Boolean, nullable=False),  # admitted by the lead despite a failed training
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
    sa.Column("reason", sa.String(12), nullable=False),  # paused | closed | moved | dropped | final
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
    sa.Column("annotator", sa.ForeignKey("annotator.id")),  # null: the lead
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("expires", sa.Double, nullable=False),
    sa.Column("used", sa.Double),
    sa.Column("revoked", sa.Double),
)

session = sa.Table(
    "session",
    metadata,
    sa.Column("digest", sa.String(64), primary_key=True),  # of the cookie, which is kept nowhere
    sa.Column("annotator", sa.ForeignKey("annotator.id"), index=True),  # null: the lead
    sa.Column("csrf", sa.String(64), nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("expires", sa.Double, nullable=False),
    sa.Column("revoked", sa.Double),
)

audit = sa.Table(
    "audit",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("action", sa.String(40), nullable=False),
    sa.Column("detail", sa.JSON, nullable=False),
)
