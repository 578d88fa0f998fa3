import { find } from './dom.js';

/** Width from which the list of headings has a column of its own, as in site.css. */
const WIDE = '(min-width: 1200px)';

/** Shows the button that opens the list of pages where it has no room beside the text, and what is current in both lists. */
export function setUpMenu() {
  const button = find(document, '#menu', HTMLButtonElement);
  const pages = find(document, '#pages', HTMLElement);
  const set = (/** @type {boolean} */ isOpen) => {
    button.setAttribute('aria-expanded', String(isOpen));
    pages.classList.toggle('open', isOpen);
  };
  button.addEventListener('click', () => set(button.getAttribute('aria-expanded') !== 'true'));
  document.addEventListener('keydown', ({ key, target }) => {
    if (key !== 'Escape' || button.getAttribute('aria-expanded') !== 'true') return;
    // There, it ends the search.
    if (target instanceof HTMLInputElement) return;
    set(false);
    button.focus();
  });
  button.hidden = false;
  const current = pages.querySelector('[aria-current]');
  if (current instanceof HTMLElement) pages.scrollTop = current.offsetTop - pages.clientHeight / 2;
  setUpOutline();
}

function setUpOutline() {
  const outline = document.querySelector('#outline');
  if (!(outline instanceof HTMLDetailsElement)) return;
  const wide = matchMedia(WIDE);
  const follow = () => {
    outline.open = wide.matches;
  };
  wide.addEventListener('change', follow);
  follow();
}
