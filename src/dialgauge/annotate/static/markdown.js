/** The small Markdown of guidelines: # headings, paragraphs, - lists, > quotes, **bold**, *italic*. Anything else is text. */
import { element } from "./dom.js";

export function markdown(source, topLevel = 2) {
  const blocks = [];
  for (const chunk of source.replace(/\r\n?/g, "\n").split(/\n\s*\n/)) {
    for (const block of splitHeadings(chunk.split("\n"))) if (block.length) blocks.push(block);
  }
  return blocks.map((lines) => blockNode(lines, topLevel));
}

function splitHeadings(lines) {
  const blocks = [[]];
  for (const line of lines) {
    const kind = kindOf(line);
    const open = blocks.at(-1);
    if (kind === "heading") blocks.push([line], []);
    else if (open.length && kindOf(open[0]) !== kind && kind !== "text") blocks.push([line]);
    else open.push(line);
  }
  return blocks.map((block) => block.filter((line) => line.trim())).filter((block) => block.length);
}

function kindOf(line) {
  if (/^#{1,4}\s/.test(line)) return "heading";
  if (/^\s*[-*]\s/.test(line)) return "list";
  return /^>\s?/.test(line) ? "quote" : "text";
}

function blockNode(lines, topLevel) {
  const kind = kindOf(lines[0]);
  if (kind === "heading") {
    const [, marks, text] = /^(#+)\s+(.*)$/.exec(lines[0]);
    return element(`h${Math.min(6, topLevel + marks.length - 1)}`, { dir: "auto" }, ...inline(text));
  }
  if (kind === "list") {
    const items = [];
    for (const line of lines) {
      if (kindOf(line) === "list") items.push(line.replace(/^\s*[-*]\s+/, ""));
      else items[items.length - 1] += ` ${line.trim()}`;
    }
    return element("ul", {}, ...items.map((item) => element("li", { dir: "auto" }, ...inline(item))));
  }
  if (kind === "quote")
    return element("blockquote", { dir: "auto" }, ...inline(lines.map((line) => line.replace(/^>\s?/, "")).join("\n")));
  return element("p", { dir: "auto" }, ...inline(lines.join(" ")));
}

function inline(text) {
  return text
    .split(/(\*\*[^*]+\*\*|\*[^*\s][^*]*\*)/)
    .filter(Boolean)
    .map((part) => {
      if (part.startsWith("**")) return element("strong", {}, part.slice(2, -2));
      return /^\*[^*]/.test(part) ? element("em", {}, part.slice(1, -1)) : part;
    });
}
