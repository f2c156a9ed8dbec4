/** The annotator's page: which item is on the desk, the way from one to the next, and the state of saving. */
import { ApiError, ask, send, useToken } from "./api.js";
import { Clock } from "./clock.js";
import { Desk } from "./desk.js";
import { announce, element, replace, toast } from "./dom.js";
import { openDialog, setUpTools } from "./tools.js";
import { duration, t } from "./messages.js";
import { openStore, rollCall } from "./outbox-store.js";
import { Outbox, randomKey } from "./outbox.js";
import { Tray } from "./tray.js";

const ANSWER_MS = 15_000;
const LOOK_AGAIN_MS = 30_000;
const AHEAD_AGAIN_MS = 2_000;
const root = document.getElementById("desk");
const clock = new Clock();
const fetched = new Map();
let session;
let outbox;
let desk;
let tray;
let overview;
let lookAgain = 0;

async function start() {
  session = await ask("/api/session");
  useToken(session.csrf);
  outbox = await openOutbox();
  setUpTools({ session, clock });
  desk = new Desk({ root, protocol: session.protocol, outbox, clock, travel: { next, skip, previous, open } });
  tray = new Tray({ outbox, protocol: session.protocol });
  outbox.addEventListener("saved", saved);
  outbox.addEventListener("kept", ({ detail }) => kept(detail));
  outbox.addEventListener("changed", showState);
  outbox.addEventListener("refused", () => toast(t("tray.told")));
  outbox.addEventListener("signed-out", () => openDialog("signed-out"));
  outbox.addEventListener("conflict", () => announce(t("conflict.title")));
  overview = await ask("/api/pages");
  showProgress(overview.progress);
  showState();
  const wanted = overview.pages.find(({ id }) => location.pathname === `/work/${id}`);
  if (wanted) await enter(wanted.id, location.hash ? { number: Number(location.hash.slice(1)) } : {});
  else await goOn();
  keepLooking();
  await prepareOffline();
}

/** Keeps this page for a reload without a connection. Browsers allow that on secure origins only. */
async function prepareOffline() {
  if (!("serviceWorker" in navigator)) return;
  const keepPages = () => [...fetched.keys()].forEach((id) => ask(`/api/pages/${id}`).catch(() => {}));
  if (!navigator.serviceWorker.controller)
    navigator.serviceWorker.addEventListener("controllerchange", keepPages, { once: true });
  document.querySelector("form[action='/logout']").addEventListener("submit", forget);
  await navigator.serviceWorker.register("/offline-worker.js", { scope: "/work" }).catch(() => {});
}

/** Whether what this page asks for is kept for a reload without a connection. */
function isKept() {
  return Boolean(navigator.serviceWorker?.controller);
}

/** Somebody else may sit down at this browser: first what is kept goes, then the page, which could not wait for it. */
async function forget(event) {
  event.preventDefault();
  try {
    const names = (await caches.keys()).filter((name) => name.startsWith("dialgauge-"));
    await Promise.all(names.map((name) => caches.delete(name)));
  } finally {
    event.target.submit();
  }
}

/** The edits of this person in this browser, named after study and person: they outlive session, title and tab. */
async function openOutbox() {
  const space = `dialgauge:${session.study}:${session.name}:`;
  const tab = randomKey();
  const store = await openStore(space, [`dialgauge:${session.title}:${session.name}:`]);
  const opened = new Outbox({ send: deliver, store, others: rollCall(space, tab), later, tab });
  addEventListener("online", () => opened.wake());
  addEventListener("beforeunload", (event) => {
    // The edits are in this browser at best: worth a question when the server has not seen them.
    if (["memory", "refused", "offline"].includes(opened.line.name)) event.preventDefault();
  });
  opened.addEventListener("changed", () => navigator.storage?.persist?.().catch(() => {}), { once: true });
  await opened.open();
  return opened;
}

function later(act, milliseconds) {
  const timer = setTimeout(act, milliseconds);
  return () => clearTimeout(timer);
}

/** One change to the server. A session that began after this page was opened has another token. */
async function deliver(item, body) {
  const put = () => send("PUT", `/api/assignments/${item}`, body, AbortSignal.timeout(ANSWER_MS));
  const answer = await put();
  if (answer.status !== 403 || answer.reply?.error !== "csrf") return answer;
  const { reply } = await send("GET", "/api/session");
  if (reply?.name !== session.name) return answer;
  useToken(reply.csrf);
  return put();
}

