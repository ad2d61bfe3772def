// Elements: all that comes from files enters the page as text, never as HTML.

export const find = (id) => document.getElementById(id);

/** An element with properties, listeners (on...) and children, which are elements or text. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...children);
}

/** Say something to those who do not see the board. */
export function say(text) {
  find("said").textContent = text;
}

/** Tell what went wrong, in one line; nothing takes it away. */
export function trouble(text = "") {
  find("trouble").textContent = text;
  find("trouble").hidden = !text;
}

/** Pairs of a name and its value as rows of a description list. */
export function facts(pairs) {
  return pairs.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]);
}

export function percent(share) {
  const value = 100 * share;
  // Rounding must not make the whole of what is not.
  const shown = value < 100 && value >= 99.95 ? Math.floor(value * 100) / 100 : value;
  return `${shown.toFixed(shown === 100 || shown < 99.9 ? 1 : 2)} %`;
}

export function lengthIn(value, unit) {
  const shown = Number(value.toPrecision(3));
  return unit && unit !== "unknown" ? `${shown} ${unit}` : `${shown}`;
}
