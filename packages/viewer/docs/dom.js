/** Creates an element with properties (`class` and `for` as attributes, functions as listeners) and nested children. */
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

/** Returns paragraphs of text, which blank lines separate. Text in backticks becomes code. */
export function prose(text = '') {
  return text
    .split(/\n{2,}/)
    .filter(Boolean)
    .map((paragraph) => el('p', {}, phrase(paragraph)));
}

export function phrase(text = '') {
  return text.split('`').map((part, i) => (i % 2 ? el('code', {}, part) : part));
}

/** Creates a link within this page. It includes the page, because the base address may be that of a proxy. */
export function jump(id, ...children) {
  return el('a', { href: `docs#${id}` }, ...children);
}

/** Shows JSON in a block that can be scrolled with the keyboard. */
export function jsonBlock(value, label) {
  return codeBlock(JSON.stringify(value, null, 2), label);
}

export function codeBlock(text, label) {
  return el('pre', { tabindex: '0', role: 'group', 'aria-label': label }, text);
}
