import { codeBlock, el } from './dom.js';
import { LANGUAGES } from './snippets.js';

/** All tabs of the page show one language: the last one chosen. */
let current = LANGUAGES[0].id;
const groups = [];

/**
 * Tabs with a call in each language (WAI-ARIA tabs: arrow keys, Home and End move between them).
 * @param name of the operation, unique on the page
 * @param request makes the call from what the form holds at that moment
 * @returns the element, and `refresh` to write the call again
 */
export function snippetTabs(name, request) {
  const panel = el('div', { role: 'tabpanel', id: `${name}-snippet` });
  const tabs = LANGUAGES.map(({ id, label }) =>
    el(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `${name}-${id}`,
        'aria-controls': panel.id,
        click: () => choose(id),
        keydown: (event) => moveFocus(event, tabs),
      },
      label,
    ),
  );
  const refresh = () => {
    const language = LANGUAGES.find(({ id }) => id === current);
    const text = language.write(request());
    for (const [i, tab] of tabs.entries()) {
      const selected = LANGUAGES[i].id === current;
      tab.setAttribute('aria-selected', String(selected));
      tab.tabIndex = selected ? 0 : -1;
      if (selected) panel.setAttribute('aria-labelledby', tab.id);
    }
    panel.replaceChildren(codeBlock(text, `${language.label} call`), copyButton(text));
  };
  groups.push(refresh);
  const list = el('div', { role: 'tablist', 'aria-label': 'Language of the call' }, tabs);
  return { element: el('div', { class: 'snippets' }, list, panel), refresh };
}

function choose(id) {
  current = id;
  for (const refresh of groups) refresh();
}

function moveFocus(event, tabs) {
  const at = tabs.indexOf(event.currentTarget);
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  const tab = tabs[next % tabs.length];
  tab.click();
  tab.focus();
}

function copyButton(text) {
  const button = el('button', { type: 'button', class: 'copy' }, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      // Without the permission the text can still be selected.
      button.textContent = 'Not allowed';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  return button;
}
