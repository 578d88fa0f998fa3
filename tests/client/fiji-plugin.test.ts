/** The plug-in for ImageJ and Fiji, built with Maven and run with plain ImageJ. */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeKitFiles } from '../../packages/conformance/src/index.js';
import { Cli, REPOSITORY } from '../support/cli.js';
import {
  buildPlugin,
  DISPLAY_MISSING,
  type Door,
  openDoor,
  PLUGIN_JAR,
  PLUGIN_MISSING,
  runImageJWithPlugin,
  runJava,
  runProbe,
  startSteps,
} from '../support/fiji.js';
import { describeWithSamples, expectedFiles, samplePath } from '../support/samples.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';

const folder = tempFolder();
const { files } = writeKitFiles(folder);

describe.skipIf(PLUGIN_MISSING !== undefined)('the plug-in for ImageJ', () => {
  let server: RunningServer;
  let door: Door;
  beforeAll(async () => {
    await buildPlugin();
    server = await createServer({ port: 0, decodeWorkers: 1, stateDir: join(folder, 'state') });
    door = await openDoor(server.url);
  }, 300_000);
  beforeEach(() => {
    door.requests.length = 0;
  });
  afterAll(async () => {
    await door.close();
    await server.close();
  });

  const probe = (...args: string[]) => runProbe(args, { env: { ACQSTORE_URL: door.url } });
  const lines = async (...args: string[]) => (await probe(...args)).trim().split('\n');
  const planeRequests = () => door.requests.filter((line) => line.includes('/data'));
  const deletions = () => door.requests.filter((line) => line === 'DELETE /sessions/ID 200');

  it('opens a stack as a virtual hyperstack, whose session ends', async () => {
    expect((await lines('describe', `${files.stack}|TZC`)).slice(0, 4)).toEqual([
      'stack.ome.tif',
      '16 bits [6, 4, 1, 3, 2] virtual',
      '1.0 pixel 1.0 pixel 1.0 pixel every 7.5 sec',
      expect.stringMatching(/^lut 255,255,255 /),
    ]);
    expect(planeRequests()[0]).toBe('GET /sessions/ID/channels/0/data?T=0&Z=0&type=native 200');
    // Each of the six planes once: those that were shown before come from the cache.
    expect(planeRequests()).toHaveLength(6);
    expect(deletions()).toHaveLength(1);
  });

  it('gives the lines of a line scan seconds, and its channels their names', async () => {
    const said = await lines('describe', `${files.scan}|TZC`);
    expect(said.slice(0, 3)).toEqual([
      'scan.oif',
      '16 bits [4, 6, 2, 1, 1] grayscale virtual',
      '0.25 micron 0.002 sec 1.0 micron every 0.0 sec',
    ]);
    expect(said.find((line) => line.startsWith('labels'))).toMatch(/^labels CHS1.* \| CHS2/);
  });

  it('opens the reference image of a line scan with the scanned line, which ImageJ counts from the first center', async () => {
    const said = await lines('reference', files.scan);
    expect(said[0]).toMatch(/^Reference of scan\.oif 32 bits \[4, 4, 1, 1, 1\] /);
    expect(said[1]).toBe('Polyline [-0.5, 1.5, 2.5] [2.5, 0.5, -0.5]');
    expect(deletions()).toHaveLength(1);
  });

  it('runs the program of docs/fiji.md', async () => {
    const page = readFileSync(join(REPOSITORY, 'docs/fiji.md'), 'utf8');
    const [, program = ''] = /```java\n([\s\S]*?)```/.exec(page) ?? [];
    const body = program.replace('/data/stack.nd2', files.stack);
    const source = `import ij.ImagePlus;\nclass Page { public static void main(String[] args) throws Exception { ${body} } }`;
    const said = await runJava(writeTemp(folder, 'Page.java', source), [], { env: { ACQSTORE_URL: door.url } });
    expect(said).toBe('1 channels, 3 sections, 2 time points\n1.0 pixel\n');
    expect(page).toContain(basename(PLUGIN_JAR));
    expect(deletions()).toHaveLength(1);
  });

  it('reads float samples as they are', async () => {
    expect((await lines('describe', `${files.floats}|TZC`))[1]).toBe('32 bits [3, 2, 1, 1, 1]');
  });

  it('does not keep a session for one plane, which ImageJ holds', async () => {
    await lines('describe', `${files.floats}|TZC`);
    expect(planeRequests()).toHaveLength(1);
    expect(deletions()).toHaveLength(1);
  });

  it('opens addresses of the viewer and of sessions, and does not end sessions of others', async () => {
    const opened = await fetch(`${server.url}/api/v2/open`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ path: files.stack, decode: 'later' }),
    });
    const { sessionId } = (await opened.json()) as { sessionId: string };
    const addresses = [
      `${door.url}/demo/v2/?path=${encodeURIComponent(files.stack)}#view=e30`,
      `${door.url}/demo/v2/?session=${sessionId}`,
      `${door.url}/api/v2/sessions/${sessionId}/0.4.ome.zarr/0`,
      `${door.url}/api/v2/sessions/${sessionId}`,
    ];
    const said = await runProbe(['describe', ...addresses.map((address) => `${address}|TZC`)], { env: {} });
    const hashes = [...said.matchAll(/^sha (.*)$/gm)].map(([, hash]) => hash);
    expect(hashes).toHaveLength(4);
    expect(new Set(hashes).size).toBe(1);
    expect(deletions()).toHaveLength(1);
    expect((await fetch(`${server.url}/api/v2/sessions/${sessionId}`)).status).toBe(200);
  });

  it('says what the server says about a file that cannot be opened', async () => {
    const absent = join(folder, 'absent.tif');
    expect(await probe('command', absent)).toContain('absent.tif');
    expect(await probe('command', absent)).toMatch(/no such file|does not exist|not found|There is no/i);
    expect(await probe('command', files.text)).toContain('notes.txt');
    expect(await probe('command', 'http://example.org/x')).toContain('not an address of an acquisition');
  });

  it('tells that the server has stopped, and reads on when it runs again', async () => {
    const first = await createServer({ port: 0, decodeWorkers: 1, stateDir: join(folder, 'stopping') });
    const { port } = new URL(first.url);
    const steps = await startSteps(['steps', files.stack], { env: { ACQSTORE_URL: first.url } });
    const plane = await steps.step('1');
    expect(plane).toMatch(/^plane 1 \d+\.0$/);
    await first.close();
    // From the cache, without what the probe did to its copy.
    expect(await steps.step('1')).toBe(plane);
    expect(await steps.step('6')).toMatch(/^error The server at http:.* does not answer/);
    const second = await createServer({ port: Number(port), decodeWorkers: 1, stateDir: join(folder, 'again') });
    expect(await steps.step('6')).toMatch(/^plane 6 \d+\.0$/);
    await steps.close();
    await second.close();
  });

  it('finds the running server by its instance file', async () => {
    const cli = new Cli();
    await cli.serve();
    const env = { ACQSTORE_STATE_DIR: cli.stateDir };
    expect(await runProbe(['describe', `${files.stack}|TZC`], { env })).toContain('stack.ome.tif');
    await cli.close();
  });

  it('sends no token to a program that cannot prove that it wrote the instance file', async () => {
    const seen: string[] = [];
    const other = createHttpServer((incoming, outgoing) => {
      seen.push(`${incoming.method} ${incoming.url} ${incoming.headers.authorization}`);
      outgoing.end('{}');
    });
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const state = join(folder, 'lies');
    mkdirSync(state);
    const instance = { url, token: 'token-of-the-user', secret: 'guessed', hostname: hostname(), pid: 1 };
    writeTemp(state, 'instance-1.json', JSON.stringify(instance));
    await runProbe(['command', join(folder, 'absent.tif')], { env: { ACQSTORE_STATE_DIR: state } });
    expect(seen).toEqual(['GET /api/v2/health undefined']);
    other.close();
  });

  describe.skipIf(DISPLAY_MISSING !== undefined)('in windows', () => {
    it('is a command of the menu that macros run', async () => {
      const home = join(folder, 'imagej');
      mkdirSync(join(home, 'plugins'), { recursive: true });
      copyFileSync(PLUGIN_JAR, join(home, 'plugins', basename(PLUGIN_JAR)));
      const log = join(folder, 'log.txt');
      const macro = `
        run("Acquisition Store...", "path=[${files.stack}] scene=0");
        getDimensions(width, height, channels, slices, frames);
        print(getTitle(), width, height, channels, slices, frames, bitDepth());
        for (i = 1; i <= nSlices; i++) { setSlice(i); print(getPixel(1, 2)); }
        close();
        run("Acquisition Store...", "path=[${files.scan}] reference");
        print(nImages);
        while (nImages > 0) close();
        File.saveString(getInfo("log"), "${log}");
        run("Quit");`;
      const args = ['-macro', writeTemp(folder, 'open.ijm', macro)];
      await runImageJWithPlugin(home, args, { ACQSTORE_URL: door.url });
      const planes = ['1201', '2201', '3201', '4201', '5201', '6201'];
      const said = readFileSync(log, 'utf8').trim().split('\n');
      expect(said.slice(0, 7)).toEqual(['stack.ome.tif 6 4 1 3 2 16', ...planes]);
      expect(said.at(-1)).toBe('2');
      expect(deletions()).toHaveLength(2);
    });

    it('ends the session with the window, while ImageJ goes on', async () => {
      const steps = await startSteps(['window', files.stack], { env: { ACQSTORE_URL: door.url }, hasWindows: true });
      expect(await steps.step('3')).toMatch(/^slice 3 \d+ false/);
      expect(deletions()).toHaveLength(0);
      expect(await steps.step('close')).toBe('closed');
      await expect.poll(deletions).toHaveLength(1);
      await steps.close();
    });

    it('shows the error in place of a plane that cannot be read', async () => {
      const first = await createServer({ port: 0, decodeWorkers: 1, stateDir: join(folder, 'window') });
      const setting = { env: { ACQSTORE_URL: first.url }, hasWindows: true };
      const steps = await startSteps(['window', files.stack], setting);
      expect(await steps.step('2')).toMatch(/^slice 2 \d+ false/);
      await first.close();
      expect(await steps.step('5')).toMatch(/^slice 5 65535 true .*does not answer/);
      await steps.close();
    });
  });
});

