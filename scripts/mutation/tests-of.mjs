// Finds the tests that import a source file, directly or through others, the nearest first.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';

/** What is imported when the program runs: not types. */
const IMPORT = /^(?:import|export)(?! type\b)[^'";]*from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;
const PACKAGE = /^@acquisition-store\/(\w+)\/(.+)$/;

/**
 * @param {string} root folder of the repository
 * @returns {(file: string) => Map<string, number>} the tests of a file, with the imports from one to the other
 */
export function readTestsOf(root) {
  /** @type {Map<string, Set<string>>} */
  const importers = new Map();
  for (const folder of ['packages', 'tests']) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.tsx?$/.test(name) || /(^|\/)(node_modules|dist|out)\//.test(name)) continue;
      const path = `${folder}/${name}`;
      for (const target of importsOf(root, path)) importers.set(target, (importers.get(target) ?? new Set()).add(path));
    }
  }
  return (file) => {
    const distance = new Map([[file, 0]]);
    for (const [path, steps] of distance) {
      for (const importer of importers.get(path) ?? []) {
        if (!distance.has(importer)) distance.set(importer, steps + 1);
      }
    }
    return new Map([...distance].filter(([path]) => path.endsWith('.test.ts')));
  };
}

/** @param {string} root @param {string} path */
function importsOf(root, path) {
  return [...readFileSync(join(root, path), 'utf8').matchAll(IMPORT)].flatMap(([, from, alone, later]) => {
    const name = from ?? alone ?? later ?? '';
    const [, owner, inside] = PACKAGE.exec(name) ?? [];
    const target = owner
      ? `packages/${owner}/src/${inside}`
      : name.startsWith('.')
        ? join(path, '..', name)
        : undefined;
    if (!target) return [];
    const source = normalize(target).replace(/\.js$/, '');
    return ['.ts', '.tsx'].map((ending) => source + ending).filter((candidate) => existsSync(join(root, candidate)));
  });
}
