import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorEnvelope } from '../../packages/client/src/contract/error.js';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { supportedExtensions } from '../../packages/readers/src/formats/index.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { lineScan as brukerLines } from '../support/bruker.js';
import { Cli } from '../support/cli.js';
import { volume } from '../support/hdf5.js';
import { lineVector } from '../support/lif.js';
import { frames as lsmFrames } from '../support/lsm.js';
import { everything } from '../support/nd2.js';
import { frames as oifFrames } from '../support/oif.js';
import { stack as zarrStack } from '../support/ome-zarr.js';
import { postOpen } from '../support/open.js';
import { createServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { countingPage, description } from '../support/tiff-cases.js';
import { writeBruker } from '../writers/bruker.js';
import { writeCzi } from '../writers/czi.js';
import { lineScan as cziLines } from '../writers/czi-kinds.js';
import { writeIms } from '../writers/ims.js';
import { writeLif } from '../writers/lif.js';
import { writeLsm } from '../writers/lsm.js';
import { writeNd2 } from '../writers/nd2.js';
import { movie, series, writeNwb } from '../writers/nwb.js';
import { writeOib, writeOif } from '../writers/oif.js';
import { writeOir, writeOirSet } from '../writers/oir.js';
import { lineScan as oirLines, timeSeries } from '../writers/oir-kinds.js';
import { omeXml } from '../writers/ome.js';
import { imageFiles, writeStore, zipStore } from '../writers/ome-zarr.js';
import { alsMeta, alsSamples } from '../writers/scanimage.js';
import { writeTiff } from '../writers/tiff.js';
import { writeZvi } from '../writers/zvi.js';

const root = tempFolder();
let server: RunningServer;
const cli = new Cli();
beforeAll(async () => {
  server = await createServer({ port: 0, stateDir: root, decodeWorkers: 1 });
});
afterAll(async () => {
  await server.close();
  await cli.close();
});

async function post(body: object): Promise<OpenResponse | ErrorEnvelope> {
  const [, answer] = await postOpen<OpenResponse | ErrorEnvelope>(server.url, body);
  if (answer.ok) await fetch(`${server.url}/api/v2/sessions/${answer.sessionId}`, { method: 'DELETE' });
  return answer;
}

async function failure(path: string): Promise<string> {
  const answer = await post({ path });
  if (answer.ok) throw new Error(`${path} opened`);
  return answer.message;
}

const ZARR = await imageFiles(zarrStack());
const OME = omeXml({ images: [{ sizes: { X: 4, Y: 3, C: 2 }, children: ['<TiffData/>'] }] });
const tiff = (tags: Parameters<typeof countingPage>[1]) =>
  writeTiff({ pages: [countingPage(0, tags), countingPage(1)] });
const ALS_VALUES = {
  'hChannels.channelSave': '[1;2]',
  'hScan2D.lineScanSamplesPerFrame': 4,
  'hScan2D.sampleRate': 2000,
  'hRoiManager.scanType': "'line'",
};
const single = (name: string, bytes: () => Uint8Array) => [name, (at: string) => writeTemp(at, name, bytes())] as const;

/** A fixture of each format, and of each kind of file that it can be in. */
const CASES: readonly (readonly [name: string, write: (at: string) => string])[] = [
  single('plain.tif', () => tiff([])),
  single('pair.ome.tif', () => tiff([description(OME)])),
  single('scan.oir', () => writeOir(oirLines(70, 12, 16, {}))),
  [
    'set.oir',
    (at) => {
      const [main, part] = writeOirSet(timeSeries(6, 6), [3, 3]) as [Uint8Array, Uint8Array];
      writeTemp(at, 'set_00001', part);
      return writeTemp(at, 'set.oir', main);
    },
  ],
  single('scan.oib', () => writeOib(oifFrames())),
  ['stack.oif', (at) => writeOif(at, oifFrames())],
  single('scan.zvi', () =>
    writeZvi({
      type: 'uint16',
      size: [6, 4],
      planes: [0, 1].map((t) => ({ t, pixels: new Uint8Array(48).fill(t + 1) })),
    }),
  ),
  [
    'scan.pmt.dat',
    (at) => {
      writeTemp(at, 'scan.meta.txt', alsMeta(ALS_VALUES));
      return writeTemp(at, 'scan.pmt.dat', alsSamples(Array.from({ length: 24 }, (_, i) => i)));
    },
  ],
  single('scan.czi', () => writeCzi(cziLines(50, 6, 2, 7, { period: 0.002, reference: true }))),
  single('scan.lsm', () => writeLsm(lsmFrames())),
  single('scan.nd2', () => writeNd2(everything())),
  single('demo.lif', () => writeLif({ elements: [lineVector()] })),
  ['recording.xml', (at) => writeBruker(at, brukerLines())],
  ['demo.ome.zarr', (at) => writeStore(join(at, 'demo.ome.zarr'), ZARR)],
  single('demo.ome.zarr.zip', () => zipStore(ZARR)),
  single('demo.nwb', () =>
    writeNwb({ acquisition: { S: series({ data: movie(2, 4, 3), dimension: [4, 3], rate: 10 }) } }),
  ),
  single('demo.ims', () => writeIms(volume())),
];

/** Ways to damage a file: cut off, or with a few bytes of another value. */
function* damages(bytes: Uint8Array): Generator<Uint8Array> {
  for (const share of [0, 0.05, 0.3, 0.6, 0.9]) yield bytes.subarray(0, Math.floor(bytes.length * share));
  for (const place of [0, 0.1, 0.35, 0.5, 0.75, 0.95]) {
    const changed = Uint8Array.from(bytes);
    changed.fill(0xa7, Math.floor(bytes.length * place), Math.floor(bytes.length * place) + 12);
    yield changed;
  }
}

const filesIn = (at: string) =>
  readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** What is wrong with a message about files in `at`. */
function faultsOf(message: string, at: string, names: readonly string[], isError: boolean): string[] {
  const inside = names.flatMap((name) => [name, basename(name)]);
  const faults: string[] = [];
  const first = inside.some((name) => message.startsWith(name) && /^[:/ [(]/.test(message.slice(name.length)));
  if (isError && !first) faults.push('does not start with the name of a file');
  const late = inside.some((name) => message.includes(`: ${name}: `));
  if (late && !first) faults.push('names its file in the middle');
  if (message.split(at).length > (isError ? 2 : 1)) faults.push('has the path of the folder');
  if (/\b1 (?!byte of\b)[a-z]+[^s\W]s\b|\(s\)/.test(message)) faults.push('has a wrong plural');
  return faults.map((fault) => `${fault}: ${message}`);
}

describe.each(CASES)('a message about a corrupted %s', (_name, write) => {
  it('starts with the file name', async () => {
    const at = mkdtempSync(join(root, 'case-'));
    const path = write(at);
    const files = filesIn(at);
    const names = [basename(path), ...files.map((file) => file.slice(at.length + 1))];
    const whole = await post({ path });
    expect(whole.ok, (whole as ErrorEnvelope).message).toBe(true);
    let told = 0;
    const faults: string[] = [];
    for (const file of files.slice(0, 12)) {
      const bytes = readFileSync(file);
      for (const damaged of [...damages(bytes), undefined]) {
        if (damaged) writeFileSync(file, damaged);
        else rmSync(file);
        const answer = await post({ path });
        const messages = answer.ok ? answer.warnings : [answer.message];
        told += messages.length;
        faults.push(...messages.flatMap((message) => faultsOf(message, at, names, !answer.ok)));
      }
      writeFileSync(file, bytes);
    }
    expect([...new Set(faults)]).toEqual([]);
    expect(told).toBeGreaterThan(5);
  }, 60_000);
});

describe('a message about a path', () => {
  it('names the file and the path once, equally in the server and the command line', async () => {
    const at = mkdtempSync(join(root, 'paths-'));
    const missing = join(at, 'missing.tif');
    const damaged = writeTemp(at, 'cut.czi', writeCzi(cziLines(50, 6, 2, 7, {})).subarray(0, 100));
    const other = writeTemp(at, 'notes.docx', 'text');
    const bare = writeTemp(at, 'notes', 'text');
    const empty = writeTemp(at, 'empty.nd2', '');
    const begins = new Map([
      [bare, 'notes has '],
      [empty, 'empty.nd2 is '],
    ]);
    for (const path of [missing, damaged, other, bare, empty, `${other}/scan.tif`]) {
      const answer = (await post({ path })) as ErrorEnvelope;
      const begin = begins.get(path) ?? `${basename(path)}: `;
      expect(answer.message.startsWith(begin), answer.message).toBe(true);
      expect(answer.message.split(at).length, answer.message).toBeLessThanOrEqual(2);
      const { stderr, stdout } = await cli.run(['inspect', path]);
      expect(stderr).toBe(`acqstore: ${answer.error}: ${answer.message}\n`);
      expect(stdout).toBe('');
    }
    expect(await failure(missing)).toBe(`missing.tif: there is no file or folder at ${missing}. Check the path.`);
  });

  it('describes the same fault equally in the server and the command line', async () => {
    const path = writeTemp(mkdtempSync(join(root, 'paths-')), 'two.tif', tiff([]));
    const answer = (await post({ path, selection: { Z: 7 } })) as ErrorEnvelope;
    expect(answer.message).toBe('`selection.Z` is 7, but the file has 2 sections (0 to 1)');
    expect((await cli.run(['inspect', '--z', '7', path])).stderr).toBe(
      `acqstore: selection_out_of_range: ${answer.message}\n`,
    );
  });

  it('lists every fault of a body, including invalid values', async () => {
    const far = { step: 1e-320, unit: 'seconds' };
    const path = `/data/${'n'.repeat(20_000)}.tif`;
    const { error, details } = (await post({ path, calibration: { Y: far, X: far }, nope: 1 })) as ErrorEnvelope;
    expect(error).toBe('request_validation_failed');
    expect(details?.map(({ location, type }) => [location.slice(1).join('.'), type])).toEqual([
      ['nope', 'extra_forbidden'],
      ['path', 'string_too_long'],
      ['calibration.Y.step', 'step_out_of_range'],
      ['calibration.X.step', 'step_out_of_range'],
    ]);
    for (const { message } of details ?? []) expect(message).not.toMatch(/body|String|Expected|pattern/);
  });

  it('does not list all extensions', async () => {
    const at = mkdtempSync(join(root, 'paths-'));
    const messages = [
      await failure(writeTemp(at, 'notes.docx', 'text')),
      await failure(writeTemp(at, 'notes', 'text')),
      await failure(writeTemp(at, 'text.tif', 'text')),
      await failure(at),
    ];
    for (const message of messages) {
      const listed = supportedExtensions().filter((extension) => message.includes(` ${extension} `));
      expect(listed.length, message).toBeLessThanOrEqual(1);
    }
    expect(messages[0]).toBe(
      'notes.docx: .docx is not the extension of a supported format. The first page of the viewer and `acqstore formats` list the supported formats.',
    );
    const refused = await cli.run(['serve', '--port', '0', '--allow-ext', '.docx']);
    expect(refused.stderr).toContain('--allow-ext .docx: not the extension of a supported format');
    expect(refused.stderr).not.toContain('.czi');
  });
});

describe('a part of an acquisition that cannot be opened by itself', () => {
  it('points from _MarkPoints.xml of Prairie View to the XML of the recording', async () => {
    const at = mkdtempSync(join(root, 'bruker-'));
    const recording = basename(writeBruker(at, brukerLines()));
    const stem = recording.slice(0, -'.xml'.length);
    const xml = '<?xml version="1.0" encoding="utf-8"?>\r\n<PVMarkPointSeriesElements Iterations="1" />\r\n';
    for (const name of [`${stem}_Cycle00001_MarkPoints.xml`, `${stem}_MarkPoints.xml`]) {
      const path = writeTemp(at, name, xml);
      const message = `${name}: describes the points of a photostimulation and has no images. Open the XML of the recording: "${recording}".`;
      expect(await post({ path })).toMatchObject({ error: 'unsupported_format', message });
      const { stderr, code } = await cli.run(['inspect', path]);
      expect([code, stderr]).toEqual([1, `acqstore: unsupported_format: ${message}\n`]);
    }
  });

  it('opens X.oif for the folder X.oif.files', async () => {
    const at = mkdtempSync(join(root, 'oif-'));
    const path = writeOif(at, oifFrames());
    const answer = (await post({ path: `${path}.files` })) as OpenResponse;
    expect(answer.source).toMatchObject({ path, name: 'stack.oif', format: 'oif' });
    expect(answer.selection).toEqual({ T: 0, Z: 0 });
    const { stdout, stderr } = await cli.run(['inspect', '--json', `${path}.files`]);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, source: { path, name: 'stack.oif' } });
  });

  it('names the missing X.oif for the folder X.oif.files', async () => {
    const at = mkdtempSync(join(root, 'oif-'));
    const path = writeOif(at, oifFrames());
    rmSync(path);
    expect(await failure(`${path}.files`)).toBe(
      'stack.oif.files contains the planes of "stack.oif". Put that file beside this folder and open it.',
    );
  });
});

describe('a message about a limit', () => {
  /** What a server with these settings answers to an open of a large plane. */
  async function refusal(settings: string[], opens = 1): Promise<ErrorEnvelope> {
    const at = mkdtempSync(join(root, 'limit-'));
    const path = writeTemp(at, 'wide.lsm', writeLsm(lsmFrames()));
    const small = await cli.serve(settings);
    let answer: ErrorEnvelope | undefined;
    for (let i = 0; i < opens; i++) {
      const response = await fetch(`${small.url}/api/v2/open`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ path }),
      });
      answer = (await response.json()) as ErrorEnvelope;
    }
    await small.interrupt();
    return answer as ErrorEnvelope;
  }

  it('names the setting', async () => {
    const plane = await refusal(['--max-plane-bytes', '40']);
    expect(plane.error).toBe('plane_too_large');
    expect(plane.message).toBe(
      'wide.lsm: one plane of 3 × 5 pixels takes 60 bytes as float32; the limit is 40 (--max-plane-bytes).',
    );
    const budget = await refusal(['--memory-budget', '40']);
    expect(budget).toMatchObject({ error: 'plane_too_large', message: expect.stringContaining('(--memory-budget)') });
    const sessions = await refusal(['--max-sessions', '1'], 2);
    expect(sessions.message).toBe(
      'The server holds 1 session, the limit (--max-sessions). Delete one, or try again later.',
    );
  });
});
