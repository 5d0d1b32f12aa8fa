// Keyboard shortcuts: one key, keys after one another ("g j"), or with a modifier ("mod+s": Ctrl, on a Mac Cmd; "alt+x").
// Single keys count only outside of fields, so that they can be typed there; the space bar also not on what it presses.
const known = [];
const FOLLOWS_WITHIN_MS = 1200;
const SHOWN = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc", alt: "Alt", shift: "Shift" };
let typed = "";
let typedAt = 0;

/** Let `keys` run `action`; it is listed as `does`. An action that answers false has left the key to the browser. */
export function shortcut(keys, does, action) {
  known.push({ keys, does, action });
}

/** Show the list of them. */
export function listShortcuts() {
  const dialog = document.querySelector("[data-shortcuts-dialog]");
  const list = dialog.querySelector("[data-shortcuts-list]");
  const meanings = new Map();
  for (const { keys, does } of known) meanings.set(does, [...(meanings.get(does) ?? []), keys]);
  list.replaceChildren(
    ...[...meanings].map(([does, ways]) => {
      const row = document.createElement("div");
      const [term, meaning] = ["dt", "dd"].map((name) => row.appendChild(document.createElement(name)));
      ways.forEach((keys, place) => term.append(place ? " / " : "", pressed(keys)));
      meaning.textContent = does;
      return row;
    }),
  );
  dialog.showModal();
  dialog.scrollTop = 0; // its button is at the end, and has the focus
}

function pressed(keys) {
  const together = document.createElement("span");
  keys.split(/[ +]/).forEach((key, place) => {
    const shown = document.createElement("kbd");
    shown.textContent = key === "mod" ? (isMac() ? "⌘" : "Ctrl") : (SHOWN[key] ?? key);
    together.append(place ? " " : "", shown);
  });
  return together;
}

const isMac = () => /Mac|iPhone|iPad/.test(navigator.platform);

function isTyping(target) {
  return target instanceof Element && target.closest("input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable=true]") !== null;
}

function isPressed(target) {
  return target instanceof Element && target.closest("button, a[href], summary, input, [role=menuitem]") !== null;
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const mod = event.ctrlKey || event.metaKey;
  if ((event.altKey && mod) || (!mod && isTyping(event.target))) return;
  if (document.querySelector("dialog[open]")) return; // looked for last: a long page takes a millisecond, at every key
  const key = event.key === " " ? "Space" : event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key === "Space" && isPressed(event.target)) return;
  if (event.altKey) {
    run(known.find(({ keys }) => keys === `alt+${key}`), event);
    return;
  }
  if (mod) {
    run(known.find(({ keys }) => keys === `mod+${event.shiftKey ? "shift+" : ""}${key}`), event);
    return;
  }
  const now = performance.now();
  const after = now - typedAt < FOLLOWS_WITHIN_MS ? known.find(({ keys }) => keys === `${typed} ${key}`) : undefined;
  typed = key;
  typedAt = now;
  run(after ?? known.find(({ keys }) => keys === key), event);
});

function run(found, event) {
  if (found && found.action(event) !== false) event.preventDefault();
}
