// Finds what the site consists of: the pages of docs/, and what they link to elsewhere in the repository.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parsePage, setSize } from './markdown.mjs';

/**
 * @typedef {import('./markdown.mjs').Parsed} Parsed
 * @typedef {object} Entry a file of the site: a page, a file shown as it is, or a folder; otherwise a file that is copied
 * @property {string} source path in the repository, with `/`
 * @property {string} target path in the site, with `/`
 * @property {Parsed} [page] of Markdown
 * @property {string} [code] text of a file that is shown as it is
 * @property {string[]} [listed] names in a folder, which is shown as a list; those of folders end with `/`
 */

export const INDEX = 'docs/README.md';
const PICTURE = /\.(?:png|svg|jpe?g|gif|webp)$/;
/** What installs and builds make. */
const MADE = new Set(['node_modules', 'dist', 'out', 'target', '__pycache__']);

/**
 * Reads all pages, and all that they link to.
 * @param {string} root of the repository
 * @returns {Map<string, Entry>} by source, the pages of docs/ first
 * @throws {Error} that lists every link that leads nowhere, and all that the site cannot show
 */
export function collect(root) {
  /** @type {Map<string, Entry>} */
  const entries = new Map();
  const waiting = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .sort();
  /** @type {string[]} */
  const faults = [];
  for (let source = waiting.shift(); source !== undefined; source = waiting.shift()) {
    if (entries.has(source)) continue;
    const entry = readEntry(root, source);
    entries.set(source, entry);
    faults.push(...(entry.page?.faults ?? []).map((fault) => `${source}: ${fault}`));
    const linked = linkedFrom(entry);
    for (const path of linked) if (isInside(root, path)) waiting.push(path);
  }
  faults.push(...[...entries.values()].flatMap((entry) => linkFaults(entries, entry)));
  if (faults.length > 0) throw new Error(`The site cannot be made:\n${faults.join('\n')}`);
  return entries;
}

/**
 * Points the links of a page to where the site has what they lead to, and gives pictures their size.
 * @param {string} root of the repository
 * @param {Map<string, Entry>} entries
 * @param {Entry} entry
 */
export function pointLinks(root, entries, entry) {
  for (const token of entry.page?.links ?? []) {
    const { path = '' } = resolveLink(entry.source, token.href);
    if (token.type === 'image' && path.endsWith('.png')) {
      const png = readFileSync(join(root, path));
      setSize(token, { width: png.readUInt32BE(16), height: png.readUInt32BE(20) });
    }
    token.href = hrefTo(entries, entry, token.href);
  }
}

/**
 * Returns a link as a page of the site has it.
 * @param {Map<string, Entry>} entries
 * @param {Entry} from
 * @param {string} written in Markdown
 */
function hrefTo(entries, from, written) {
  const { path, anchor } = resolveLink(from.source, written);
  const linked = path === undefined ? undefined : entries.get(path);
  if (linked === undefined) return written;
  const hash = anchor === '' ? '' : `#${anchor}`;
  return linked === from && hash !== '' ? hash : `${relativeHref(from.target, linked.target)}${hash}`;
}

/**
 * @param {string} from file of the site
 * @param {string} to file of the site
 */
export function relativeHref(from, to) {
  return encodeURI(posix.relative(posix.dirname(from), to));
}

/**
 * @param {string} source of the page
 * @param {string} written in Markdown
 * @returns {{ path?: string, anchor: string }} path in the repository, or without a path when the link leads to the web
 */
export function resolveLink(source, written) {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(written)) return { anchor: '' };
  const [path = '', anchor = ''] = written.split('#');
  const joined = path === '' ? source : posix.join(posix.dirname(source), decodeURI(path));
  return { path: joined.replace(/\/$/, ''), anchor };
}

/** @param {Entry} entry */
function linkedFrom({ source, page, listed = [] }) {
  const below = listed.map((name) => `${source}/${name}`.replace(/\/$/, ''));
  const targets = (page?.links ?? []).map(({ href }) => resolveLink(source, href));
  return [...below, ...targets.flatMap(({ path }) => (path === undefined ? [] : [path]))];
}

/**
 * @param {string} root
 * @param {string} source
 * @returns {Entry}
 */
function readEntry(root, source) {
  const file = join(root, source);
  const target = targetOf(source);
  if (statSync(file).isDirectory()) {
    const listed = readdirSync(file, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.') && !MADE.has(name))
      .map((entry) => `${entry.name}${entry.isDirectory() ? '/' : ''}`);
    return { source, target: `${target}/index.html`, listed: listed.sort() };
  }
  const bytes = readFileSync(file);
  if (source.endsWith('.md')) return { source, target, page: parsePage(bytes.toString('utf8')) };
  return PICTURE.test(source) || bytes.includes(0)
    ? { source, target }
    : { source, target: `${target}.html`, code: bytes.toString('utf8') };
}

/**
 * Returns where the site has a file: pages of docs/ at the top, everything else in repository/.
 * @param {string} source
 */
function targetOf(source) {
  if (source === INDEX) return 'index.html';
  const target = source.startsWith('docs/') ? source.slice('docs/'.length) : `repository/${source}`;
  return target.replace(/\.md$/, '.html');
}

/**
 * @param {string} root
 * @param {string} path
 */
function isInside(root, path) {
  return !path.startsWith('..') && path !== '.' && existsSync(join(root, path));
}

/**
 * @param {Map<string, Entry>} entries
 * @param {Entry} entry
 * @returns {string[]}
 */
function linkFaults(entries, { source, page }) {
  return (page?.links ?? []).flatMap(({ type, href: written }) => {
    const isPicture = type === 'image';
    const { path, anchor } = resolveLink(source, written);
    if (path === undefined) return isPicture ? [`${source}: ${written} is a picture of another host`] : [];
    const linked = entries.get(path);
    if (linked === undefined) return [`${source}: ${written} does not exist`];
    if (anchor === '' || linked.page?.headings.some((heading) => heading.anchor === anchor)) return [];
    return [`${source}: ${written} has no such heading`];
  });
}
