/**
 * The life of an edit, without network, storage or clock, so that it can be checked by itself.
 *
 * edited        made, but not to be sent yet: somebody still types, or Enter has not been pressed (`waits` says which)
 * queued        waits for its turn
 * sending       its request is under way, or its answer was lost: it is repeated with the same key and the same body,
 *               which the server counts once
 * acknowledged  the server has it on its disk, as the answer or as a late change: it leaves the box
 * refused       the server does not take it: it is kept with the reason until the annotator or a newer edit decides
 * superseded    a newer edit of the same item, which says everything that this one said, has taken its place
 *
 * An entry per item: `sending`, `next` (edited or queued) and `refused`, each an edit or null, and `draft`, texts that are
 * too long to be sent. No answer of the server, whatever it is, removes an edit that the server does not have.
 */
export const STATES = ["edited", "queued", "sending", "acknowledged", "refused", "superseded"];

const EMPTY = { sending: null, next: null, refused: null, draft: null };

/** What an answer means. `reply` is the JSON of our own server, or null where something else has answered. */
export function meaningOf(status, reply) {
  if (status === 200 && Number.isInteger(reply?.rev)) return "stored";
  if (status === 202 && reply?.kept) return "kept";
  // A redirect or a page in place of JSON: a login wall or a proxy stands between, and the server has not been asked.
  if (status === 0) return "signed-out";
  if (!reply?.error) return "unreachable";
  if (status === 401 || status === 403) return "signed-out";
  if (status === 409 && reply.error === "conflict") return "conflict";
  if (status === 409 && reply.error === "key-reused") return "key-reused";
  if (status === 404 || status === 409 || status === 410) return "closed";
  if (status === 400 || status === 413 || status === 422) return "invalid";
  return "unreachable";
}

/** Which state an edit of an entry is in. */
export function stateOf(edit) {
  return edit.waits ? "edited" : "queued";
}

/** The newest edit of an entry that the server has not acknowledged, or null. */
export function newest(entry) {
  return entry ? (entry.next ?? entry.sending ?? entry.refused?.edit ?? null) : null;
}

/** Whether there is a request to make. */
export function isDue(entry) {
  return Boolean(entry.sending || (entry.next && !entry.next.waits));
}

/** The entry with a further edit. What has not left yet is superseded, and its working time is carried over. */
export function withEdit(entry, edit, draft = null) {
  const { sending, next, refused } = entry ?? EMPTY;
  const older = next ?? refused?.edit ?? null;
  const made = { ...edit, rev: older?.rev ?? edit.rev, active_ms: edit.active_ms + (older?.active_ms ?? 0) };
  if (refused?.reason === "conflict") return { ...EMPTY, refused: { ...refused, edit: made }, draft };
  return { sending, next: made, refused: null, draft };
}

/** The entry with its next edit on the way. An edit whose answer is unknown comes first, unchanged. */
export function departed(entry) {
  return entry.sending ? entry : { ...entry, sending: entry.next, next: null };
}

/**
 * The entry after an answer (null when nothing is left of it) and the state that the edit on the way has reached.
 * `fresh` is a key for an edit whose own key the server knows as that of another change.
 */
export function withAnswer(entry, meaning, { reply, at, fresh }) {
  const { sending, next, draft } = entry;
  if (meaning === "stored") {
    return { state: "acknowledged", entry: orNull({ ...EMPTY, next: next && { ...next, rev: reply.rev }, draft }) };
  }
  // Behind a late change the base stays: the server puts one on top of the other.
  if (meaning === "kept") return { state: "acknowledged", entry: orNull({ ...EMPTY, next, draft }) };
  if (meaning === "key-reused") return { state: "queued", entry: { ...entry, sending: { ...sending, key: fresh } } };
  const last = next ? { ...next, active_ms: next.active_ms + sending.active_ms } : sending;
  if (meaning === "conflict") {
    return refusal(last, { reason: "conflict", theirs: reply.current }, at, draft);
  }
  // What was wrong may be right in the newer edit.
  if (meaning === "invalid" && next) return { state: "superseded", entry: { ...EMPTY, next: last, draft } };
  if (meaning === "invalid" || meaning === "closed") {
    const { error, message, problems } = reply;
    return refusal(last, { reason: meaning, error, message, problems: problems ?? [] }, at, draft);
  }
  return { state: "sending", entry };
}

function refusal(edit, why, at, draft) {
  return { state: "refused", entry: { ...EMPTY, refused: { edit, at, ...why }, draft } };
}

/** The entry whose refused edit is sent again, as it was. */
export function withRetry(entry) {
  if (!entry.refused || entry.refused.reason === "conflict") return entry;
  return { ...EMPTY, next: { ...entry.refused.edit, waits: null }, draft: entry.draft };
}

/** The entry after a conflict was settled, by this edit or (null) by what the server has. */
export function withChoice(entry, edit) {
  return orNull({ ...EMPTY, next: edit, draft: entry.draft });
}

/** The entry without its refused edit: the annotator has decided against it. */
export function withoutRefused(entry) {
  return orNull({ ...entry, refused: null });
}

/** The entry without the texts that were too long. */
export function withDraft(entry, draft) {
  return orNull({ ...(entry ?? EMPTY), draft });
}

/** The entry of a tab that is gone: nobody types there any more, and what was closed then may be open now. */
export function reopened(entry) {
  if (entry.next?.waits === "typing") return { ...entry, next: { ...entry.next, waits: null } };
  return entry.refused?.reason === "closed" ? withRetry(entry) : entry;
}

function orNull(entry) {
  return entry.sending || entry.next || entry.refused || entry.draft ? entry : null;
}

/**
 * The one line that says how things stand: its name and how many items it is about. "saved" only when the server has
 * everything.
 */
export function lineOf(entries, { offline, unkept, aside }) {
  const count = (test) => entries.filter(test).length;
  const conflicts = count(({ refused }) => refused?.reason === "conflict");
  const lines = [
    ["memory", unkept],
    ["refused", aside + count(({ refused }) => refused && refused.reason !== "conflict")],
    ["conflict", conflicts],
    ["draft", count(({ draft }) => draft)],
    ["offline", offline ? count(isDue) : 0],
    ["saving", count(isDue)],
    ["edited", entries.length],
  ];
  const [name, number] = lines.find(([, number]) => number > 0) ?? ["saved", 0];
  return { name, count: number };
}
