import { readFileSync } from 'node:fs';

/** `description` of the index, which identifies this product among servers of the same API. */
export const DESCRIPTION = 'Acquisition Store Server';

/** Folder with package.json, the pages and the examples: two levels above this file in both `src` and `dist`. */
export const PACKAGE_ROOT = new URL('../../', import.meta.url);

export function packageVersion(): string {
  const text = readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
