// What a batch made: items far from the window are asked for as somebody comes near, some at once with their posters.
import { heard } from "../parts/session.js";
import { make } from "../parts/elements.js";

const NEAR = "200% 0px"; // of the window's height, above and below
const EACH = 5; // of so many items one is watched: to watch a thousand costs more at each frame than to draw them
const AT_A_FRAME = 8; // items are shown: what fifty take to be laid out and painted is three frames
const AGAIN_MS = 2000;
const body = document.querySelector("[data-job]");
const list = body.querySelector("[data-items]");
const atOnce = Number(list.dataset.atOnce);
const near = new Set(); // watched items that are, or are about to be, in view
const asked = new Map(); // first numbers of what is on its way, and whether more has happened since
const come = []; // items that are here and not shown yet, and behind the last of an answer whom to tell

const numberOf = (item) => Number(item.id.slice("item-".length));
const isOpen = (item) => item.dataset.state !== "done" && item.dataset.state !== "failed";
const firstOf = (number) => number - ((number - 1) % atOnce);

const watch = new IntersectionObserver(
  (seen) => {
    for (const { isIntersecting, target } of seen) {
      if (isIntersecting) near.add(target);
      else near.delete(target);
    }
    load(around().filter((item) => "far" in item.dataset));
  },
  { rootMargin: NEAR },
);
const isWatched = (item) => numberOf(item) % EACH === 1;
const around = () => [...near].flatMap((item) => Array.from({ length: EACH }, (_, place) => document.getElementById(`item-${numberOf(item) + place}`)).filter(Boolean));
for (const item of list.children) if (isWatched(item)) watch.observe(item);

function load(items) {
  for (const first of new Set(items.map((item) => firstOf(numberOf(item))))) ask(first);
}

async function ask(first) {
  if (asked.has(first)) {
    asked.set(first, true);
    return;
  }
  asked.set(first, false);
  const answer = await fetch(`/jobs/${body.dataset.job}/items?first=${first}`, { headers: { "HX-Request": "true" } }).catch(() => null);
  heard(answer?.status ?? 0);
  if (answer?.ok) await show(await answer.text());
  else setTimeout(() => load(around().filter((each) => "far" in each.dataset)), AGAIN_MS);
  const again = asked.get(first);
  asked.delete(first);
  if (again) load(around().filter((item) => firstOf(numberOf(item)) === first && isOpen(item)));
}

function show(text) {
  const waiting = come.length;
  const items = new DOMParser().parseFromString(text, "text/html").querySelectorAll(".item");
  const shown = new Promise((resolve) => come.push(...items, resolve));
  if (!waiting) requestAnimationFrame(showSome);
  return shown;
}

function showSome() {
  for (const item of come.splice(0, AT_A_FRAME)) {
    if (typeof item === "function") {
      item();
      continue;
    }
    const shown = document.getElementById(item.id);
    // what is settled changes no more: a clip that plays goes on
    if (shown && ("far" in shown.dataset || shown.dataset.state !== item.dataset.state)) fill(shown, item);
  }
  if (come.length) requestAnimationFrame(showSome);
}

// The item stays and so do the parts of a fixed size, so that the list around them is not laid out again.
function fill(shown, item) {
  delete shown.dataset.far;
  shown.dataset.state = item.dataset.state;
  if (item.querySelector(":scope > .frame") && shown.childElementCount === item.childElementCount)
    [...shown.children].forEach((part, place) => part.replaceChildren(...item.children[place].childNodes));
  else shown.replaceChildren(...item.childNodes);
}

// while the batch is at work, what is in view is asked for again
body.addEventListener("job:shown", () => load(around().filter(isOpen)));

list.addEventListener("click", (event) => {
  const poster = event.target.closest("[data-play]");
  if (!poster || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const player = make("video", { src: poster.href, controls: true, autoplay: true, "aria-label": poster.getAttribute("aria-label") });
  poster.replaceWith(make("span", { class: "asset-picture" }, player));
  player.focus();
});
