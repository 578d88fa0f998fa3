// What is inside the executable, for its licenses and its bill of materials.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_VERSION } from './nodes.mjs';

/**
 * `isProgram`: it is no package of npm.
 * @typedef {{ name: string, version: string, license: string, text: string, isProgram?: boolean }} Component
 */

/**
 * Returns Node and every package whose code is in the executable or in its pages, by name.
 * @param {object} built
 * @param {string} built.modules the folder `node_modules`
 * @param {Iterable<string>} built.bundled paths of the modules that are in the scripts
 * @param {readonly string[]} built.licenseLists texts with the licenses of pages, as vite.config.ts of the viewer writes them
 * @param {string} built.nodeLicense
 * @returns {Component[]}
 */
export function listComponents({ modules, bundled, licenseLists, nodeLicense }) {
  // These are in the bundles of the package already: see scripts/bundle.mjs.
  const names = new Set(['saxes', 'typebox', 'xmlchars']);
  for (const path of bundled) {
    const name = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(path)?.[1];
    if (name) names.add(name.replaceAll('\\', '/'));
  }
  const parts = licenseLists.flatMap((list) => list.split('\n\n---\n\n'));
  for (const part of parts) names.add(/^(\S+)\n\n/.exec(part)?.[1] ?? '');
  names.delete('');
  const packages = [...names].sort().map((name) => component(join(modules, name)));
  const node = { name: 'node', version: NODE_VERSION, license: 'MIT AND others', text: nodeLicense, isProgram: true };
  return [node, ...packages];
}

/**
 * @param {string} folder of a package
 * @returns {Component}
 */
function component(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.(md|txt))?$/i.test(entry));
  const text = file ? readFileSync(join(folder, file), 'utf8') : `License: ${license}`;
  return { name, version, license, text };
}

/** @param {readonly Component[]} components */
export function licenseText(components) {
  return components.map(({ name, version, text }) => `${name} ${version}\n\n${text.trim()}\n`).join('\n---\n\n');
}

/**
 * Returns a bill of materials in CycloneDX 1.5. It has no serial number and no time: two builds of a commit are equal.
 * @param {string} version of the application
 * @param {readonly Component[]} components
 */
export function billOfMaterials(version, components) {
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', name: 'acquisition-store', version, licenses: [license('MIT')] } },
    components: components.map(({ name, version, license: id, isProgram }) => ({
      type: name === 'node' ? 'platform' : 'library',
      name,
      version,
      licenses: [license(id)],
      purl: isProgram ? `pkg:generic/${name}@${version}` : `pkg:npm/${name.replace('@', '%40')}@${version}`,
    })),
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

/** @param {string} id SPDX id, or an expression */
function license(id) {
  return /^[\w.-]+$/.test(id) ? { license: { id } } : { expression: id };
}
