/** Guidelines as nodes: what the lead wrote, then each dimension with its question and its anchors. */
import { element } from "./dom.js";
import { markdown } from "./markdown.js";
import { pointText } from "./questions.js";

/** `level` is the level of the outermost headings. */
export function guidelineNodes(protocol, level) {
  const text = [protocol.instructions, protocol.guidelines].filter(Boolean).join("\n\n");
  return [...markdown(text, level), ...protocol.dimensions.map((dimension) => dimensionNote(dimension, level))];
}

function dimensionNote({ title, question, scale }, level) {
  const faces = scale.labels.map((label, index) =>
    scale.kind === "categorical" ? pointText(scale, scale.points[index]) : `${scale.points[index]} ${label}`,
  );
  return element(
    "section",
    { dir: "auto" },
    element(`h${level}`, {}, title),
    question ? element("p", {}, question) : null,
    faces.length ? element("p", { class: "soft" }, faces.join(" · ")) : null,
  );
}
