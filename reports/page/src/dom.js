// Elements out of values. Text from a report reaches the document as text only: there is no way from here to markup.

const svg_namespace = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (name === 'style')
      for (const [property, setting] of Object.entries(value)) element.style.setProperty(property, setting);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false) element.append(child);
  }
  return element;
}

// h('button', {class: 'plain', click: f}, 'Text'): a function is an event's listener.
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) => fill(document.createElementNS(svg_namespace, tag), attributes, children);

let last_id = 0;
export const new_id = (prefix) => `${prefix}-${(last_id += 1)}`;
