// The HTML around the text of a page.
import { relativeHref } from './collect.mjs';
import { escapeHtml } from './highlight.mjs';

/**
 * @typedef {import('./collect.mjs').Entry} Entry
 * @typedef {import('./contents.mjs').Contents} Contents
 * @typedef {import('./contents.mjs').Link} Link
 * @typedef {object} Site
 * @property {string} version
 * @property {Map<string, Entry>} entries by their source
 * @property {Contents} contents
 * @typedef {object} Shown
 * @property {string} title
 * @property {string} html
 * @property {import('./markdown.mjs').Heading[]} headings
 */

const PRODUCT = 'Acquisition Store Server';
/** Addresses from pages themselves: nothing is asked from another host. `file:` is for pages opened from the disk. */
const POLICY = "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file: data:";
/** A page with fewer headings needs no list of them. */
const MIN_LISTED = 2;

/**
 * Returns a page of the site.
 * @param {Site} site
 * @param {Entry} entry
 * @param {Shown} shown
 */
export function layOut(site, entry, { title, html, headings }) {
  const top = relativeHref(entry.target, 'index.html').slice(0, -'index.html'.length);
  return `<!doctype html>
<html lang="en" data-top="${top}" data-page="${escapeHtml(entry.target)}" data-version="${site.version}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escapeHtml(title)} · ${PRODUCT} ${site.version}</title>
<link rel="icon" href="${top}icon.svg">
<link rel="stylesheet" href="${top}tokens.css">
<link rel="stylesheet" href="${top}site.css">
<script src="${top}theme.js"></script>
<script src="${top}../versions.js" defer></script>
<script src="${top}site.js" defer></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
${header(top, site.version)}
<nav class="pages" id="pages" aria-label="Pages">
${pageList(site, entry)}
</nav>
<main id="text" tabindex="-1">
${steps(site, entry)}
<article${entry.target === 'index.html' ? ' class="index"' : ''}>
${html}</article>
${neighbors(site, entry)}
<footer>${PRODUCT} ${site.version}. This page is <code>${escapeHtml(entry.source)}</code> in the repository.</footer>
</main>
${outline(headings)}
</body>
</html>
`;
}

/**
 * What needs JavaScript is hidden until it runs.
 * @param {string} top
 * @param {string} version
 */
function header(top, version) {
  return `<header>
<button type="button" id="menu" aria-expanded="false" aria-controls="pages" hidden>Pages</button>
<a class="name" href="${top}index.html">${PRODUCT}</a>
<div class="version" id="version"><a href="${top}../index.html"><span>Version </span>${version}</a></div>
<div class="search" id="search" role="search" hidden>
<input type="search" placeholder="Search" aria-label="Search in the documentation" aria-keyshortcuts="/ Control+K" autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">/</kbd>
<div class="results">
<p class="count" role="status"></p>
<ol></ol>
</div>
</div>
<button type="button" id="theme" hidden>Dark</button>
</header>`;
}

/**
 * @param {Site} site
 * @param {Entry} entry
 */
function pageList({ entries, contents }, entry) {
  const parts = contents.kinds.map(({ title, pages }, index) => {
    const isOpen =
      pages.some(({ source }) => source === entry.source) || (entry.target === 'index.html' && index === 0);
    const items = pages.map((page) => `<li>${linkTo(entries, entry, page)}</li>`).join('\n');
    return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(title)}</summary>\n<ul>\n${items}\n</ul></details>`;
  });
  return parts.join('\n');
}

/**
 * The way through the docs, with the step that the page belongs to: a page belongs to the step whose link leads into its kind.
 * @param {Site} site
 * @param {Entry} entry
 */
function steps({ entries, contents }, entry) {
  const kindOf = (/** @type {string} */ source) =>
    contents.kinds.find(({ pages }) => pages.some((page) => page.source === source));
  const current = kindOf(entry.source);
  const items = contents.steps.map((step) => {
    const kind = kindOf(step.source) ?? contents.kinds.find(({ anchor }) => anchor === step.anchor);
    const isCurrent = current !== undefined && kind === current;
    return `<li${isCurrent ? ' class="current"' : ''}>${linkTo(entries, entry, step, isCurrent ? 'step' : undefined)}</li>`;
  });
  return items.length === 0 ? '' : `<nav class="steps" aria-label="Steps">\n<ol>\n${items.join('\n')}\n</ol>\n</nav>`;
}

/**
 * @param {Site} site
 * @param {Entry} entry
 */
function neighbors({ entries, contents }, entry) {
  const pages = contents.kinds.flatMap((kind) => kind.pages);
  const place = pages.findIndex(({ source }) => source === entry.source);
  if (place < 0) return '';
  const link = (/** @type {Link | undefined} */ page, /** @type {string} */ word) =>
    page === undefined ? '' : `<p class="${word.toLowerCase()}">${word}: ${linkTo(entries, entry, page)}</p>`;
  const both = [link(pages[place - 1], 'Previous'), link(pages[place + 1], 'Next')].filter((text) => text !== '');
  return `<nav class="neighbors" aria-label="Previous and next page">\n${both.join('\n')}\n</nav>`;
}

/** @param {Shown['headings']} headings */
function outline(headings) {
  const listed = headings.filter(({ level }) => level === 2 || level === 3);
  if (listed.length < MIN_LISTED) return '';
  const items = listed.map(
    ({ level, text, anchor }) => `<li class="level-${level}"><a href="#${anchor}">${escapeHtml(text)}</a></li>`,
  );
  return `<details class="outline" id="outline"><summary>On this page</summary>
<nav aria-label="On this page">
<ul>
${items.join('\n')}
</ul>
</nav>
</details>`;
}

/**
 * @param {Map<string, Entry>} entries
 * @param {Entry} from
 * @param {Link} link
 * @param {string} [current] value of aria-current, which is `page` for a link to the page itself
 */
function linkTo(
  entries,
  from,
  { label, source, anchor },
  current = source === from.source && anchor === '' ? 'page' : undefined,
) {
  const target = entries.get(source)?.target ?? '';
  const href = `${relativeHref(from.target, target)}${anchor === '' ? '' : `#${anchor}`}`;
  return `<a href="${href}"${current === undefined ? '' : ` aria-current="${current}"`}>${escapeHtml(label)}</a>`;
}
