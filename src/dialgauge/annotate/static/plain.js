/** Pages of text: the language button, texts in simple Markdown, and the guidelines where the page has them. */
import { replace } from "./dom.js";
import { guidelineNodes } from "./guidelines.js";
import { markdown } from "./markdown.js";
import { setUpLanguage } from "./tools.js";

setUpLanguage();
const place = document.getElementById("guidelines-page");
if (place) {
  const protocol = JSON.parse(document.getElementById("protocol").textContent);
  replace(place, ...guidelineNodes(protocol, 2));
}
for (const text of document.querySelectorAll("[data-markdown]")) replace(text, ...markdown(text.textContent, 2));
// Who somebody is on the platform must not stay in the address, where others may read it.
if (location.pathname.startsWith("/join/")) history.replaceState(null, "", location.pathname);
