import { readFileSync } from 'node:fs';

/** `description` of the index: by it a server of this product is told from another one of the same API. */
export const DESCRIPTION = 'Acquisition Store Server';

/** The folder that holds package.json, the pages and the examples: two above this file, in `src` and in `dist`. */
export const PACKAGE_ROOT = new URL('../../', import.meta.url);

export function packageVersion(): string {
  const text = readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
