/** Requests to our own server, with the token that says the page is ours. */
let csrf = document.querySelector('meta[name="csrf"]').content;

/** Takes the token of the session as it is now: the page may come from a cache, or the session may be a new one. */
export function useToken(token) {
  csrf = token;
}

export class ApiError extends Error {
  constructor(status, reply) {
    super(reply?.message ?? `HTTP ${status}`);
    this.status = status;
    this.code = reply?.error ?? "unknown";
    this.reply = reply;
  }
}

/** Sends JSON; gives {status, reply, retryAfter} for any answer, throws only when there is none. */
export async function send(method, path, body, signal) {
  const response = await fetch(path, {
    method,
    signal,
    // Our server redirects no request of a script: what does is a login wall on the way. It has the status 0.
    redirect: "manual",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const retryAfter = Number(response.headers.get("Retry-After")) || 0;
  return { status: response.status, reply: await response.json().catch(() => null), retryAfter };
}

/** The answer to a GET or to a request that must succeed; anything but 2xx is an ApiError. */
export async function ask(path, method = "GET", body = undefined, signal = undefined) {
  const { status, reply } = await send(method, path, body, signal);
  if (status < 200 || status > 299) throw new ApiError(status, reply);
  return reply;
}

/** Sends a file as it is. */
export async function upload(path, file) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "X-CSRF-Token": csrf, "Content-Type": "application/octet-stream" },
    body: file,
  });
  const reply = await response.json().catch(() => null);
  if (!response.ok) throw new ApiError(response.status, reply);
  return reply;
}
