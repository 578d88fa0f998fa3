/** An element with properties (`class`, `for` as attributes; functions are listeners) and children, nested as they come. */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (typeof value === 'function') node.addEventListener(name, value);
    else if (name in node && typeof value !== 'string') node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children.flat(Number.POSITIVE_INFINITY).filter((child) => child !== undefined && child !== ''));
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

/** A link to a part of this page. The page has a base address of its own, so that it works below a prefix. */
export function jump(id, ...children) {
  return el('a', { href: `docs#${id}` }, ...children);
}

/** JSON in a block that can be scrolled with the keyboard. */
export function jsonBlock(value, label) {
  return codeBlock(JSON.stringify(value, null, 2), label);
}

export function codeBlock(text, label) {
  return el('pre', { tabindex: '0', role: 'group', 'aria-label': label }, text);
}
