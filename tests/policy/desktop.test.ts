/** The desktop application packs the published package: it uses it from above, and nothing below knows it. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/cli.js';

/** Parts of `packages/desktop/src/`. A part imports from lower ones and from itself. */
const LAYERS: Record<string, number> = {
  'commands.ts': 0,
  executable: 0,
  'interfaces.ts': 0,
  'private-folder.ts': 0,
  'single-instance.ts': 1,
  supervisor: 1,
  window: 1,
  'application.ts': 2,
  'start.ts': 3,
  'main.ts': 4,
};
/** What it takes from the built package: the command line, what opens addresses, where files are, and the version. */
const FROM_PACKAGE = [
  'packages/server/dist/browser.js',
  'packages/server/dist/cli/command-line.js',
  'packages/server/dist/package-files.js',
  'packages/server/dist/state-folder.js',
];
/** The page imports the types of what the supervisor sends, and the looks and texts of the viewer. */
const PAGE_IMPORTS = /^packages\/(?:desktop\/page\/src\/|desktop\/src\/supervisor\/protocol\.ts$|viewer\/src\/)/;

const IMPORT = /(?:from|import)\s*\(?\s*'([^']+)'/g;

function sources(folder: string): string[] {
  return readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name));
}

/** Paths that a file imports, from the root of the repository; packages as they are named. */
function imports(file: string): string[] {
  const text = readFileSync(join(REPOSITORY, file), 'utf8');
  return [...text.matchAll(IMPORT)].map(([, name = '']) =>
    name.startsWith('.') ? relative(REPOSITORY, resolve(REPOSITORY, dirname(file), name)) : name,
  );
}

const part = (path: string) => relative('packages/desktop/src', path).split('/')[0]!.replace(/\.js$/, '.ts');

describe('the desktop application', () => {
  it.each(sources('packages/desktop/src'))('%s imports downwards only', (file) => {
    const own = LAYERS[part(file)];
    expect(own, `${part(file)} has no layer; add it to this test`).toBeDefined();
    for (const target of imports(file)) {
      if (!/^packages\//.test(target)) continue;
      if (target.startsWith('packages/server/dist/')) {
        expect(FROM_PACKAGE, `${file} imports ${target}`).toContain(target);
        expect(own, 'only the start connects the application with the package').toBeGreaterThanOrEqual(3);
      } else if (part(target) !== part(file)) {
        expect(LAYERS[part(target)], `${file} imports ${target}`).toBeLessThan(own!);
      }
    }
  });

  it.each(sources('packages/desktop/page/src'))('%s imports nothing of the supervisor but its types', (file) => {
    for (const target of imports(file)) {
      if (/^packages\//.test(target)) expect(target, file).toMatch(PAGE_IMPORTS);
      // A module of Node would be missing in a browser.
      expect(target, file).not.toMatch(/^node:/);
    }
    const text = readFileSync(join(REPOSITORY, file), 'utf8');
    expect(text).not.toMatch(/^import \{.*from '.*\/supervisor\/protocol\.ts'/m);
  });

  it.each([
    'packages/readers/src',
    'packages/server/src',
    'packages/client/src',
    'packages/viewer/src',
    'packages/viewer-v1/src',
  ])('is not known to %s', (folder) => {
    const files = sources(folder);
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) {
      expect(
        imports(file).filter((target) => target.startsWith('packages/desktop/')),
        file,
      ).toEqual([]);
    }
  });

  it('is not part of the published package', () => {
    const { files } = JSON.parse(readFileSync(join(REPOSITORY, 'packages/server/package.json'), 'utf8')) as {
      files: string[];
    };
    expect(files.filter((name) => name.startsWith('packages/desktop'))).toEqual([]);
  });
});
