/** The tools of the bar: guidelines, pause, language. Dialogs are the browser's own, so focus and Escape behave. */
import { replace } from "./dom.js";
import { guidelineNodes } from "./guidelines.js";

export function openDialog(id) {
  const dialog = document.getElementById(id);
  if (!dialog.open) dialog.showModal();
}

export function setUpLanguage() {
  const choose = (language) => {
    document.cookie = `language=${language}; path=/; SameSite=Lax; max-age=31536000`;
    location.reload();
  };
  for (const button of document.querySelectorAll("button[data-language]")) {
    button.addEventListener("click", () => choose(button.dataset.language));
  }
  for (const list of document.querySelectorAll("select[data-language]")) {
    list.addEventListener("change", () => choose(list.value));
  }
}

export function setUpTools({ session, clock }) {
  const guidelines = document.getElementById("guidelines");
  replace(guidelines.querySelector(".guidelines"), ...guidelineNodes(session.protocol, 3));
  document.getElementById("open-guidelines").addEventListener("click", () => openDialog("guidelines"));
  document.getElementById("open-pause").addEventListener("click", () => {
    clock.pause();
    openDialog("pause");
  });
  document.getElementById("pause").addEventListener("close", () => clock.resume());
  document.getElementById("reload").addEventListener("click", () => location.reload());
  for (const close of document.querySelectorAll("dialog [data-close]")) {
    close.addEventListener("click", () => close.closest("dialog").close());
  }
  setUpLanguage();
}