/** Asks now and then whether the lead has paused, resumed or decided something. */
function keepLooking() {
  let known = null;
  const look = async () => {
    if (document.visibilityState !== "visible" || outbox.offline) return;
    const { status, reply } = await send("GET", "/api/state").catch(() => ({ status: 504 }));
    if (status !== 200) return;
    const now = JSON.stringify(reply);
    const changed = known !== null && known !== now;
    known = now;
    if (changed) await readAgain();
  };
  look();
  setInterval(look, LOOK_AGAIN_MS);
  document.addEventListener("visibilitychange", look);
}

/** After a change at the server: what this page knows of it may be out of date. Meanwhile the work goes on. */
async function readAgain() {
  desk.flush();
  outbox.wake();
  await outbox.settled();
  overview = await ask("/api/pages");
  showProgress(overview.progress);
  fetched.clear();
  const { page } = desk;
  if (page && overview.pages.some(({ id }) => id === page.id)) return enter(page.id, { stay: true });
  return goOn();
}

/** A page with the edits of this browser that the server does not have yet. */
async function load(id) {
  return fetched.get(id) ?? fetchPage(id);
}

/**
 * A page as the server has it, with what is still in the outbox. An edit that was acknowledged while the page was on its
 * way may be missing in it, and is no longer in the outbox either: then the page is asked for again.
 */
async function fetchPage(id) {
  const acknowledged = new Set();
  const remember = ({ detail }) => acknowledged.add(detail.item);
  outbox.addEventListener("saved", remember);
  try {
    for (;;) {
      acknowledged.clear();
      const kept = isKept();
      const page = await ask(`/api/pages/${id}`, "GET", undefined, AbortSignal.timeout(ANSWER_MS));
      if (page.items.some((item) => acknowledged.has(item.id))) continue;
      // Nothing is waited for between the look at the outbox and this: what is acknowledged next finds the page here.
      page.items.forEach(addPending);
      fetched.set(id, page);
      // The worker that keeps pages took over while this one was on its way past it.
      if (!kept && isKept()) ask(`/api/pages/${id}`).catch(() => {});
      return page;
    }
  } finally {
    outbox.removeEventListener("saved", remember);
  }
}

function addPending(item) {
  const pending = outbox.pending(item.id);
  item.draft = outbox.draft(item.id);
  if (!pending) return;
  Object.assign(item.answer, structuredClone(withoutKeys(pending)));
  item.answer.by_default = unsaid(item.answer.by_default, pending);
}

/** An item wherever this tab shows or keeps it: the page on the desk may have been read again, and not yet be replaced. */
function copiesOf(id) {
  const pages = new Set([...fetched.values(), ...(desk.page ? [desk.page] : [])]);
  return [...pages].flatMap(({ items }) => items.filter((item) => item.id === id));
}

/** Of the dimensions that the rule has answered those that no newer edit of this browser answers. */
function unsaid(byDefault, pending) {
  return byDefault.filter((name) => !(name in (pending?.values ?? {})));
}

function withoutKeys({ values, spans, text, comment }) {
  return Object.fromEntries(
    Object.entries({ values, spans, text, comment }).filter(([, value]) => value !== undefined),
  );
}

/**
 * Puts a page on the desk: at the item of this number, at its end, or at the first open item; or, to `stay`, at the item
 * that is there, unless somebody has gone on to another page.
 */
async function enter(id, { number = null, atEnd = false, stay = false } = {}) {
  let page;
  try {
    page = await load(id);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    toast(t("offline.page"));
    return;
  }
  const firstOpen = page.items.findIndex((item) => !item.answer.complete && !item.finished);
  let index = number === null ? Math.max(0, firstOpen) : Math.min(page.items.length, Math.max(1, number || 1)) - 1;
  if (atEnd) index = page.items.length - 1;
  if (stay && desk.page?.id !== id) return;
  if (stay) index = Math.min(desk.index, page.items.length - 1);
  put(page, index, { atEnd });
  readAhead(page);
}

/**
 * The next dialogue is fetched ahead: no waiting, and a train tunnel in between does not stop the work. What does not
 * come is asked for again, less and less often, as long as this page is on the desk.
 */
async function readAhead(page) {
  for (let pause = AHEAD_AGAIN_MS; page.following && desk.page === page; pause *= 2) {
    try {
      await load(page.following);
      return;
    } catch (error) {
      if (error instanceof ApiError) return;
      await new Promise((resolve) => later(resolve, pause));
    }
  }
}

function put(page, index, options) {
  clearTimeout(lookAgain);
  history.replaceState(null, "", `/work/${page.id}#${index + 1}`);
  desk.show(page, index, options);
  showState();
}

function open(index) {
  put(desk.page, index);
}

