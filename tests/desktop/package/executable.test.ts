/** The executable of the desktop application, as a computer without Node has it: alone, in a folder of its own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { createServer, type RunningServer } from '../../../packages/server/src/index.js';
import { packageVersion } from '../../../packages/server/src/package-files.js';
import { type Fixture, tiffFixtures } from '../../hostile/tiff-fixtures.js';
import { REPOSITORY } from '../../support/cli.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { dims, PIXEL_TYPES, writeCzi } from '../../writers/czi.js';
import { JPEG_XR, JPEG_XR_HEIGHT, JPEG_XR_WIDTH } from '../../writers/jpegxr-vectors.js';
import { addressOf, builtExecutable, whyNotBuilt } from './built.js';

const problem = whyNotBuilt();
if (problem !== undefined) console.warn(problem);

const folder = tempFolder();
const executable = join(folder, 'program', 'acqstore');
/** No Node in its path, no settings of the user. */
const env = { HOME: folder, PATH: '/nowhere', XDG_STATE_HOME: join(folder, 'state') };
const run = (...args: string[]) => spawnSync(executable, args, { env, encoding: 'utf8', cwd: folder });

const WARM_UP = join(REPOSITORY, 'packages/server/warm-up');
const ACQUISITIONS = readdirSync(WARM_UP).filter((name) => !name.endsWith('.txt') && name !== 'prairie');

describe.skipIf(problem !== undefined)('the executable', () => {
  let server: ChildProcess;
  let packed: string;
  let source: RunningServer;
  let pictures: Fixture[];

  beforeAll(async () => {
    const built = await builtExecutable();
    mkdirSync(join(folder, 'program'));
    copyFileSync(built.path, executable);
    server = spawn(executable, ['serve', '--port', '0', '--log-level', 'warn'], {
      env,
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    packed = await addressOf(server);
    pictures = await tiffFixtures();
    source = await createServer({ port: 0, stateDir: join(folder, 'source') });
  });
  afterAll(async () => {
    server?.kill('SIGKILL');
    await source?.close();
  });

  it('has the command line of the package', () => {
    expect(run('--version').stdout.trim()).toBe(packageVersion());
    expect(run('formats', '--json').stdout).toBe(
      spawnSync(process.execPath, [join(REPOSITORY, 'packages/server/dist/cli/main.js'), 'formats', '--json'], {
        encoding: 'utf8',
      }).stdout,
    );
    expect(run('serve', '--port', 'x').status).toBe(2);
  });

  it('inspects and exports files in threads', () => {
    const sample = join(WARM_UP, 'zstd.czi');
    const inspected = run('inspect', sample, '--json');
    expect(JSON.parse(inspected.stdout)).toMatchObject({ ok: true, source: { format: 'czi' } });
    const exported = run('export', sample, '--to', 'ome-tiff', '--out', join(folder, 'copy.ome.tif'));
    expect(exported.status, exported.stderr).toBe(0);
    expect(JSON.parse(run('inspect', join(folder, 'copy.ome.tif'), '--json').stdout).source.numChannels).toBe(2);
  });

  it.each(ACQUISITIONS)('serves %s like the server from source', async (name) => {
    await expectSame(join(WARM_UP, name));
  });

  it.each(Object.keys(JPEG_XR) as (keyof typeof JPEG_XR)[])('decodes JPEG XR, %s', async (kind) => {
    const types = {
      gray8: 'Gray8',
      gray16: 'Gray16',
      bgr24: 'Bgr24',
      rgb48: 'Bgr48',
      gray32Float: 'Gray32Float',
    } as const;
    const block = {
      dims: dims({ X: JPEG_XR_WIDTH, Y: JPEG_XR_HEIGHT }),
      pixelType: PIXEL_TYPES[types[kind]],
      compression: 4,
      data: JPEG_XR[kind],
    };
    await expectSame(writeTemp(folder, `${kind}.czi`, writeCzi({ blocks: [block] })));
  });

  it.each(['JPEG', 'JPEG 2000', 'WebP', 'zstd', 'LZW colours in tiles'])('decodes %s', async (name) => {
    const fixture = pictures.find((candidate) => candidate.name === name)!;
    await expectSame(writeTemp(folder, `${name}.tif`, fixture.bytes));
  });

  it('serves the pages and the documentation of the package', async () => {
    const pages = ['/demo/v2/', '/demo/', '/docs', '/docs/docs.css', '/client/acquisition-store.js', '/openapi.json'];
    for (const page of pages) {
      const [from, to] = await Promise.all([source.url, packed].map((url) => fetch(url + page)));
      expect([page, to!.status, to!.headers.get('etag')]).toEqual([page, from!.status, from!.headers.get('etag')]);
    }
  });

  it('ends without leaving a process or an instance file', async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    expect(run('stop').stdout).toContain('Stopped the server');
    expect(await ended).toBe(0);
    expect(readdirSync(join(folder, 'state/acquisition-store')).filter((name) => name.startsWith('instance'))).toEqual(
      [],
    );
    expect(existsSync(`/proc/${server.pid}`)).toBe(false);
  });

  /** Compares every plane, byte by byte, and the descriptions. */
  async function expectSame(path: string): Promise<void> {
    const [from, to] = await Promise.all([open(source.url, path), open(packed, path)]);
    expect(describeOpen(to!)).toEqual(describeOpen(from!));
    for (const [i, { dataUrl }] of from!.channels.entries()) {
      const expected = await bytesOf(source.url + dataUrl);
      expect(expected.length).toBeGreaterThan(0);
      expect((await bytesOf(packed + to!.channels[i]!.dataUrl)).equals(expected)).toBe(true);
    }
  }
});

async function open(url: string, path: string): Promise<OpenResponse> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/v2/open`, { method: 'POST', headers, body: JSON.stringify({ path }) });
  expect(answer.status, await answer.clone().text()).toBe(200);
  return (await answer.json()) as OpenResponse;
}

/** What does not depend on the session. */
function describeOpen({ source, header, plane, warnings }: OpenResponse) {
  return { source, header, plane, warnings };
}

async function bytesOf(url: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}
