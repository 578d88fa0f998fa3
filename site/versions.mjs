// The folder of the site has a folder for each version, and what joins them: a page with their list, and a script with which the
// pages of one version lead to another.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {{ version: string, pages: string[] }} Version with the addresses of its pages
 */

/** In the folder of each version. */
const RECORD = 'version.json';

/**
 * Returns the versions in a folder, the newest first.
 * @param {string} out
 * @returns {Version[]}
 */
export function readVersions(out) {
  const names = existsSync(out) ? readdirSync(out).filter((name) => existsSync(join(out, name, RECORD))) : [];
  const versions = names.map((name) => JSON.parse(readFileSync(join(out, name, RECORD), 'utf8')));
  return versions.sort((a, b) => compareVersions(b.version, a.version));
}

/**
 * @param {string} folder of the version
 * @param {Version} version
 */
export function writeRecord(folder, version) {
  writeFileSync(join(folder, RECORD), `${JSON.stringify(version)}\n`);
}

/** @param {string} folder @returns {boolean} true when the folder has a version, or nothing */
export function mayReplace(folder) {
  return !existsSync(folder) || existsSync(join(folder, RECORD)) || readdirSync(folder).length === 0;
}

/**
 * Writes what joins the versions.
 * @param {string} out
 * @param {Version[]} versions the newest first
 */
export function joinVersions(out, versions) {
  writeFileSync(join(out, 'versions.js'), `globalThis.DOCS_VERSIONS = ${JSON.stringify(versions)};\n`);
  const newest = versions[0]?.version;
  const items = versions.map(({ version }) => {
    const note = version === newest && versions.length > 1 ? ' (newest)' : '';
    return `<li><a href="${version}/index.html">Version ${version}</a>${note}</li>`;
  });
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Acquisition Store Server: documentation</title>
<link rel="icon" href="${newest}/icon.svg">
<link rel="stylesheet" href="${newest}/tokens.css">
<link rel="stylesheet" href="${newest}/site.css">
<script src="${newest}/theme.js"></script>
</head>
<body class="versions-page">
<main>
<h1>Documentation of Acquisition Store Server</h1>
<ul>
${items.join('\n')}
</ul>
</main>
</body>
</html>
`;
  writeFileSync(join(out, 'index.html'), html);
}

/**
 * Compares by semantic versioning, where 0.2.0-rc.1 comes before 0.2.0.
 * @param {string} a
 * @param {string} b
 * @returns {number} below 0 when `a` is older
 */
function compareVersions(a, b) {
  const [coreA = '', beforeA] = a.split(/-(.*)/);
  const [coreB = '', beforeB] = b.split(/-(.*)/);
  const byNumbers = (/** @type {string} */ one, /** @type {string} */ other) =>
    one.localeCompare(other, 'en', { numeric: true });
  if (coreA !== coreB) return byNumbers(coreA, coreB);
  if (beforeA === undefined || beforeB === undefined)
    return Number(beforeA === undefined) - Number(beforeB === undefined);
  return byNumbers(beforeA, beforeB);
}
