import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst, Visitor } from 'vite';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/cli.js';

const PACKAGES = readdirSync(join(REPOSITORY, 'packages'));

/** Names of the interfaces, type aliases, classes and enums of a source; what it adds to types of others is not among them. */
function typeNames(source: string, lang: 'ts' | 'tsx'): string[] {
  const names: string[] = [];
  let foreign = 0;
  const add = ({ id }: { id: { name: string } | null }) => {
    if (id && foreign === 0) names.push(id.name);
  };
  new Visitor({
    TSModuleDeclaration: () => void foreign++,
    'TSModuleDeclaration:exit': () => void foreign--,
    TSInterfaceDeclaration: add,
    TSTypeAliasDeclaration: add,
    TSEnumDeclaration: add,
    ClassDeclaration: add,
  }).visit(parseAst(source, { lang }));
  return names;
}

/** Returns the names that several types of a package have, with the files that declare them. */
function findDuplicates(folder: string): string[] {
  const files = new Map<string, string[]>();
  for (const path of listFiles(folder)) {
    if (!/\.tsx?$/.test(path) || /\.d\.ts$|(^|[\\/])(dist|node_modules|out)[\\/]/.test(path)) continue;
    const source = readFileSync(join(folder, path), 'utf8');
    for (const name of typeNames(source, path.endsWith('x') ? 'tsx' : 'ts')) {
      files.set(name, [...(files.get(name) ?? []), path.replaceAll('\\', '/')]);
    }
  }
  const several = [...files].filter(([, paths]) => paths.length > 1);
  return several.map(([name, paths]) => `${name}: ${paths.sort().join(', ')}`).sort();
}

/** What is built is left out: another test may build it right now. */
function listFiles(folder: string): string[] {
  const own = readdirSync(folder).filter((name) => !/^(dist|node_modules|out|warm-up)$/.test(name));
  return own.flatMap((name) => {
    if (!statSync(join(folder, name)).isDirectory()) return [name];
    return readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' }).map((path) => join(name, path));
  });
}

describe('types', () => {
  it.each(PACKAGES)('of the package %s have names of their own', (name) => {
    const duplicates = findDuplicates(join(REPOSITORY, 'packages', name));
    expect(duplicates, 'make them one type if they are one thing, or say in the name what each is').toEqual([]);
  });

  it('are found wherever they are declared', () => {
    const source = `
      export interface A { b: string }
      type B = string;
      export abstract class C {}
      enum D { one }
      function run() { type E = number; class F {} return [F, 0 as E]; }
      declare module 'fastify' { interface G { h: string } }
    `;
    expect(typeNames(source, 'ts')).toEqual(['A', 'B', 'C', 'D', 'E', 'F']);
  });
});
