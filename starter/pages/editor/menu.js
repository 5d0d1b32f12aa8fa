// The menu of a block: one in the page, shown beside the button that asks for it.
const menu = document.querySelector("[data-block-menu]");
let button;

/** `chosen(name, block id)`. */
export function blockMenu(chosen) {
  menu.addEventListener("click", (event) => {
    const name = event.target.closest("[data-do]")?.dataset.do;
    if (!name) return;
    const id = button.closest("[data-block]").dataset.block;
    menu.hidePopover();
    chosen(name, id);
  });
  menu.addEventListener("keydown", (event) => {
    const items = [...menu.querySelectorAll("[data-do]:enabled")];
    const place = items.indexOf(document.activeElement);
    const to = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: items.length - 1 }[event.key];
    event.stopPropagation(); // shortcuts are for the page
    if (event.key === "Tab") menu.hidePopover();
    if (to === undefined) return;
    event.preventDefault();
    items.at(to % items.length).focus();
  });
  menu.addEventListener("toggle", ({ newState }) => {
    button.setAttribute("aria-expanded", String(newState === "open"));
    if (newState === "closed" && (menu.contains(document.activeElement) || document.activeElement === document.body)) button.focus();
  });
}

/** `role`: what the block is; `idle`: names of what would do nothing here. */
export function openMenu(at, role, idle) {
  button = at;
  for (const item of menu.querySelectorAll("[data-do]")) item.disabled = idle.includes(item.dataset.do);
  for (const item of menu.querySelectorAll("[role=menuitemradio]")) item.ariaChecked = String(item.dataset.do === role);
  menu.showPopover();
  const { bottom, right, top } = at.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(8, right - width)}px`;
  menu.style.top = `${bottom + height + 8 > innerHeight ? Math.max(8, top - height - 4) : bottom + 4}px`;
  menu.querySelector("[role=menuitem]").focus();
}
