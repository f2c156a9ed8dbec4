/** The interface in the reader's language: the page carries its messages as JSON, see translations/. */
const messages = JSON.parse(document.getElementById("messages").textContent);
const language = document.documentElement.lang;

/** The message of a key, with {name} replaced by the value of that name. */
export function t(key, values = {}) {
  const message = messages[key];
  if (message === undefined) throw new Error(`no message for ${key} in ${language}`);
  return message.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/** How long something takes, in words: under a minute, minutes, or hours and minutes. */
export function duration(seconds) {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return t("time.moment");
  if (minutes < 60) return t("time.minutes", { minutes });
  return t("time.hours", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}
