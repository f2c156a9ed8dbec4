/**
 * The outbox of the annotators' page, as it is, against a modelled server, network and disk that fail at random.
 *
 * After each step two things must hold. Nothing is lost: the newest edit of every item and tab is at the server, in a
 * box on the disk, or in the box of a tab that lives; excepted are edits that somebody decided against, and edits in
 * memory at the end of a tab that said so. No false sign: a tab that says "saved" has all its edits at the server.
 */
const ITEMS = ["a", "b", "c"];
const MOST_TABS = 3;

export async function runModel(Outbox, { steps, seed }) {
  const world = new World(Outbox, randomNumbers(seed));
  await world.open();
  for (let step = 0; step < steps; step += 1) {
    await world.step();
    world.check(step);
  }
  return world.report;
}

class World {
  constructor(Outbox, random) {
    Object.assign(this, { Outbox, random, serial: 0, tabs: [], disk: new Map(), full: false, names: 0 });
    this.server = new Server();
    this.owed = new Map();
    this.report = { steps: 0, edits: 0, reloads: 0, requests: 0, refusals: 0, lost: 0, false: 0, examples: [] };
    this.network = "up";
  }

  chance(share) {
    return this.random() < share;
  }

  pick(list) {
    return list[Math.floor(this.random() * list.length)];
  }

  /** A tab is opened: the page reads the answers of the server, and the box takes over what others left. */
  async open() {
    const name = `tab-${(this.names += 1)}`;
    const tab = { name, calls: [], timers: [], revs: {}, gone: false };
    const store = {
      put: async (record, entry) => {
        if (tab.gone) return false;
        if (entry && this.full) return false;
        if (entry) this.disk.set(record, structuredClone(entry));
        else this.disk.delete(record);
        return true;
      },
      drop: async (record, entry) => {
        if (!tab.gone && JSON.stringify(this.disk.get(record)) === JSON.stringify(entry)) this.disk.delete(record);
      },
      all: async () => [...this.disk].map(([record, entry]) => [record, structuredClone(entry)]),
    };
    // A tab that sleeps does not answer the roll call.
    const others = async () => new Set(this.tabs.filter(() => !this.chance(0.1)).map((one) => one.name));
    const later = (act) => {
      tab.timers = [act];
      return () => (tab.timers = []);
    };
    const send = (item, body) => this.request(tab, item, structuredClone(body));
    tab.box = new this.Outbox({ send, store, others, later, now: () => this.report.steps, tab: name });
    tab.box.addEventListener("saved", ({ detail }) => (tab.revs[detail.item] = detail.reply.rev));
    this.tabs.push(tab);
    for (const item of ITEMS) tab.revs[item] = this.server.answer(item).rev;
    await tab.box.open();
    await this.quiet();
  }

  /** A request waits until the model answers it, loses it, or loses the answer. */
  request(tab, item, body) {
    this.report.requests += 1;
    return new Promise((resolve, reject) => tab.calls.push({ item, body, resolve, reject }));
  }

  async step() {
    this.report.steps += 1;
    const tab = this.pick(this.tabs);
    const draw = this.random();
    if (draw < 0.34) this.edit(tab);
    else if (draw < 0.74) this.answer(tab);
    else if (draw < 0.84) tab.timers.shift()?.();
    else if (draw < 0.88) this.decide(tab);
    else if (draw < 0.9) await this.reload(tab);
    else if (draw < 0.91 && this.tabs.length < MOST_TABS) await this.open();
    else if (draw < 0.92 && this.tabs.length > 1) this.close(tab);
    else if (draw < 0.94) this.full = this.chance(0.3);
    else if (draw < 0.955) this.network = this.pick(["up", "up", "up", "down"]);
    else if (draw < 0.985) this.server.change(this.pick(ITEMS), this.random());
    else tab.box.wake();
    await this.quiet();
  }

  edit(tab) {
    const item = this.pick(ITEMS);
    // Somebody who rates sees what the box has of this item: the new edit says it all.
    this.settleDebt(tab.box.pending(item));
    const edit = { values: { n: (this.serial += 1) }, comment: "", active_ms: 1 };
    const waits = this.chance(0.15) ? this.pick(["typing", "enter"]) : null;
    this.report.edits += 1;
    this.owe(tab, item, this.serial);
    tab.box.put(item, tab.revs[item], edit, { waits });
  }

  /** An edit that must be somewhere from now on; a newer one of the same tab and item takes its place. */
  owe(tab, item, serial) {
    for (const [older, debt] of this.owed) if (debt.tab === tab && debt.item === item) this.owed.delete(older);
    this.owed.set(serial, { tab, item });
  }

  settleDebt(edit) {
    if (edit) this.owed.delete(edit.values.n);
  }

  answer(tab) {
    const call = tab.calls.shift();
    if (!call) return;
    const draw = this.random();
    if (this.network === "down" || draw < 0.05) call.reject(new Error("lost on the way"));
    else if (draw < 0.08) call.resolve({ status: this.pick([500, 502, 429, 408, 200]), reply: null, retryAfter: 1 });
    else if (draw < 0.09) call.resolve({ status: 0, reply: null });
    else {
      const answer = this.server.take(call.item, call.body);
      if (answer.status >= 400) this.report.refusals += 1;
      if (draw < 0.16) call.reject(new Error("the answer is lost"));
      else call.resolve(answer);
    }
  }

