/**
 * Edits on their way to the server. Every edit is written to this browser's storage before it is sent, so neither a
 * reload nor a lost connection loses it; it leaves the box only when the server has acknowledged it. Where the storage
 * takes nothing the edit is sent all the same, and the page says that it must stay open.
 *
 * Each tab has a box of its own. A box whose tab is gone is taken over by the next tab that opens; should both still
 * send it, the keys make that harmless. Where two tabs that are gone have left edits of one item, the newest is sent and
 * the others are set aside with the refused ones: no edit takes the place of one that the annotator has not seen.
 * What an edit goes through stands in outbox-states.js.
 */
import {
  departed,
  isDue,
  lineOf,
  meaningOf,
  newest,
  reopened,
  withAnswer,
  withChoice,
  withDraft,
  withEdit,
  withRetry,
  withoutRefused,
} from "./outbox-states.js";

const RETRY_MS = [1000, 2000, 4000, 8000, 15_000];
const JITTER = 0.2;

export class Outbox extends EventTarget {
  #entries = new Map();
  #aside = new Map();
  #origins = new Map();
  #unkept = new Set();
  #writes = new Map();
  #turns = new Map();
  #turn = 0;
  #send;
  #store;
  #others;
  #later;
  #now;
  #tab;
  #running = false;
  #failures = 0;
  #pause = 0;
  #timer;

  /**
   * `send(item, body)` gives {status, reply, retryAfter} or throws. `store` has all(), put(name, entry), which says
   * whether it could, and drop(name, entry), which removes an entry that is still the same. `others()` gives the tabs
   * that are alive, `now()` the time; `later(act, ms)` calls and gives what cancels it.
   */
  constructor({ send, store, others, later, now = Date.now, tab = randomKey() }) {
    super();
    this.#send = send;
    this.#store = store;
    this.#others = others;
    this.#later = later;
    this.#now = now;
    this.#tab = tab;
  }

