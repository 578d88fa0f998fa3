// Makes the static site of the docs: the pages of docs/ in the order of docs/README.md, with a search that needs no server.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'vite';
import { collect, INDEX, pointLinks } from './collect.mjs';
import { readContents } from './contents.mjs';
import { escapeHtml } from './highlight.mjs';
import { layOut } from './layout.mjs';
import { renderCode, renderTokens } from './markdown.mjs';
import { joinVersions, mayReplace, readVersions, writeRecord } from './versions.mjs';

/**
 * @typedef {import('./collect.mjs').Entry} Entry
 * @typedef {import('./layout.mjs').Site} Site
 */

/** The same colors and sign as the viewer and /docs have. */
const COPIED = {
  'tokens.css': 'packages/viewer/src/style/tokens.css',
  'icon.svg': 'packages/viewer/docs/icon.svg',
  'site.css': 'site/page/site.css',
  'theme.js': 'site/page/theme.js',
};

/**
 * Writes the site of the current version to its folder, and joins it with the other versions in the same place.
 * @param {string} root of the repository
 * @param {string} out
 * @returns {Promise<{ version: string, folder: string, pages: number }>}
 * @throws {Error} when a link leads nowhere, a page is missing in the index, or the folder has other files
 */
export async function buildSite(root, out) {
  const { version } = JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8'));
  const folder = join(out, version);
  if (!mayReplace(folder))
    throw new Error(`${folder} has files that npm run docs did not write. Choose another --out.`);
  const site = readSite(root, version);
  rmSync(folder, { recursive: true, force: true });
  for (const entry of site.entries.values()) writeEntry(root, folder, site, entry);
  for (const [name, path] of Object.entries(COPIED)) copyFileSync(join(root, path), join(folder, name));
  writeFileSync(join(folder, 'search-data.js'), searchData(site));
  writeFileSync(join(folder, 'site.js'), await bundle(join(root, 'site', 'page', 'main.js')));
  const pages = [...site.entries.values()].filter(({ target }) => target.endsWith('.html')).map(({ target }) => target);
  writeRecord(folder, { version, pages });
  joinVersions(out, readVersions(out));
  return { version, folder, pages: pages.length };
}

/**
 * @param {string} root
 * @param {string} version
 * @returns {Site}
 */
function readSite(root, version) {
  const entries = collect(root);
  const index = entries.get(INDEX)?.page;
  if (index === undefined) throw new Error(`${INDEX} is missing`);
  const contents = readContents(index);
  const listed = new Set(contents.kinds.flatMap(({ pages }) => pages.map(({ source }) => source)));
  const missing = [...entries.values()].filter(
    ({ source, page }) => page && source.startsWith('docs/') && source !== INDEX && !listed.has(source),
  );
  if (missing.length > 0) throw new Error(`${INDEX} does not list ${missing.map(({ source }) => source).join(', ')}`);
  for (const entry of entries.values()) pointLinks(root, entries, entry);
  return { version, entries, contents };
}

/**
 * @param {string} root
 * @param {string} folder
 * @param {Site} site
 * @param {Entry} entry
 */
function writeEntry(root, folder, site, entry) {
  const path = join(folder, entry.target);
  mkdirSync(dirname(path), { recursive: true });
  const { page, code, listed } = entry;
  const title = page?.title ?? entry.source;
  const heading = `<h1>${escapeHtml(title)}</h1>\n`;
  if (page)
    writeFileSync(path, layOut(site, entry, { title, html: renderTokens(page.tokens), headings: page.headings }));
  else if (code !== undefined) {
    writeFileSync(path, layOut(site, entry, { title, html: heading + renderFile(entry.source, code), headings: [] }));
  } else if (listed) {
    writeFileSync(
      path,
      layOut(site, entry, { title, html: heading + renderFolder(site, entry, listed), headings: [] }),
    );
  } else copyFileSync(join(root, entry.source), path);
}

/**
 * @param {string} source
 * @param {string} code
 */
function renderFile(source, code) {
  const name = source.slice(source.lastIndexOf('/') + 1);
  return `<div class="file" data-name="${escapeHtml(name)}">\n${renderCode(code, name.slice(name.lastIndexOf('.') + 1))}</div>\n`;
}

/**
 * @param {Site} site
 * @param {Entry} entry
 * @param {string[]} listed
 */
function renderFolder({ entries }, entry, listed) {
  const items = listed.map((name) => {
    const target = entries.get(`${entry.source}/${name}`.replace(/\/$/, ''))?.target ?? '';
    const href = encodeURI(target.slice(dirname(entry.target).length + 1));
    return `<li><a href="${href}">${escapeHtml(name)}</a></li>`;
  });
  return `<ul>\n${items.join('\n')}\n</ul>\n`;
}

/**
 * Returns a script, because pages that were opened from the disk can load scripts but no other files.
 * @param {Site} site
 */
function searchData({ entries, contents }) {
  const order = contents.kinds.flatMap(({ title, pages }) => pages.map(({ source }) => ({ source, kind: title })));
  const kinds = new Map(order.map(({ source, kind }) => [source, kind]));
  const pages = [...entries.values()].flatMap(({ source, target, page }) =>
    page && source !== INDEX
      ? [{ address: encodeURI(target), title: page.title, kind: kinds.get(source) ?? '', page }]
      : [],
  );
  const data = pages.map(({ page, ...shown }) => ({
    ...shown,
    sections: page.sections.map(({ anchor, heading, text }) => [anchor, heading, text.replace(/\s+/g, ' ').trim()]),
  }));
  return `globalThis.DOCS_SEARCH = ${JSON.stringify(data)};\n`;
}

/**
 * Bundles the script of the pages as one that needs no modules, which pages from the disk cannot load.
 * @param {string} entry
 * @returns {Promise<string>}
 */
async function bundle(entry) {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: { write: false, lib: { entry, formats: ['iife'], name: 'site' }, target: 'es2022' },
  });
  const [output] = /** @type {import('vite').Rolldown.RolldownOutput[]} */ (built);
  const chunk = output?.output.find(({ type }) => type === 'chunk');
  return /** @type {import('vite').Rolldown.OutputChunk} */ (chunk).code;
}
