// Times, written by the server in UTC, in the reader's zone and language.
import { say } from "./strings.js";

// the page's language, as the browser writes it where it is one of its own: days before months, or after
const { lang } = document.documentElement;
const language = navigator.languages.find((each) => each.split("-")[0] === lang) ?? lang;

const near = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" });
const exact = new Intl.DateTimeFormat(language, { timeStyle: "medium" });
const far = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
const whole = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" });

/** Write every time under `root` for its reader. */
export function localise(root) {
  for (const element of root.querySelectorAll("time[data-moment]")) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const today = at.toDateString() === new Date().toDateString();
    element.textContent = (today ? (element.dataset.moment ? exact : near) : far).format(at);
    element.title = whole.format(at);
  }
}

/** Write how long what is at work under `root` has been, and how long it will be if it goes on as it went. */
export function count(root) {
  for (const element of root.querySelectorAll("[data-elapsed]")) {
    const ms = elapsed(element);
    const left = element.parentElement.querySelector("[data-left]");
    element.textContent = say("elapsed", { time: clock(ms) });
    if (left) left.textContent = leftOf(left, ms);
  }
}

const seen = new WeakMap(); // element -> the seconds that the server told, and when that was

/** Milliseconds: counted from what the server said, whatever the clock here is. */
function elapsed(element) {
  const told = element.dataset.elapsed;
  if (seen.get(element)?.told !== told) seen.set(element, { told, at: performance.now() });
  return 1000 * Number(told) + performance.now() - seen.get(element).at;
}

const FROM_PERCENT = 8; // below, what is left is not told: it would jump
const guessed = new WeakMap(); // element -> the progress that it was guessed from, and when it is over

/** Counted down from the last sign of progress. Where that takes longer than it should, nobody can tell. */
function leftOf(element, ms) {
  const progress = element.dataset.left;
  if (guessed.get(element)?.progress !== progress) guessed.set(element, { progress, over: (100 * ms) / Number(progress) });
  const left = guessed.get(element).over - ms;
  return progress >= FROM_PERCENT && left >= 1000 ? say("left", { time: clock(left) }) : "";
}

/** Milliseconds as `1:05` or `1:02:03`. */
export function clock(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (number) => String(number).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}:${two(seconds % 60)}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}
