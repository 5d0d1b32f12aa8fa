// What somebody does before the page's modules are there is done once they are: a button pressed, a text clicked to
// write in it, a choice, a form sent, Ctrl+Enter. The one script that is no module: it is there before anything can be
// pressed.
{
  const PRESSED = "button, [role=button], [data-prose]";
  const TYPES = ["click", "submit", "input", "change", "keydown"];
  let held = [];

  /** What is sent to an address needs no module for it. */
  const isPlain = (target) => (target.form ?? target.closest("form"))?.hasAttribute("action");

  const hold = (event) => {
    const { type, target } = event;
    if (!event.isTrusted) return;
    if (type === "keydown" && !(event.key === "Enter" && (event.ctrlKey || event.metaKey))) return;
    if (type === "click" || type === "submit") {
      if (isPlain(target) || (type === "click" && !target.closest(PRESSED))) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    held = held.filter((each) => each.type !== type || each.target !== target); // who is impatient means it once
    held.push(event);
  };

  const again = (event) => {
    const { type, target } = event;
    if (!target.isConnected) return;
    if (type === "click") target.dispatchEvent(new MouseEvent(type, event));
    else if (type === "keydown") target.dispatchEvent(new KeyboardEvent(type, event));
    else if (type === "submit") target.requestSubmit();
    else target.dispatchEvent(new Event(type, { bubbles: true }));
  };

  for (const type of TYPES) document.addEventListener(type, hold, true);
  document.addEventListener("DOMContentLoaded", () => {
    // the modules have run; the next turn is for what they have put off (htmx does)
    setTimeout(() => {
      for (const type of TYPES) document.removeEventListener(type, hold, true);
      held.forEach(again);
    });
  });
}
