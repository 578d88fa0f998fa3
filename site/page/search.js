import MiniSearch from 'minisearch';
import { find, make } from './dom.js';

/**
 * @typedef {{ address: string, title: string, kind: string, sections: [anchor: string, heading: string, text: string][] }} SearchedPage
 * @typedef {{ id: number, address: string, title: string, kind: string, heading: string, text: string }} SearchedSection
 * @typedef {{ section: SearchedSection, terms: string[] }} Hit with the words of the section that match
 */

const MAX_HITS = 12;
/** Words that say nothing about what is looked for. */
const SKIPPED = new Set('a an and are as at be by for from how i in is it of on or the to what with'.split(' '));
/** Shorter beginnings of words match too much. */
const MIN_PREFIX = 3;
/** Characters of an excerpt: before the first match, and in total. */
const [BEFORE, EXCERPT] = [40, 150];

/**
 * Shows the field. Its index is loaded when it gets the focus.
 * @param {string} top way from the page to the folder of its version
 */
export function setUpSearch(top) {
  const box = find(document, '#search', HTMLElement);
  const input = find(box, 'input', HTMLInputElement);
  const results = find(box, '.results', HTMLElement);
  const list = find(results, 'ol', HTMLOListElement);
  const count = find(results, '.count', HTMLElement);
  const links = () => [...list.querySelectorAll('a')];
  const close = () => results.classList.remove('open');
  const show = async () => {
    const query = input.value.trim();
    const search = await load(top);
    // What was typed in the meantime is shown by its own call.
    if (query !== input.value.trim()) return;
    const hits = query === '' ? [] : search(query);
    list.replaceChildren(...hits.slice(0, MAX_HITS).map((hit) => toItem(top, hit)));
    count.textContent = query === '' ? '' : countText(hits.length);
    results.classList.toggle('open', query !== '');
  };
  input.addEventListener('focus', () => void show());
  input.addEventListener('input', () => void show());
  box.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      // The field is the first stop, the links follow.
      const stops = [input, ...links()];
      const place = stops.indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement));
      stops[(place + step + stops.length) % stops.length]?.focus();
    } else if (event.key === 'Enter' && event.target === input) void show().then(() => links()[0]?.click());
    else if (event.key === 'Escape') {
      input.focus();
      input.value = '';
      close();
    }
  });
  document.addEventListener('click', ({ target }) => {
    if (!box.contains(/** @type {Node} */ (target))) close();
  });
  box.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget !== null && !box.contains(/** @type {Node} */ (relatedTarget))) close();
  });
  document.addEventListener('keydown', (event) => {
    const isSlash = event.key === '/' && !(event.target instanceof HTMLInputElement);
    if (!isSlash && !(event.key === 'k' && (event.ctrlKey || event.metaKey))) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  box.hidden = false;
}

/** @param {number} count */
function countText(count) {
  if (count === 0) return 'Nothing found. Try fewer or other words.';
  const shown = count > MAX_HITS ? `, the best ${MAX_HITS} shown` : '';
  return `${count === 1 ? '1 section' : `${count} sections`}${shown}`;
}

/** @type {Promise<(query: string) => Hit[]> | undefined} */
let loaded;

/**
 * Loads the text of all pages as a script, which also works for pages from the disk.
 * @param {string} top
 */
function load(top) {
  loaded ??= new Promise((resolve, reject) => {
    const script = make('script', { src: `${top}search-data.js` });
    script.addEventListener('load', () => resolve(createSearch()));
    script.addEventListener('error', () => reject(new Error('search-data.js is missing')));
    document.head.append(script);
  });
  return loaded;
}

function createSearch() {
  const pages = /** @type {{ DOCS_SEARCH: SearchedPage[] }} */ (/** @type {unknown} */ (globalThis)).DOCS_SEARCH;
  let id = 0;
  const sections = pages.flatMap(({ address, title, kind, sections }) =>
    sections.map(([anchor, heading, text]) => {
      return { id: id++, address: anchor === '' ? address : `${address}#${anchor}`, title, kind, heading, text };
    }),
  );
  const index = new MiniSearch({
    fields: ['heading', 'title', 'text'],
    processTerm: (term) => (SKIPPED.has(term.toLowerCase()) ? null : term.toLowerCase()),
  });
  index.addAll(sections);
  const kinds = [...new Set(pages.map(({ kind }) => kind))];
  const options = {
    boost: { heading: 4, title: 2 },
    prefix: (/** @type {string} */ term) => term.length >= MIN_PREFIX,
    fuzzy: (/** @type {string} */ term) => (term.length > 5 ? 0.15 : false),
    // The index lists what most readers look for first. What it does not list, such as the changelog, has no kind.
    boostDocument: (/** @type {number} */ id) => {
      const kind = sections[id]?.kind ?? '';
      return kind === '' ? 0.3 : 1 / (1 + 0.15 * kinds.indexOf(kind));
    },
  };
  return (/** @type {string} */ query) => {
    const all = index.search(query, { ...options, combineWith: 'AND' });
    const found = all.length > 0 ? all : index.search(query, options);
    return found.map(({ id, terms }) => ({ section: /** @type {SearchedSection} */ (sections[id]), terms }));
  };
}

/**
 * @param {string} top
 * @param {Hit} hit
 */
function toItem(top, { section: { address, title, kind, heading, text }, terms }) {
  const place = [kind, heading === title ? '' : title].filter((part) => part !== '').join(' › ');
  const link = make('a', { href: `${top}${address}` }, make('span', { class: 'where' }, place), make('b', {}, heading));
  const excerpt = toExcerpt(text, terms);
  if (excerpt.length > 0) link.append(make('span', { class: 'excerpt' }, ...excerpt));
  return make('li', {}, link);
}

/**
 * Cuts out what is around the first match.
 * @param {string} text
 * @param {string[]} terms
 * @returns {(Node | string)[]}
 */
function toExcerpt(text, terms) {
  const words = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).sort((a, b) => b.length - a.length);
  const whole = (/** @type {string} */ word) => new RegExp(`(?<![\\p{L}\\p{N}])(${word})(?![\\p{L}\\p{N}])`, 'giu');
  const pattern = whole(words.join('|'));
  // The longest word says most about the place.
  const first = Math.max(
    0,
    ...words
      .map((word) => text.search(whole(word)))
      .filter((place) => place >= 0)
      .slice(0, 1),
  );
  const start = first <= BEFORE ? 0 : text.indexOf(' ', first - BEFORE) + 1;
  const end = start + EXCERPT;
  const cut = text.length <= end ? text.length : text.lastIndexOf(' ', end);
  const parts = text.slice(start, Math.max(cut, start)).split(pattern);
  const marked = parts.map((part, index) => (index % 2 === 1 ? make('mark', {}, part) : part));
  return [start > 0 ? '… ' : '', ...marked, cut < text.length ? ' …' : ''].filter((part) => part !== '');
}
