/** Pages of text: the language button, and the guidelines where the page has them. */
import { replace } from "./dom.js";
import { guidelineNodes } from "./guidelines.js";
import { setUpLanguage } from "./tools.js";

setUpLanguage();
const place = document.getElementById("guidelines-page");
if (place) {
  const protocol = JSON.parse(document.getElementById("protocol").textContent);
  replace(place, ...guidelineNodes(protocol, 2));
}
