/** The dialogue: one side and one colour per speaker. */
import { element, prose } from "./dom.js";
import { t } from "./messages.js";

const VOICES = 6;

/** `said(turn, index)` makes the node that holds a turn's words: marking spans needs another one than reading. */
export function dialogueList(dialogue, said = (turn) => prose("div", turn.text, { class: "said" })) {
  const entries = dialogue.turns.map((turn, index) => {
    const named = turn.role && turn.role.toLowerCase() !== turn.speaker.toLowerCase();
    const name = named ? t("turn.role", { speaker: turn.speaker, role: turn.role }) : turn.speaker;
    return element(
      "li",
      { class: `turn voice-${turn.side % VOICES}${turn.side % 2 ? " other" : ""}` },
      prose("span", name, { class: "speaker" }),
      said(turn, index),
    );
  });
  return element("ol", { class: "turns", lang: dialogue.language, dir: dialogue.direction }, ...entries);
}
