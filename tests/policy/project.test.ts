import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/cli.js';

const read = (name: string) => readFileSync(join(REPOSITORY, name), 'utf8');
const FORMS = readdirSync(join(REPOSITORY, '.github/ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml');

describe('the files for contributors', () => {
  it('name versions of Node that the package supports', () => {
    const { engines } = JSON.parse(read('packages/server/package.json')) as { engines: { node: string } };
    const [, list = ''] = /^ +node: \[(.*)\]$/m.exec(read('.github/workflows/test.yml')) ?? [];
    const tested = list.split(', ');
    expect(tested[0]).toBe(String(semver.minVersion(engines.node)?.major));
    expect(tested).toContain(read('.nvmrc').trim());
    for (const major of tested) expect(semver.intersects(engines.node, `${major}.x`)).toBe(true);
  });

  it('run the whole suite in hosted CI on three systems', () => {
    const workflow = read('.github/workflows/test.yml');
    expect(workflow).toMatch(/os: \[ubuntu-latest, macos-latest, windows-latest\]/);
    expect(workflow).toMatch(/- run: npm test\n/);
  });

  it.each(FORMS)('ask in the form %s for the output of inspect', (name) => {
    expect(read(`.github/ISSUE_TEMPLATE/${name}`)).toContain('acqstore inspect --json FILE');
  });
});

describe('the changelog', () => {
  const entries = read('CHANGELOG.md').split(/^## /m).slice(1);
  const headings = (entry: string) => [...entry.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading);

  it('has only additions in its first version, which no release precedes', () => {
    expect(entries.length).toBeGreaterThan(0);
    expect(headings(entries.at(-1) as string)).toEqual(['Added']);
  });

  it('sorts what later versions bring by its kind, each kind once', () => {
    const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
    for (const entry of entries) {
      const found = headings(entry);
      expect(found).toEqual(KINDS.filter((kind) => found.includes(kind)));
    }
  });
});

describe('the packages', () => {
  interface Manifest {
    version?: string;
    engines?: { node: string };
    dependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
  }
  const folders = [
    '.',
    'site',
    'tests',
    ...readdirSync(join(REPOSITORY, 'packages')).map((name) => `packages/${name}`),
  ];
  const manifests = folders
    .map((folder) => `${folder}/package.json`)
    .filter((path) => existsSync(join(REPOSITORY, path)))
    .map((path) => JSON.parse(read(path)) as Manifest);

  it('have one version, and run on the same versions of Node', () => {
    expect(manifests.length).toBeGreaterThan(4);
    const of = <T>(values: (T | undefined)[]) => [...new Set(values.filter((value) => value !== undefined))];
    expect(of(manifests.map(({ version }) => version))).toHaveLength(1);
    expect(of(manifests.map(({ engines }) => engines?.node))).toHaveLength(1);
  });

  it('name each dependency in one range', () => {
    const ranges = new Map<string, Set<string>>();
    for (const { dependencies, devDependencies } of manifests) {
      for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
        ranges.set(name, (ranges.get(name) ?? new Set()).add(range));
      }
    }
    expect([...ranges].filter(([, set]) => set.size > 1).map(([name, set]) => `${name}: ${[...set]}`)).toEqual([]);
  });
});

/** What warms up, and what refuses to start. */
const BY_THEMSELVES = ['integration/cold-start.test.ts', 'cli/both-doors.test.ts'];

it('tests start servers by the helper, whose servers do not warm up', () => {
  const folder = join(REPOSITORY, 'tests');
  const starting = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !/^(node_modules|desktop.package)\b/.test(name))
    .filter((name) => /import .*\b(create|start)Server\b.* from '.*\/server\/src\//.test(read(join('tests', name))));
  expect(starting.map((name) => name.replaceAll('\\', '/')).sort()).toEqual([...BY_THEMSELVES].sort());
});
