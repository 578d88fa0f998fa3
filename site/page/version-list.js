import { find, make } from './dom.js';

/**
 * @typedef {{ version: string, pages: string[] }} Version
 * @typedef {{ top: string, page: string, version: string }} Place
 */

/**
 * Lets the reader change to the same page of another version, and says when there is a newer one.
 * @param {Place} place
 */
export function setUpVersions(place) {
  const versions = /** @type {{ DOCS_VERSIONS?: Version[] }} */ (globalThis).DOCS_VERSIONS ?? [];
  const [newest] = versions;
  if (versions.length < 2 || newest === undefined) return;
  const items = versions.map((version) => {
    const link = linkTo(version, place, version.version);
    if (version.version === place.version) link.setAttribute('aria-current', 'true');
    return make('li', {}, link);
  });
  const list = make(
    'details',
    {},
    make('summary', {}, make('span', {}, 'Version '), place.version),
    make('ul', {}, ...items),
  );
  const holder = find(document, '#version', HTMLElement);
  holder.replaceChildren(list);
  list.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') list.removeAttribute('open');
  });
  document.addEventListener('click', ({ target }) => {
    if (!holder.contains(/** @type {Node} */ (target))) list.removeAttribute('open');
  });
  if (newest.version === place.version) return;
  const link = linkTo(newest, place, `version ${newest.version}`);
  const notice = make(
    'p',
    { class: 'older' },
    `This page describes version ${place.version}. The newest is `,
    link,
    '.',
  );
  find(document, 'main', HTMLElement).prepend(notice);
}

/**
 * @param {Version} version
 * @param {Place} place
 * @param {string} label
 */
function linkTo({ version, pages }, { top, page }, label) {
  const target = pages.includes(page) ? page : 'index.html';
  return make('a', { href: `${top}../${version}/${encodeURI(target)}` }, label);
}
