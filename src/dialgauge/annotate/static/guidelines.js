/** Guidelines as nodes: what the lead wrote, then each dimension with its question and its anchors. */
import { element } from "./dom.js";
import { markdown } from "./markdown.js";

/** `level` is the level of the outermost headings. */
export function guidelineNodes(protocol, level) {
  const text = [protocol.instructions, protocol.guidelines].filter(Boolean).join("\n\n");
  return [...markdown(text, level), ...protocol.dimensions.map((dimension) => dimensionNote(dimension, level))];
}

function dimensionNote({ title, question, scale }, level) {
  const points = scale.labels.length
    ? scale.points.map((point, index) => `${point} ${scale.labels[index]}`).join(" · ")
    : "";
  return element(
    "section",
    { dir: "auto" },
    element(`h${level}`, {}, title),
    question ? element("p", {}, question) : null,
    points ? element("p", { class: "soft" }, points) : null,
  );
}
