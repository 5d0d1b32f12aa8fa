// Elements made in a line. Text is only ever text: nothing here reads markup.

/**
 * Make an element. A function as the value of `onclick` and the like listens; `true` sets an attribute without a
 * value, and `false`, `null` and `undefined` leave it out.
 * @param {string} tag
 * @param {Record<string, unknown>} attributes
 * @param {...(Node|string|null|undefined|false)} children
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((each) => each !== null && each !== undefined && each !== false));
  return element;
}

let made = 0;

/** An id that nothing on the page has yet. */
export const freshId = (prefix) => `${prefix}-${++made}`;
