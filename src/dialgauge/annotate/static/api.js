/** Requests to our own server, with the token that says the page is ours. */
const csrf = document.querySelector('meta[name="csrf"]').content;

export class ApiError extends Error {
  constructor(status, reply) {
    super(reply?.message ?? `HTTP ${status}`);
    this.status = status;
    this.code = reply?.error ?? "unknown";
    this.reply = reply;
  }
}

/** Sends JSON; gives {status, reply} for any answer, throws only when there is none. */
export async function send(method, path, body, signal) {
  const response = await fetch(path, {
    method,
    signal,
    headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, reply: await response.json().catch(() => null) };
}

/** The answer to a GET or to a request that must succeed; anything but 2xx is an ApiError. */
export async function ask(path, method = "GET", body = undefined) {
  const { status, reply } = await send(method, path, body);
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
