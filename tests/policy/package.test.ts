import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import semver from 'semver';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/cli.js';
import { LONG } from '../support/long.js';
import { assembled, hasNpm, packedFiles } from '../support/packed.js';

if (!hasNpm) console.warn('NO NPM: the contents of the package were not tested');

const read = (name: string) => readFileSync(join(REPOSITORY, name), 'utf8');
const manifest = JSON.parse(read('packages/server/package.json')) as {
  engines: { node: string };
  dependencies: Record<string, string>;
  /** Optional, and loaded by the setting that needs them. */
  peerDependencies: Record<string, string>;
};

interface Locked {
  dev?: boolean;
  link?: boolean;
  engines?: { node?: string };
}
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };

/** Needed by another dependency, which would otherwise get a version that wants a newer Node. */
const PINNED = ['light-my-request'];

describe('the dependencies', () => {
  const installed = Object.entries(packages).filter(([path, { dev }]) => path.startsWith('node_modules/') && !dev);

  it.each(['20.19.0', '22.12.0', '24.0.0'])('all say that they run on Node %s', (version) => {
    expect(semver.satisfies(version, manifest.engines.node)).toBe(true);
    expect(installed.length).toBeGreaterThan(50);
    const refusing = installed.filter(([, { engines }]) => !semver.satisfies(version, engines?.node ?? '*'));
    expect(refusing.map(([path, { engines }]) => `${path} wants ${engines?.node}`)).toEqual([]);
  });

  it('have no install scripts', () => {
    expect(installed.filter(([, one]) => 'hasInstallScript' in one)).toEqual([]);
  });
});

it('CONTRIBUTING.md lists every program that the tests use, by its Debian package', () => {
  const script = read('.ci/run');
  const [, pairs = ''] = /for pair in (.*); do/.exec(script) ?? [];
  const [, others = ''] = /for program in (.*); do/.exec(script) ?? [];
  const programs = [...pairs.split(' ').map((pair) => pair.split(':')[1]), ...others.split(' ')];
  expect(programs.length).toBeGreaterThan(8);
  const listed = [...read('CONTRIBUTING.md').matchAll(/`([a-z0-9.+-]+)`/g)].map(([, name]) => name);
  expect(programs.filter((name) => !listed.includes(name))).toEqual([]);
});

describe.runIf(hasNpm)('the package', () => {
  const folder = assembled();
  const files = packedFiles(folder);
  const packed = (name: string) => readFileSync(join(folder, name), 'utf8');

  it.runIf(LONG)('satisfies publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: folder, pack: 'npm', strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it('holds everything that its pages link to', () => {
    const pages = files.filter((name) => name.endsWith('.md'));
    expect(pages).toContain('README.md');
    expect(pages).toContain('docs/cli.md');
    const broken = pages.flatMap((page) => linksOf(page, packed(page)).filter((target) => !isPacked(target, files)));
    expect(broken).toEqual([]);
  });

  it('has no source maps, whose sources would be missing', () => {
    expect(files.filter((name) => name.endsWith('.map'))).toEqual([]);
    const scripts = files.filter((name) => /\.(js|css)$/.test(name));
    expect(scripts.filter((name) => packed(name).includes('sourceMappingURL='))).toEqual([]);
  });

  it('imports every dependency, and nothing else', () => {
    const scripts = files.filter((name) => /^dist\/.*\.(js|d\.ts)$/.test(name));
    const imported = new Set(scripts.flatMap((name) => packagesIn(packed(name))));
    const { dependencies, peerDependencies } = manifest;
    expect([...imported, ...PINNED].sort()).toEqual(Object.keys({ ...dependencies, ...peerDependencies }).sort());
  });
});

/** Targets of the relative links of a page, from the root of the package. */
function linksOf(page: string, text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target as string);
  const relative = targets.filter((target) => !/^https?:/.test(target));
  return relative.map((target) => posix.normalize(posix.join(dirname(page), target)));
}

function isPacked(target: string, files: readonly string[]): boolean {
  const folder = target.endsWith('/') ? target : `${target}/`;
  return files.some((name) => name === target || name.startsWith(folder));
}

/** Names of the packages that a module or its declarations import, statically or when needed. */
function packagesIn(text: string): string[] {
  const fixed = text.matchAll(/^(?:import|export)\b[^;'"]*?\bfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]/gm);
  const dynamic = text.matchAll(/(?<![.\w])(?:import|require(?:\.resolve)?)\(\s*['"]([^'"]+)['"]/g);
  const specifiers = [...fixed, ...dynamic];
  const names = specifiers.map(([, one, other]) => (one ?? other) as string);
  const bare = names.filter((name) => !/^(\.|#|\/)/.test(name) && !isBuiltin(name));
  return bare.map((name) => /^(@[^/]+\/[^/]+|[^/]+)/.exec(name)?.[1] as string);
}