/** From a finished item to the next; behind the last one of a training item its feedback comes first. */
async function next() {
  const { page, index } = desk;
  if (page.stage === "training" && !page.items[index].feedback) return showFeedback(page, index);
  return skip();
}

async function skip() {
  const { page, index } = desk;
  if (index + 1 < page.items.length) return put(page, index + 1);
  if (page.following) return enter(page.following, {});
  return goOn();
}

async function previous({ atEnd = false } = {}) {
  const { page, index } = desk;
  if (index > 0) put(page, index - 1, { atEnd });
  else if (page.previous) await enter(page.previous, { atEnd: true });
  else toast(t("first.already"));
}

async function showFeedback(page, index) {
  await outbox.settled();
  if (desk.page === page && desk.index === index && page.items[index].feedback) desk.show(page, index);
  else if (!page.items[index].feedback) toast(t("offline.feedback"));
}

/** To the first open item of all, or to the word that says why there is none. */
async function goOn() {
  await outbox.settled();
  try {
    overview = await ask("/api/pages");
  } catch (error) {
    if (error instanceof ApiError) throw error;
    return toast(t("offline.page"));
  }
  showProgress(overview.progress);
  if (overview.waiting || !overview.next) return wait(overview.waiting ?? "done");
  fetched.delete(overview.next);
  return enter(overview.next, {});
}

function wait(reason) {
  const leave = document.querySelector('meta[name="leave"]')?.content;
  history.replaceState(null, "", "/work");
  const first = overview.pages.find(({ stage }) => stage !== "training");
  const again =
    reason === "done"
      ? null
      : element("button", { type: "button", class: "main", on: { click: goOn } }, t("wait.again"));
  desk.clear(
    element(
      "section",
      { class: "notice", role: "status" },
      element("h2", { tabindex: "-1", id: "notice" }, t(`wait.${reason}.title`)),
      element("p", {}, t(`wait.${reason}.text`)),
      element(
        "p",
        { class: "soft" },
        t("progress", { complete: overview.progress.complete, items: overview.progress.items }),
      ),
      element(
        "div",
        { class: "row" },
        again,
        leave && reason === "done" ? element("a", { class: "button main", href: leave }, t("out.complete")) : null,
        first
          ? element("button", { type: "button", on: { click: () => enter(first.id, { number: 1 }) } }, t("wait.look"))
          : null,
      ),
    ),
  );
  document.getElementById("notice").focus();
  clearTimeout(lookAgain);
  if (again) lookAgain = setTimeout(goOn, LOOK_AGAIN_MS);
}

function saved({ detail: { item: id, reply } }) {
  // What a page may show or change can be different in another stage: only the one on the desk is kept.
  if (reply.stage_changed) for (const known of fetched.keys()) if (known !== desk.page?.id) fetched.delete(known);
  for (const item of copiesOf(id)) {
    Object.assign(item.answer, {
      rev: reply.rev,
      complete: reply.complete,
      by_default: unsaid(reply.by_default, outbox.pending(id)),
    });
    if (reply.feedback) item.feedback = reply.feedback;
  }
  if (reply.progress) showProgress(reply.progress);
}

/** The server has the change, but not as the answer. */
function kept({ item: id, reply }) {
  for (const item of copiesOf(id)) item.late = reply.kept;
  toast(t(`kept.${reply.kept}`));
}

function showProgress(progress) {
  const bar = document.getElementById("progress");
  bar.max = Math.max(1, progress.items);
  bar.value = progress.complete;
  const left = !progress.remaining_ms ? "" : ` · ${t("time.left", { time: duration(progress.remaining_ms / 1000) })}`;
  document.getElementById("progress-text").textContent =
    t("progress", { complete: progress.complete, items: progress.items }) + left;
}

function showState() {
  const state = document.getElementById("state");
  const { name, count } = outbox.line;
  state.classList.toggle("waiting", !["saved", "saving", "edited"].includes(name));
  if (state.dataset.line === `${name} ${count}`) return;
  state.dataset.line = `${name} ${count}`;
  replace(state, t(`state.${name}`, { count }));
}

function failed(error) {
  if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return openDialog("signed-out");
  replace(
    root,
    element(
      "section",
      { class: "notice", role: "alert" },
      element("h2", {}, t("failed.title")),
      element("p", {}, error.message),
      element("button", { type: "button", class: "main", on: { click: () => location.reload() } }, t("failed.reload")),
    ),
  );
  root.className = "desk message";
  return undefined;
}

addEventListener("unhandledrejection", (event) => failed(event.reason));
start().catch(failed);
