import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = resolve(ROOT, 'packages/client/src');
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.ts'));

/** Import and export declarations with their specifiers. */
function declarations(text: string): { statement: string; specifier: string }[] {
  const found = text.matchAll(/^(?:import|export)\b(?:[^;'"]*?\bfrom\s*)?\s*'([^']+)';|import\(\s*'([^']+)'/gm);
  return [...found].map(([statement, one, other]) => ({ statement, specifier: (one ?? other) as string }));
}

it('sees the sources', () => expect(FILES).toContain('index.ts'));

it.each(FILES)('client: %s imports its own folder, and only types of the contract', (name) => {
  for (const { statement, specifier } of declarations(readFileSync(resolve(FOLDER, name), 'utf8'))) {
    if (/^\.\/[^/]+\.js$/.test(specifier)) continue;
    expect(specifier, name).toMatch(/^(\.\/contract\/[a-z0-9-]+|@acquisition-store\/readers\/base\/errors)\.js$/);
    expect(statement, name).toMatch(/^(import|export) type /);
  }
});

it('the built client asks for nothing outside of its folder', () => {
  const built = resolve(ROOT, 'packages/server/dist/client');
  for (const name of readdirSync(built).filter((one) => one.endsWith('.js'))) {
    for (const { specifier } of declarations(readFileSync(resolve(built, name), 'utf8'))) {
      expect(specifier, name).toMatch(/^\.\/[^/]+\.js$/);
    }
  }
});
