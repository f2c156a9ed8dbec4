/**
 * Where the outbox keeps its entries: IndexedDB, which has room; localStorage where that cannot be opened or written;
 * and nothing where neither takes anything (a private window, a full disk), which put() says.
 */
const DATABASE = "dialgauge";
const TABLE = "edits";
const ROLL_CALL_MS = 200;

/** The storage of one person's edits. `space` names study and person, so that two people at one browser never mix. */
export async function openStore(space, earlier = []) {
  const database = await openDatabase().catch(() => null);
  const turns = new Map();
  const named = (name) => `${space}${name}`;

  async function put(name, entry) {
    const turn = (turns.get(name) ?? 0) + 1;
    turns.set(name, turn);
    const kept = await databasePut(database, named(name), entry);
    // A newer write of the same entry is under way: it decides what this browser has.
    if (turns.get(name) !== turn) return kept;
    if (!entry) turns.delete(name);
    if (kept) localPut(named(name), null);
    return kept || localPut(named(name), entry);
  }

  /** Removes the entry of a tab that is gone, unless that tab lives and has written since. */
  async function drop(name, entry) {
    const before = JSON.stringify(entry);
    await databaseDrop(database, named(name), before);
    if (localGet(named(name)) === before) localPut(named(name), null);
  }

  async function all() {
    const found = new Map();
    for (const [box, entries] of earlier.flatMap(earlierBoxes)) {
      const kept = await Promise.all(entries.map(([name, entry]) => put(name, entry)));
      if (kept.every(Boolean)) localPut(box, null);
      for (const [name, entry] of entries) found.set(name, entry);
    }
    for (const [name, entry] of await databaseAll(database, space)) found.set(name, entry);
    // What is in localStorage did not get into the database, so it is newer.
    for (const [name, entry] of localAll(space)) found.set(name, entry);
    return [...found];
  }

  return { put, drop, all };
}

function openDatabase() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(TABLE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("blocked"));
  });
}

function databasePut(database, name, entry) {
  return new Promise((resolve) => {
    try {
      const transaction = database.transaction(TABLE, "readwrite", { durability: "strict" });
      transaction.oncomplete = () => resolve(true);
      transaction.onabort = () => resolve(false);
      const table = transaction.objectStore(TABLE);
      if (entry) table.put(entry, name);
      else table.delete(name);
      // Without waiting for events of this page, which may be gone in a moment.
      transaction.commit?.();
    } catch {
      resolve(false);
    }
  });
}

function databaseDrop(database, name, before) {
  return new Promise((resolve) => {
    try {
      const transaction = database.transaction(TABLE, "readwrite");
      transaction.oncomplete = transaction.onabort = () => resolve();
      const table = transaction.objectStore(TABLE);
      const found = table.get(name);
      found.onsuccess = () => JSON.stringify(found.result) === before && table.delete(name);
    } catch {
      resolve();
    }
  });
}

function databaseAll(database, space) {
  return new Promise((resolve) => {
    try {
      const range = IDBKeyRange.bound(space, `${space}\uffff`);
      const table = database.transaction(TABLE).objectStore(TABLE);
      const names = table.getAllKeys(range);
      const entries = table.getAll(range);
      entries.onsuccess = () =>
        resolve(names.result.map((name, index) => [name.slice(space.length), entries.result[index]]));
      entries.onerror = () => resolve([]);
    } catch {
      resolve([]);
    }
  });
}

function localPut(name, entry) {
  try {
    if (entry) localStorage.setItem(name, JSON.stringify(entry));
    else localStorage.removeItem(name);
    return true;
  } catch {
    return false;
  }
}

function localGet(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function localAll(space) {
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(space) && name.includes("/", space.length));
    return names.map((name) => [name.slice(space.length), JSON.parse(localStorage.getItem(name))]);
  } catch {
    return [];
  }
}

/** The boxes of pages from before there was a database: in localStorage, an object of entries per tab. */
function earlierBoxes(prefix) {
  try {
    const boxes = Object.keys(localStorage).filter((name) => name.startsWith(prefix) && !name.includes("/"));
    return boxes.map((box) => [box, Object.entries(JSON.parse(localStorage.getItem(box))).map(fromEarlier)]);
  } catch {
    return [];
  }

  function fromEarlier([item, { sent, next, conflict }]) {
    const refused = conflict && { edit: conflict.mine, reason: "conflict", theirs: conflict.theirs, at: 0 };
    return [`earlier/${item}`, { sending: sent, next, refused, draft: null }];
  }
}

/** The tabs of this person that are alive: each answers for itself. */
export function rollCall(space, tab) {
  const channel = new BroadcastChannel(space);
  channel.addEventListener("message", ({ data }) => {
    if (data.asks && data.asks !== tab) channel.postMessage({ here: tab });
  });
  return async () => {
    const alive = new Set();
    const listen = ({ data }) => data.here && alive.add(data.here);
    channel.addEventListener("message", listen);
    channel.postMessage({ asks: tab });
    await new Promise((resolve) => setTimeout(resolve, ROLL_CALL_MS));
    channel.removeEventListener("message", listen);
    return alive;
  };
}