  /** The annotator settles a conflict, or tries or gives up a refused edit. */
  decide(tab) {
    const item = ITEMS.find((one) => tab.box.conflict(one));
    if (item) {
      const { mine, theirs } = tab.box.conflict(item);
      const keep = this.chance(0.5);
      if (!keep) this.settleDebt(mine);
      tab.revs[item] = theirs.rev;
      tab.box.settle(item, keep ? mine : null);
      return;
    }
    const refused = tab.box.refused ?? [];
    if (!refused.length) return;
    const one = this.pick(refused);
    if (this.chance(0.7)) tab.box.retry(one.id);
    else {
      this.settleDebt(one.edit);
      tab.box.discard(one.id);
    }
  }

  async reload(tab) {
    this.report.reloads += 1;
    this.close(tab);
    await this.open();
  }

  /** A tab ends without a word: what is in memory alone goes with it, which it must have said. */
  close(tab) {
    tab.gone = true;
    this.tabs = this.tabs.filter((one) => one !== tab);
    if (tab.box.line.name !== "memory") return;
    for (const serial of this.owed.keys()) {
      if (this.inMemory(tab, serial) && !this.isKept(serial)) this.owed.delete(serial);
    }
  }

  isKept(serial) {
    return this.tabs.some((tab) => this.inMemory(tab, serial)) || this.onDisk(serial);
  }

  onDisk(serial) {
    return [...this.disk.values()].some((entry) => has(entry, serial));
  }

  inMemory(tab, serial) {
    const { box } = tab;
    const pending = ITEMS.map((item) => box.pending(item));
    return [...pending, ...(box.refused ?? []).map(({ edit }) => edit)].some((edit) => edit?.values.n === serial);
  }

  check(step) {
    for (const [serial, debt] of this.owed) {
      if (this.server.has(serial)) {
        this.owed.delete(serial);
        continue;
      }
      const said = this.tabs.includes(debt.tab) && debt.tab.box.line.name === "saved";
      if (said) this.note("false", step, serial);
      const here = this.isKept(serial);
      if (!here) this.note("lost", step, serial);
      if (!here || said) this.owed.delete(serial);
    }
  }

  note(kind, step, serial) {
    this.report[kind] += 1;
    if (this.report.examples.length < 5) this.report.examples.push({ kind, step, serial });
  }

  /** Lets every promise that can go on do so. */
  async quiet() {
    for (let turn = 0; turn < 14; turn += 1) await null;
  }
}

function has(entry, serial) {
  const edits = [entry.sending, entry.next, entry.refused?.edit];
  return edits.some((edit) => edit?.values.n === serial);
}

/** What the real server does with a change, in the order in which it does it. */
class Server {
  #items = new Map(ITEMS.map((item) => [item, { rev: 0, values: {}, gone: false }]));
  #events = new Map();
  #late = new Map();
  #serials = new Set();
  #paused = false;
  #signedOut = false;

  has(serial) {
    return this.#serials.has(serial);
  }

  answer(item) {
    const { rev, values } = this.#items.get(item);
    return { rev, values, by_default: [] };
  }

  /** The lead or the time changes something. */
  change(item, draw) {
    const place = this.#items.get(item);
    if (draw < 0.3) this.#paused = !this.#paused;
    else if (draw < 0.5) this.#signedOut = !this.#signedOut;
    else if (draw < 0.75) place.gone = !place.gone;
    else if (draw < 0.8) Object.assign(place, { rev: place.rev + 1 });
    else this.#signedOut = place.gone = this.#paused = false;
    if (!this.#paused) this.#resume();
  }

  #resume() {
    for (const [key, { item, body, digest }] of this.#late) {
      const place = this.#items.get(item);
      place.rev += 1;
      place.values = body.values;
      this.#events.set(key, { digest, rev: place.rev });
    }
    this.#late.clear();
  }

  take(item, body) {
    const place = this.#items.get(item);
    const refusal = (status, error, more = {}) => ({ status, reply: { error, message: error, ...more } });
    if (this.#signedOut) return refusal(401, "signed-out");
    if (place.gone) return refusal(404, "not-found");
    const digest = JSON.stringify([item, body]);
    for (const known of [this.#events.get(body.key), this.#late.get(body.key)]) {
      if (!known) continue;
      if (known.digest !== digest) return refusal(409, "key-reused");
      if (known.body) return { status: 202, reply: { kept: "paused", rev: place.rev } };
      return { status: 200, reply: { rev: known.rev, repeated: true } };
    }
    if (body.values.n % 23 === 0) return refusal(422, "invalid", { problems: [] });
    if (this.#paused) {
      this.#late.set(body.key, { item, body, digest });
      this.#serials.add(body.values.n);
      return { status: 202, reply: { kept: "paused", rev: place.rev } };
    }
    if (body.rev !== place.rev) return refusal(409, "conflict", { current: this.answer(item) });
    Object.assign(place, { rev: place.rev + 1, values: body.values });
    this.#events.set(body.key, { digest, rev: place.rev });
    this.#serials.add(body.values.n);
    return { status: 200, reply: { rev: place.rev } };
  }
}

/** mulberry32: the same seed gives the same run. */
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