  /** Takes over what tabs that no longer answer have left behind, then sends it. */
  async open() {
    const alive = await this.#others();
    const left = (await this.#store.all()).map(([name, entry]) => ({ name, ...partsOf(name), entry }));
    const mine = left.filter(({ tab }) => tab !== this.#tab && !alive.has(tab));
    mine.sort((a, b) => madeAt(b.entry) - madeAt(a.entry));
    for (const one of mine) {
      if (this.#entries.has(one.item)) this.#aside.set(one.name, one);
      else this.#adopt(one);
    }
    await Promise.all(this.#writes.values());
    this.flush();
  }

  /** The newest edit of an item that the server has not acknowledged, or null. */
  pending(item) {
    return newest(this.#entries.get(item));
  }

  /** The texts of an item that are too long to be sent, or null. */
  draft(item) {
    return this.#entries.get(item)?.draft ?? null;
  }

  conflict(item) {
    const refused = this.#entries.get(item)?.refused;
    return refused?.reason === "conflict" ? { mine: refused.edit, theirs: refused.theirs } : null;
  }

  isRefused(item) {
    return Boolean(this.#entries.get(item)?.refused);
  }

  /** The edits that the server did not take, and those set aside, oldest first; `id` is for retry and discard. */
  get refused() {
    const all = [...this.#entries].filter(([, { refused }]) => refused && refused.reason !== "conflict");
    const aside = [...this.#aside.values()].map(({ name, item, entry }) => ({
      id: name,
      item,
      edit: newest(entry),
      reason: "aside",
      at: madeAt(entry),
    }));
    return [...all.map(([item, { refused }]) => ({ id: item, item, ...refused })), ...aside].sort((a, b) => a.at - b.at);
  }

  get waiting() {
    return [...this.#entries.values()].filter(isDue).length;
  }

  get offline() {
    return this.waiting > 0 && this.#failures > 0;
  }

  /** The line that says how things stand. */
  get line() {
    const parts = { offline: this.#failures > 0, unkept: this.#unkept.size, aside: this.#aside.size };
    return lineOf([...this.#entries.values()], parts);
  }

  /**
   * Queues an edit made on top of revision `rev`. `waits` is "typing" or "enter" where it is not to be sent yet;
   * `draft` has texts that are too long to be part of it.
   */
  put(item, rev, edit, { waits = null, draft = null } = {}) {
    const made = { ...edit, key: randomKey(), rev, waits, made: this.#now() };
    this.#change(item, withEdit(this.#entries.get(item), made, draft));
    return waits ? this.#changed() : this.flush();
  }

  /** Keeps a text that is too long, or forgets it (null). */
  keepDraft(item, draft) {
    this.#change(item, withDraft(this.#entries.get(item), draft));
    this.#changed();
  }

  /** Ends a conflict: with the edit of this tab on top of the stored revision, or (edit null) with the stored state. */
  settle(item, edit) {
    const entry = this.#entries.get(item);
    const made = edit && { ...edit, key: randomKey(), rev: entry.refused.theirs.rev, waits: null, made: this.#now() };
    this.#change(item, withChoice(entry, made));
    this.flush();
  }

  /** Sends a refused edit again; one that was set aside only when nothing of its item is under way. */
  retry(id) {
    const aside = this.#aside.get(id);
    if (aside) {
      if (this.#entries.has(aside.item)) return;
      this.#aside.delete(id);
      this.#adopt(aside);
    } else this.#change(id, withRetry(this.#entries.get(id)));
    this.flush();
  }

  /** Gives a refused edit up. */
  discard(id) {
    const aside = this.#aside.get(id);
    if (aside) {
      this.#aside.delete(id);
      this.#store.drop(aside.name, aside.entry);
    } else this.#change(id, withoutRefused(this.#entries.get(id)));
    this.#changed();
  }

  /** Something may have changed at the server or on the way to it: tries again what was closed. */
  wake() {
    for (const [item, entry] of this.#entries) {
      if (entry.refused?.reason === "closed") this.#change(item, withRetry(entry));
    }
    this.flush();
  }

  async flush() {
    this.#changed();
    if (this.#running) return;
    this.#running = true;
    this.#timer?.();
    try {
      for (let item = this.#first(); item !== undefined; item = this.#first()) {
        if (!(await this.#deliver(item))) break;
      }
    } finally {
      this.#running = false;
    }
    if (this.waiting && this.#failures) this.#timer = this.#later(() => this.flush(), this.#delay());
    this.#changed();
  }

  /** Waits until everything is acknowledged or `limit` milliseconds are over; says which. */
  async settled(limit = 4000) {
    const end = performance.now() + limit;
    while (this.waiting && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 25));
    return this.waiting === 0;
  }

  #first() {
    for (const [item, entry] of this.#entries) if (isDue(entry)) return item;
    return undefined;
  }

  #delay() {
    const usual = RETRY_MS[Math.min(this.#failures, RETRY_MS.length) - 1] * (1 + JITTER * (2 * Math.random() - 1));
    return Math.max(usual, this.#pause);
  }

  /** Sends one request of an item and reads the answer; false when the server could not be reached. */
  async #deliver(item) {
    this.#change(item, departed(this.#entries.get(item)));
    // On the disk of this browser first. Where that fails there is the more reason to send.
    await this.#writes.get(item);
    this.#changed();
    const { sending } = this.#entries.get(item);
    let answer;
    try {
      answer = await this.#send(item, bodyOf(sending));
    } catch {
      answer = { status: 504, reply: null };
    }
    const { status, reply } = answer;
    const meaning = meaningOf(status, reply);
    if (meaning === "unreachable" || meaning === "signed-out") {
      this.#failures = meaning === "signed-out" ? RETRY_MS.length : this.#failures + 1;
      this.#pause = 1000 * (answer.retryAfter ?? 0);
      if (meaning === "signed-out") this.#tell("signed-out", {});
      return false;
    }
    this.#failures = this.#pause = 0;
    const after = withAnswer(this.#entries.get(item), meaning, { reply, at: this.#now(), fresh: randomKey() });
    this.#change(item, after.entry);
    if (after.state === "acknowledged") this.#tell(meaning === "kept" ? "kept" : "saved", { item, sent: sending, reply });
    else if (after.state === "refused") this.#tell(meaning === "conflict" ? "conflict" : "refused", { item });
    return true;
  }

  /** Takes over an entry of a tab that is gone; its record goes when ours is on the disk. */
  #adopt({ name, item, entry }) {
    this.#origins.set(item, { name, entry });
    this.#change(item, reopened(entry), { adopted: true });
  }

  /** Puts an entry into the box, and into the storage. */
  #change(item, entry, { adopted = false } = {}) {
    if (entry) this.#entries.set(item, entry);
    else this.#entries.delete(item);
    this.#writes.set(item, this.#write(item, entry, adopted));
  }

  async #write(item, entry, adopted) {
    const written = this.#store.put(`${this.#tab}/${item}`, entry);
    const turn = (this.#turn += 1);
    this.#turns.set(item, turn);
    const kept = await written;
    const origin = this.#origins.get(item);
    if (kept && origin) {
      this.#origins.delete(item);
      await this.#store.drop(origin.name, origin.entry);
    }
    if (this.#turns.get(item) !== turn) return;
    if (!entry) for (const known of [this.#turns, this.#writes]) known.delete(item);
    const before = this.#unkept.size;
    if (kept || !entry) this.#unkept.delete(item);
    else if (!adopted) this.#unkept.add(item);
    if (before !== this.#unkept.size) this.#changed();
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  #changed() {
    this.#tell("changed", {});
  }
}

/** What the server gets of an edit: the rest is for this browser. */
function bodyOf({ key, rev, values, spans, text, comment, active_ms }) {
  return { key, rev, values, spans, text, comment, active_ms };
}

function partsOf(name) {
  const cut = name.indexOf("/");
  return { tab: name.slice(0, cut), item: name.slice(cut + 1) };
}

function madeAt(entry) {
  return newest(entry)?.made ?? 0;
}

/** A random version-4 UUID; crypto.randomUUID itself exists only on secure origins, and a study may run on a plain LAN. */
export function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
