// Puts what the published package needs of the other packages into its dist/: the client, and declarations.
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = join(dirname(fileURLToPath(import.meta.url)), '..', 'packages');
const DIST = join(PACKAGES, 'server', 'dist');
/** The name of a module of another package, in a declaration. */
const NAME = /(?<=['"])@acquisition-store\/(client|readers)(?:\/([^'"]+))?(?=['"])/g;

/** Copies the modules of the client and the declarations of the packages, and has these name each other by their places. */
export function bringPackages() {
  for (const name of ['client', 'readers']) {
    const from = join(PACKAGES, name, 'dist');
    // The contract is in the bundles.
    const isBrought = (/** @type {string} */ path) =>
      statSync(path).isDirectory() || path.endsWith('.d.ts') || (name === 'client' && dirname(path) === from);
    cpSync(from, join(DIST, name), { recursive: true, filter: isBrought });
  }
  for (const name of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const text = readFileSync(join(DIST, name), 'utf8');
    const home = relative(DIST, dirname(join(DIST, name))).replaceAll('\\', '/');
    const placed = text.replace(NAME, (_, of, path = 'index.js') => {
      const way = posix.relative(home, `${of}/${path}`);
      return way.startsWith('.') ? way : `./${way}`;
    });
    if (placed !== text) writeFileSync(join(DIST, name), placed);
  }
}
