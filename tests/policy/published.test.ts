/** One table in the docs says what is published and how to make the rest; the recipe for conda agrees with the packages. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { KINDS } from '../../packages/desktop/build/packages.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (page: string) => readFileSync(resolve(ROOT, page), 'utf8');
const INSTALL = 'docs/install.md';
const { version, engines } = JSON.parse(read('packages/server/package.json')) as {
  version: string;
  engines: { node: string };
};

interface Row {
  place: string;
  published: string;
  how: string;
}

function rows(): Row[] {
  const [, table = ''] = /<!-- published -->\n([\s\S]*?)<!-- \/published -->/.exec(read(INSTALL)) ?? [];
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, place = '', published = '', , how = '']) => ({ place, published, how }));
}

describe('the table of what is published', () => {
  it('has every place, and says what the changelog and the list for releases say', () => {
    expect(rows().map(({ place }) => place)).toEqual([
      'npm registry',
      'PyPI',
      'conda-forge',
      'Debian and Ubuntu',
      'downloads',
      'registry of container images',
      'update site of Fiji',
    ]);
    const isReleased = /^## \[[^\]]+\] - \d{4}-/m.test(read('CHANGELOG.md'));
    const states = Object.fromEntries(rows().map(({ place, published }) => [place, published]));
    expect(states['npm registry']).toBe(isReleased ? 'yes' : 'no');
    // A release publishes to npm alone.
    expect(
      [...read('docs/releasing.md').matchAll(/^ *(\w+) (?:publish|upload|push)\b/gm)].map(([, one]) => one),
    ).toEqual(['git', 'npm']);
    const others = Object.entries(states).filter(([place]) => place !== 'npm registry');
    expect(others.filter(([, state]) => state !== 'no')).toEqual([]);
  });

  it('has commands that exist', () => {
    const script = read('scripts/package.mjs');
    for (const { how } of rows()) {
      const [, command = '', target = ''] = /\[`(.*)`\]\((.*)\)/.exec(how) ?? [];
      const page = target.startsWith('#') ? read(INSTALL) : read(`docs/${target.split('#')[0]}`);
      expect(page.split(command).length, `${target} must show: ${command}`).toBeGreaterThan(
        target.startsWith('#') ? 2 : 1,
      );
      const [, kind] = /--kind (\S+)/.exec(command) ?? [];
      if (kind !== undefined)
        expect(kind in KINDS['linux']! || new RegExp(`^  '?${kind}'?: `, 'm').test(script), kind).toBe(true);
      const [, file] = /--file (\S+)/.exec(command) ?? [];
      if (file !== undefined) expect(existsSync(resolve(ROOT, file))).toBe(true);
    }
  });

  it('is the only place that says so', () => {
    const claims =
      /\bnot (?:yet )?published|unpublished|\b(?:not|nor|neither|yet)\b[^.|\n]*\b(?:registry|PyPI|conda-forge)\b|\b(?:in|on|from|to) (?:PyPI|conda-forge)\b|update site/i;
    const folders = ['docs', 'python', 'fiji', 'matlab', 'deploy'];
    const pages = folders.flatMap((folder) =>
      readdirSync(resolve(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(?:md|yaml)$/.test(name) && !/node_modules|dist\//.test(name))
        .map((name) => `${folder}/${name}`),
    );
    const saying = ['README.md', ...pages].filter((page) => page !== INSTALL && claims.test(read(page)));
    // It names a version of a library.
    expect(saying).toEqual(['docs/decisions/0012-vector-loops.md']);
    for (const said of ['not in the npm registry yet', 'is not in PyPI', 'on conda-forge', 'has an update site']) {
      expect(said).toMatch(claims);
    }
  });
});

describe('the recipe for conda', () => {
  const recipe = parse(read('deploy/conda/recipe.yaml'), { strict: true }) as {
    context: { version: string; python_min: string };
    outputs: { package: { name: string }; requirements: { run: string[]; run_constraints?: string[] } }[];
  };
  const output = (name: string) => recipe.outputs.find((one) => one.package.name === name)!.requirements;
  const project = read('python/pyproject.toml');

  it('has the version of the packages, and what the Python client needs', () => {
    expect(recipe.context.version).toBe(version);
    expect(/^requires-python = ">=(.*)"$/m.exec(project)?.[1]).toBe(recipe.context.python_min);
    const [, dependencies = ''] = /^dependencies = \[(.*)\]$/m.exec(project) ?? [];
    const needed = dependencies.split(', ').map((one) => one.replace(/"(\w+)(.*)"/, '$1 $2'));
    expect(output('acquisition-store').run).toEqual([`python >=\${{ python_min }}`, ...needed]);
  });

  it('asks for the versions of Node that the package asks for', () => {
    const [, from, next] = /^\^(20\.\d+)\.0 \|\| >=(\d+\.\d+)\.0$/.exec(engines.node) ?? [];
    expect(output('acquisition-store-server').run).toEqual([`nodejs >=${from},<21|>=${next}`]);
  });
});
