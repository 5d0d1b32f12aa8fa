// A block's Markdown as the server shows it: cleaned there, so that it may stand in the page.
import { heard, whenBack } from "../parts/session.js";
import { say } from "../parts/strings.js";

const MOST = 300; // of what has been shown and is not now
const PAUSE_MS = 120; // while somebody types
const AGAIN_MS = 3000;
const known = new Map();

/** Remember what the server has shown already. */
export function remember(markdown, html) {
  known.set(markdown, html);
  if (known.size > MOST) known.delete(known.keys().next().value);
}

/** The HTML of `markdown`. @throws {Error} `status` says why: 0 where no answer came, 413 where the text is too long */
async function preview(markdown, signal) {
  if (!markdown.trim()) return "";
  if (known.has(markdown)) return known.get(markdown);
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  signal.throwIfAborted();
  const asked = { method: "POST", body: markdown, headers: { "Content-Type": "text/plain" }, signal };
  const answer = await fetch("/preview", asked).catch(() => ({ ok: false, status: 0 }));
  heard(answer.status);
  if (!answer.ok) throw Object.assign(new Error("no preview"), { status: answer.status });
  const html = await answer.text();
  remember(markdown, html);
  return html;
}

/** Let `element` show `markdown`. What stands there stays until the answer comes, unless it says that nothing does; a
 * later text wins. */
export async function show(element, markdown) {
  element.shown?.abort();
  if (element.querySelector("[data-empty]") && markdown.trim()) putPlain(element, markdown);
  const turn = (element.shown = new AbortController());
  try {
    const html = await preview(markdown, turn.signal);
    if (!turn.signal.aborted) put(element, html);
  } catch (error) {
    if (turn.signal.aborted) return;
    const passes = error.status === 0 || error.status === 429 || error.status >= 500;
    const again = () => turn.signal.aborted || !element.isConnected || show(element, markdown);
    if (error.status === 401) whenBack(again);
    else if (passes) setTimeout(again, AGAIN_MS);
    putPlain(element, markdown);
  }
}

/** The text itself, until the server answers. */
function putPlain(element, markdown) {
  const plain = document.createElement("p");
  plain.className = "plain";
  plain.textContent = markdown;
  element.replaceChildren(plain);
}

function put(element, html) {
  element.innerHTML = html; // the server's own, cleaned
  if (!html) {
    const nothing = document.createElement("p");
    nothing.className = "faint";
    nothing.dataset.empty = "";
    nothing.textContent = say("block-empty");
    element.replaceChildren(nothing);
  }
  leadOut(element);
}

/** Links lead into another tab: the work here stays. */
export function leadOut(element) {
  for (const link of element.querySelectorAll("[data-prose] a[href]")) link.target = "_blank";
}
