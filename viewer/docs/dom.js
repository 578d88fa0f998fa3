/** An element with properties (`class`, `for` as attributes; functions are listeners) and children. */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (typeof value === 'function') node.addEventListener(name, value);
    else if (name in node && typeof value !== 'string') node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child !== undefined));
  return node;
}

/** Text of the document: `code` between backticks, a paragraph per blank line. */
export function prose(text = '') {
  return text
    .split(/\n{2,}/)
    .filter(Boolean)
    .map((paragraph) => el('p', {}, phrase(paragraph)));
}

export function phrase(text = '') {
  return text.split('`').map((part, i) => (i % 2 ? el('code', {}, part) : part));
}
