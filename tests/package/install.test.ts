import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { nodePath } from '../../scripts/fetch-nodes.mjs';
import { Cli, REPOSITORY } from '../support/cli.js';
import { LONG } from '../support/long.js';
import { hasNpm, packTo } from '../support/packed.js';
import { tempFolder, writeTemp } from '../support/temp.js';

const RUNNING = process.versions.node.split('.')[0] as string;
const NODES = (LONG ? ['20', '22', '24'] : [RUNNING]).map((major) => ({
  major,
  executable: major === RUNNING ? process.execPath : nodePath(major).executable,
}));
const reachable = hasNpm && spawnSync('npm', ['ping'], { timeout: 20_000 }).status === 0;
if (!reachable) console.warn('NO REGISTRY: the packed package was not installed');
for (const { major, executable } of NODES) {
  if (!existsSync(executable))
    console.warn(`NO NODE ${major} (node scripts/fetch-nodes.mjs ${major}): not tested on it`);
}

/** Sum of the second plane of the sample, as tifffile gives it. */
const VESSEL_SUM = 17_807_085;
const folder = tempFolder();
let tarball: string;
beforeAll(() => {
  if (reachable) tarball = packTo(folder);
});

for (const { major, executable } of NODES) {
  it.runIf(reachable && existsSync(executable))(
    `the package installs without a warning on Node ${major}, and its command serves the sample`,
    async () => {
      const project = join(folder, `project ${major}`);
      mkdirSync(project);
      writeTemp(project, 'package.json', '{"private": true}');
      expect(warningsOf(npmInstall(executable, project))).toEqual([]);
      const installed = join(project, 'node_modules', 'acquisition-store');
      expect(existsSync(join(project, 'node_modules', 'vite'))).toBe(false);
      await checkServer(new Cli({ executable, main: join(installed, 'dist/cli/main.js') }), major, installed);
    },
    180_000,
  );
}

/** What npm, run by this Node, says on standard error. */
function npmInstall(executable: string, project: string): string {
  const args = ['install', tarball, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel', 'warn'];
  const env = { ...process.env, PATH: `${dirname(executable)}${delimiter}${process.env['PATH']}` };
  const { status, stderr } = spawnSync('npm', args, { cwd: project, env, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return stderr;
}

/**
 * Complaints of npm about what it installed. A version that the lockfile does not have came out after it was written:
 * that is told, and is no failure of this build.
 */
function warningsOf(stderr: string): string[] {
  const lock = JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string }>;
  };
  const locked = (name: string, version: string) =>
    Object.entries(lock.packages).some(
      ([path, one]) => path.endsWith(`node_modules/${name}`) && one.version === version,
    );
  const warnings = stderr.split('\n').filter((line) => /EBADENGINE +package:|deprecated|ERESOLVE/.test(line));
  return warnings.filter((line) => {
    const [, name, version] = /(?:package: '|deprecated )(\S+)@([^@\s':]+)/.exec(line) ?? [];
    if (name === undefined || locked(name, version as string)) return true;
    console.warn(`A VERSION NEWER THAN THE LOCKFILE'S: ${line}`);
    return false;
  });
}

async function checkServer(cli: Cli, major: string, installed: string): Promise<void> {
  try {
    const sample = join(installed, 'examples', 'vessel-kymograph.ome.tif');
    const inspected = await cli.run(['inspect', sample]);
    expect(inspected.stdout).toContain('4000  0.00117 s');
    const { url } = await cli.serve();
    const answer = await fetch(`${url}/api/v2/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ path: sample }),
    });
    const { channels, plane } = (await answer.json()) as OpenResponse;
    expect(plane.shape).toEqual([4000, 96]);
    const samples = new Float32Array(await (await fetch(url + channels[1]?.dataUrl)).arrayBuffer());
    expect(samples.length).toBe(4000 * 96);
    expect(
      samples.reduce((a, b) => a + b, 0),
      `Node ${major}`,
    ).toBe(VESSEL_SUM);
    for (const page of ['/demo/v2/', '/demo/']) expect((await fetch(url + page)).status, page).toBe(200);
  } finally {
    await cli.close();
  }
}
