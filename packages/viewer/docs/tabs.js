import { codeBlock, el } from './dom.js';
import { LANGUAGES } from './snippets.js';

/** All snippets on the page show the last chosen language. */
let current = LANGUAGES[0].id;
const groups = [];

/**
 * Creates tabs with a request in each language (WAI-ARIA tabs: arrow keys, Home and End switch between them).
 * @param name name of the operation, unique on the page
 * @param request returns the request for the current values of the form
 * @returns the element, and `refresh` to update it
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
    panel.replaceChildren(codeBlock(text, `${language.label} program`), copyButton(text));
  };
  groups.push(refresh);
  const list = el('div', { role: 'tablist', 'aria-label': 'Language' }, tabs);
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
      // The text can still be selected.
      button.textContent = 'Not allowed';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  return button;
}
