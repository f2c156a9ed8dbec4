/**
 * Edits on their way to the server. Every edit is written to localStorage before anything else happens, so neither a
 * reload nor a lost connection loses it; it leaves the box only when the server has acknowledged it.
 *
 * An entry per item: `sent` is a request whose answer is not known (it is repeated with the same key and the same
 * body, which the server counts once), `next` the newest edit behind it, `conflict` what the server has instead.
 * Each tab has a box of its own. A box whose tab is gone is taken over by the next tab that opens; should both still
 * send it, the keys make that harmless.
 */
const RETRY_MS = [1000, 2000, 4000, 8000, 15_000];
const ANSWER_MS = 15_000;
const ROLL_CALL_MS = 200;

export class Outbox extends EventTarget {
  #entries = {};
  #send;
  #space;
  #tab = randomKey();
  #channel;
  #running = false;
  #failures = 0;
  #timer = 0;

  /** `space` names the annotator, so that two people at one browser never mix; `send(item, body)` gives {status, reply}. */
  constructor(space, send) {
    super();
    this.#space = `dialgauge:${space}:`;
    this.#send = send;
    this.#channel = new BroadcastChannel(this.#space);
    this.#channel.onmessage = ({ data }) => {
      if (data.asks && data.asks !== this.#tab) this.#channel.postMessage({ here: this.#tab });
    };
    addEventListener("online", () => this.flush());
    addEventListener("beforeunload", (event) => {
      // The edits are safe in this browser, but only this browser: worth a question when the server has not seen them.
      if (this.offline) event.preventDefault();
    });
  }

  /** Takes over what tabs that no longer answer have left behind, then sends it. */
  async open() {
    const alive = new Set([this.#tab]);
    const listen = ({ data }) => data.here && alive.add(data.here);
    this.#channel.addEventListener("message", listen);
    this.#channel.postMessage({ asks: this.#tab });
    await new Promise((resolve) => setTimeout(resolve, ROLL_CALL_MS));
    this.#channel.removeEventListener("message", listen);
    for (const name of Object.keys(localStorage).filter((key) => key.startsWith(this.#space))) {
      if (alive.has(name.slice(this.#space.length))) continue;
      const left = JSON.parse(localStorage.getItem(name));
      for (const item of Object.keys(left)) {
        if (item in this.#entries) continue;
        this.#entries[item] = left[item];
        delete left[item];
      }
      this.#store();
      if (Object.keys(left).length) localStorage.setItem(name, JSON.stringify(left));
      else localStorage.removeItem(name);
    }
    this.flush();
  }

  /** The newest edit of an item that the server has not acknowledged, or null. */
  pending(item) {
    const entry = this.#entries[item];
    return entry ? (entry.next ?? entry.sent ?? entry.conflict?.mine ?? null) : null;
  }

  conflict(item) {
    return this.#entries[item]?.conflict ?? null;
  }

  get waiting() {
    return Object.values(this.#entries).filter((entry) => entry.sent || entry.next).length;
  }

  get conflicts() {
    return Object.keys(this.#entries).filter((item) => this.#entries[item].conflict);
  }

  get offline() {
    return this.waiting > 0 && this.#failures > 0;
  }

  /** Queues an edit made on top of revision `rev`; replaces an edit of the same item that has not left yet. */
  put(item, rev, edit) {
    const entry = (this.#entries[item] ??= { sent: null, next: null, conflict: null });
    const active = edit.active_ms + (entry.next?.active_ms ?? 0);
    entry.next = { ...edit, key: randomKey(), rev: entry.next?.rev ?? rev, active_ms: active };
    this.#store();
    this.flush();
  }

  /** Ends a conflict: with the edit of this tab on top of the stored revision, or (edit null) with the stored state. */
  settle(item, edit) {
    const { theirs } = this.#entries[item].conflict;
    delete this.#entries[item];
    this.#store();
    if (edit) this.put(item, theirs.rev, edit);
    else this.#changed();
  }

  async flush() {
    if (this.#running) return;
    this.#running = true;
    clearTimeout(this.#timer);
    try {
      for (let item = this.#first(); item !== undefined; item = this.#first()) {
        if (!(await this.#deliver(item))) break;
      }
    } finally {
      this.#running = false;
    }
    if (this.waiting && this.#failures) {
      this.#timer = setTimeout(() => this.flush(), RETRY_MS[Math.min(this.#failures, RETRY_MS.length) - 1]);
    }
    this.#changed();
  }

  /** Waits until everything is acknowledged or `limit` milliseconds are over; says which. */
  async settled(limit = 4000) {
    const end = performance.now() + limit;
    while (this.waiting && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 25));
    return this.waiting === 0;
  }

  #first() {
    return Object.keys(this.#entries).find((item) => this.#entries[item].sent || this.#entries[item].next);
  }

  /** Sends one request of an item and reads the answer; false when the server could not be reached. */
  async #deliver(item) {
    const entry = this.#entries[item];
    if (!entry.sent) {
      entry.sent = entry.next;
      entry.next = null;
      this.#store();
    }
    this.#changed();
    let answer;
    try {
      answer = await this.#send(item, entry.sent, AbortSignal.timeout(ANSWER_MS));
    } catch {
      this.#failures += 1;
      return false;
    }
    const { status, reply } = answer;
    if (status >= 500 || status === 429 || status === 408) {
      this.#failures += 1;
      return false;
    }
    this.#failures = 0;
    if (status === 401 || status === 403) {
      this.#failures = RETRY_MS.length;
      this.#tell("signed-out", {});
      return false;
    }
    this.#settleAnswer(item, entry, status, reply);
    return true;
  }

  #settleAnswer(item, entry, status, reply) {
    const mine = entry.next ?? entry.sent;
    if (status === 200) {
      const sent = entry.sent;
      entry.sent = null;
      if (entry.next) entry.next.rev = reply.rev;
      else delete this.#entries[item];
      this.#store();
      this.#tell("saved", { item, sent, reply });
    } else if (status === 409 && reply?.error === "conflict") {
      Object.assign(entry, { sent: null, next: null, conflict: { mine, theirs: reply.current } });
      this.#store();
      this.#tell("conflict", { item });
    } else {
      delete this.#entries[item];
      this.#store();
      this.#tell("refused", { item, edit: mine, reply });
    }
  }

  #store() {
    const name = this.#space + this.#tab;
    if (Object.keys(this.#entries).length) localStorage.setItem(name, JSON.stringify(this.#entries));
    else localStorage.removeItem(name);
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  #changed() {
    this.#tell("changed", {});
  }
}

/** A random version-4 UUID; crypto.randomUUID itself exists only on secure origins, and a study may run on a plain LAN. */
function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