/** Samples, the order of the planes in the expected values, and the scene where there are several. */
const SAMPLES = [
  ['nd2/soft-matter+pims/cluster.nd2', 'TZC'],
  ['czi/sebi06+czitools/CellDivision_T3_Z5_CH2_X240_Y170.czi', 'TCZ'],
  ['czi/sebi06+czitools/WellD6-7_S2.czi', 'TZC', 1],
  ['lif/Arcadia-Science+readlif/xz-example/xz-example.lif', 'TZC', 0],
  ['tiff-olympus-kymograph/mapmanager+kymflow/Capillary1_0001.tif', 'TZC'],
  ['tiff-imagej/scifio+scifio/HoG2DResult.tif', 'TZC'],
  ['tiff-scanimage/rhayman+ScanImageTiffIO/test_file1.tif', 'TZC'],
  ['oif/wisstock+trans_scripts/01_21_21/cell3/cell3_01.oif', 'TZC'],
  ['oib/cgohlke+oiffile/test.oib', 'TZC'],
] as const;

describe.skipIf(PLUGIN_MISSING !== undefined)('the plug-in for ImageJ', () => {
  describeWithSamples('with real files', () => {
    let said: string[][] = [];
    beforeAll(async () => {
      await buildPlugin();
      const server = await createServer({ port: 0, decodeWorkers: 1, stateDir: join(folder, 'samples') });
      const args = SAMPLES.map(([path, order, scene]) => [samplePath(path), order, scene].join('|').replace(/\|$/, ''));
      const text = await runProbe(['describe', ...args], { env: { ACQSTORE_URL: server.url } });
      said = text.split('--\n').map((part) => part.trim().split('\n'));
      await server.close();
    }, 300_000);

    const linesOf = (name: string) => said[SAMPLES.findIndex(([path]) => path.endsWith(name))] ?? [];

    it.each(SAMPLES)('has every sample of %s', (path, _order, scene = 0) => {
      const [[, expected] = []] = expectedFiles(path);
      expect(linesOf(path)).toContain(`sha ${expected?.images?.[scene]?.sha256_le_c}`);
    });

    it('has colors, ranges, steps and labels with measured times', () => {
      expect(linesOf('CellDivision_T3_Z5_CH2_X240_Y170.czi').slice(0, -1)).toEqual([
        'CellDivision_T3_Z5_CH2_X240_Y170.czi',
        '16 bits [240, 170, 2, 5, 3] composite virtual',
        '0.09057667415221031 micron 0.09057667415221031 micron 0.32 micron every 59.995431550000006 sec',
        expect.stringMatching(/^lut 255,126,0 /),
        expect.stringMatching(/^lut 0,255,51 /),
        'labels LED555 t=0 s z=1114.49 µm | LED470 t=124.039095 s z=1115.77 µm',
      ]);
    });

    it('has the seconds of a line', () => {
      expect(linesOf('Capillary1_0001.tif')).toContain('0.284 micron 0.00117 sec 1.0 micron every 0.0 sec');
    });

    it('shows values of signed samples, and puts warnings in the log', () => {
      const lines = linesOf('test_file1.tif');
      expect(lines).toContain('16 bits [512, 512, 2, 1, 3] grayscale virtual');
      expect(lines[0]).toMatch(/^test_file1\.tif: The ScanImage header says/);
    });
  });
});
