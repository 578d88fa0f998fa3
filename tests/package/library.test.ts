import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { REPOSITORY, SAMPLE } from '../support/cli.js';
import { tempFolder, writeTemp } from '../support/temp.js';

const folder = tempFolder();
const page = readFileSync(join(REPOSITORY, 'docs/library.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text]) => text as string);
const programs = blocks('js');

beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(REPOSITORY, 'packages/server'), join(folder, 'node_modules', 'acquisition-store'), 'dir');
  writeTemp(folder, 'package.json', '{"type": "module"}');
});

async function run(program: string): Promise<string> {
  const text = program.replaceAll('/data/scan.tif', SAMPLE).replaceAll("'/data'", `'${dirname(SAMPLE)}'`);
  const path = writeTemp(folder, 'program.mjs', text);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--preserve-symlinks-main', path]);
  expect(stderr).toBe('');
  return stdout;
}

it('the programs of docs/library.md do what the page says', async () => {
  expect(programs).toHaveLength(4);
  const [plane, target, server, error] = programs as [string, string, string, string];
  expect(await run(plane)).toBe(blocks('text')[0]);
  expect(await run(target)).toMatch(/^96 columns, the largest sample is \d+\n$/);
  expect(await run(server)).toBe("{ ok: true, apiVersion: 'v2' }\n");
  expect(await run(error)).toBe('path_not_found 404\n');
});

it('docs/library.md names every field of a scene that a caller may rely on', () => {
  const source = readFileSync(join(REPOSITORY, 'packages/readers/src/model/acquisition.ts'), 'utf8');
  const fields = (name: string) => {
    const [, body = ''] = new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(source) ?? [];
    return [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, field]) => field as string);
  };
  expect(fields('AcquisitionInfo')).toContain('scenes');
  for (const field of fields('AcquisitionInfo')) expect(page).toContain(`| \`${field}\` |`);
  for (const field of ['sizes', 'steps', 'channels', 'sampleType', 'reference', 'warnings']) {
    expect(fields('SceneInfo')).toContain(field);
    expect(page).toContain(`| \`scenes[].${field}\` |`);
  }
});

const TYPED = `
import { AcqError, createServer, Float32Target, openAcquisition, type PlaneTarget, type SceneInfo } from 'acquisition-store';

const opened = await openAcquisition('/data/scan.tif', { signal: AbortSignal.timeout(1000) });
const scene = opened.acquisition.info.scenes[0] as SceneInfo;
const plane = new Float32Target(scene.sizes.Y, scene.sizes.X);
await opened.acquisition.readPlane({ scene: 0, channel: 0, t: 0, z: 0 }, plane);
export const samples: Float32Array = plane.data;
export const target: PlaneTarget = { rows: 1, columns: 1, put: ({ samples, offset }) => void samples[offset] };
// @ts-expect-error a port is a number
await createServer({ port: '8767' });
// @ts-expect-error there is no such option
await createServer({ ports: 8767 });
export const told = (error: unknown) => (error instanceof AcqError ? error.code : undefined);
`;

it('its types fit a program in TypeScript', () => {
  writeTemp(folder, 'typed.ts', TYPED);
  const tsc = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'ES2022', '--module', 'NodeNext'];
  const types = ['--types', join(REPOSITORY, 'node_modules/@types/node')];
  const { stdout, status } = spawnSync(process.execPath, [tsc, ...options, ...types, 'typed.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});
