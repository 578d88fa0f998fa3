import { make } from './dom.js';

/** How long a button says that it has copied, in milliseconds. */
const SAID_MS = 2_000;

/** Gives code its buttons, and lets the keyboard scroll what is wider than the page. */
export function setUpBlocks() {
  for (const block of document.querySelectorAll('.code')) {
    const text = block.textContent ?? '';
    const buttons = make('div', { class: 'buttons' });
    if (navigator.clipboard) buttons.append(copyButton(text));
    const name = block.closest('.file')?.getAttribute('data-name');
    if (name) buttons.append(saveButton(name, text));
    block.append(buttons);
  }
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) markScrollable(target);
  });
  for (const element of document.querySelectorAll('.code pre, .wide')) observer.observe(element);
}

/** @param {Element} element */
function markScrollable(element) {
  if (element.scrollWidth > element.clientWidth) {
    element.setAttribute('tabindex', '0');
    element.setAttribute('role', 'group');
    element.setAttribute('aria-label', element.tagName === 'PRE' ? 'Code' : 'Table');
  } else for (const name of ['tabindex', 'role', 'aria-label']) element.removeAttribute(name);
}

/** @param {string} text */
function copyButton(text) {
  const button = make('button', { type: 'button' }, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not allowed';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, SAID_MS);
  });
  return button;
}

/**
 * @param {string} name
 * @param {string} text
 */
function saveButton(name, text) {
  const button = make('button', { type: 'button' }, 'Save file');
  button.addEventListener('click', () => {
    const address = URL.createObjectURL(new Blob([text]));
    make('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), SAID_MS);
  });
  return button;
}
