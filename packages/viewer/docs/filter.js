import { el } from './dom.js';

/**
 * Creates a search box that hides the parts of the page that do not contain every typed word.
 * @param groups headings with the entries below them: `{ headings, entries: [{ link, part }] }`; `part` is searched
 * and hidden together with its `link`
 * @param onFilter called when the box is not empty
 */
export function filterBox(groups, onFilter) {
  const status = el('p', { class: 'note', role: 'status' });
  const box = el('input', {
    type: 'search',
    placeholder: 'for example lineRoi, 404, DELETE',
    autocomplete: 'off',
    spellcheck: false,
    'aria-keyshortcuts': '/',
    input: () => apply(box.value),
  });
  const apply = (text) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length > 0) onFilter();
    let shown = 0;
    for (const { headings, entries } of groups) {
      const matches = entries.filter(({ link, part }) => {
        const content = part.textContent.toLowerCase();
        const match = words.every((word) => content.includes(word));
        link.hidden = part.hidden = !match;
        return match;
      });
      for (const heading of headings) heading.hidden = matches.length === 0;
      shown += matches.length;
    }
    status.textContent = words.length === 0 ? '' : shown === 0 ? 'Nothing matches.' : `${shown} shown`;
  };
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isEditable(event.target)) return;
    event.preventDefault();
    box.focus();
  });
  return el('div', { class: 'filter', role: 'search' }, el('label', {}, 'Filter', box), status);
}

function isEditable(target) {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}
