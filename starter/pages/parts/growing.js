// Lists that grow by a button at their end: whoever pressed it goes on at the first row that came.
let last = null; // what stands before the button that was pressed

document.addEventListener("click", ({ target }) => {
  last = target.closest?.(".more > [hx-get]")?.parentElement.previousElementSibling ?? null;
});

/** To be called once the rows are there. */
export function goOn() {
  const first = last?.nextElementSibling;
  last = null;
  if (!first || document.activeElement !== document.body) return;
  first.tabIndex = -1;
  first.focus({ preventScroll: true });
}
