/**
 * Lets the annotators' page open without a connection: what the network gives is kept, and given when there is none.
 * Only reading goes through here; changes go through the outbox. The server fills in the first two lines.
 */
const VERSION = "";
const FILES = [];

const CACHE = `dialgauge-${VERSION}`;
const PAGE = "/work";
const READ = /^\/(static\/|api\/session$|api\/pages(\/|$))/;

addEventListener("install", (event) => {
  const first = caches.open(CACHE).then((cache) => cache.addAll([PAGE, "/api/session", "/api/pages", ...FILES]));
  event.waitUntil(first.then(() => skipWaiting()));
});

addEventListener("activate", (event) => {
  const others = caches.keys().then((names) => names.filter((name) => name.startsWith("dialgauge-") && name !== CACHE));
  const forgotten = others.then((names) => Promise.all(names.map((name) => caches.delete(name))));
  event.waitUntil(forgotten.then(() => clients.claim()));
});

addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== location.origin) return;
  // One page for all addresses under /work: which dialogue it shows its script decides. Its policy is kept with it.
  if (mode === "navigate" && pathname.startsWith(PAGE)) event.respondWith(fromNetworkFirst(event.request, PAGE));
  else if (READ.test(pathname)) event.respondWith(fromNetworkFirst(event.request, pathname));
});

async function fromNetworkFirst(request, name) {
  const cache = await caches.open(CACHE);
  try {
    const answer = await fetch(request);
    if (answer.ok) await cache.put(name, answer.clone());
    return answer;
  } catch (error) {
    const kept = await cache.match(name);
    if (!kept) throw error;
    return kept;
  }
}
