/** Makes elements. Text always goes in as text, so `<file_video>` in a dialogue stays readable and nothing is ever parsed. */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
    } else if (name === "style") {
      for (const [property, setting] of Object.entries(value)) node.style.setProperty(property, setting);
    } else {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** A piece of text in its own language: the direction follows its first strong letter. */
export function prose(tag, text, attributes = {}) {
  return element(tag, { dir: "auto", ...attributes }, text);
}

export function replace(node, ...children) {
  node.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

/** Says something to a screen reader without moving the focus. */
export function announce(text) {
  document.getElementById("announcements").textContent = text;
}

let toastTimer = 0;

/** Shows a sentence above the action bar for a few seconds, and says it. */
export function toast(text) {
  const place = document.getElementById("toast");
  replace(place, element("p", {}, text));
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => replace(place), 6000);
}
