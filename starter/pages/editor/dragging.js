// Blocks moved by the mouse: their grip is dragged, a line shows where they would go.
const list = document.querySelector("[data-blocks]");

/** `dropped(id, before)`: before which block's id it was dropped; null: at the end. */
export function draggable(dropped) {
  let dragged = null;
  let before = null;
  const line = document.createElement("div");
  line.className = "drop-line";

  list.addEventListener("dragstart", (event) => {
    const block = event.target.closest("[data-grip]")?.closest("[data-block]");
    if (!block) return;
    dragged = block;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", block.querySelector("[data-label]").textContent);
    event.dataTransfer.setDragImage(block, 16, 16);
    block.classList.add("dragged");
  });
  list.addEventListener("dragover", (event) => {
    if (!dragged) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
    before = [...list.querySelectorAll("[data-block]")].find((each) => {
      const { top, height } = each.getBoundingClientRect();
      return event.clientY < top + height / 2;
    }) ?? null;
    place(line, before);
  });
  list.addEventListener("drop", (event) => {
    if (!dragged) return;
    event.preventDefault();
    const [id, following] = [dragged.dataset.block, before?.dataset.block ?? null];
    end();
    if (id !== following) dropped(id, following);
  });
  list.addEventListener("dragend", end);

  function end() {
    dragged?.classList.remove("dragged");
    dragged = null;
    line.parentElement?.classList.remove("marked");
    line.remove();
  }
}

/** The line takes no room: what is dragged over must not move away from under the pointer. */
function place(line, before) {
  const host = before ?? list.lastElementChild;
  line.classList.toggle("after", !before);
  if (line.parentElement === host) return;
  line.parentElement?.classList.remove("marked");
  host.classList.add("marked");
  host.append(line);
}
