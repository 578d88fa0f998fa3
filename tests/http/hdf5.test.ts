import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { volume } from '../support/hdf5.js';
import { postOpen } from '../support/open.js';
import { createServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { writeHdf5 } from '../writers/hdf5.js';
import { writeIms } from '../writers/ims.js';
import { images, imagingPlane, movie, series, writeNwb } from '../writers/nwb.js';
import { writeTiff } from '../writers/tiff.js';

const root = tempFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await createServer({ port: 0, stateDir: root, decodeWorkers: 1 });
});
afterAll(() => server.close());

type Answer = OpenResponse & { error?: string; message?: string };

function write(name: string, bytes: Uint8Array): string {
  const path = join(mkdtempSync(join(root, 'h-')), name);
  writeFileSync(path, bytes);
  return path;
}

async function open(path: string, more: object = {}): Promise<[number, Answer]> {
  return postOpen(server.url, { path, ...more });
}

async function plane(answer: Answer, index = 0): Promise<number[]> {
  const response = await fetch(server.url + answer.channels[index]?.dataUrl);
  expect(response.status).toBe(200);
  return [...new Float32Array(await response.arrayBuffer())];
}

const numbers = (start: number) => Array.from({ length: 20 }, (_, i) => start + i);

describe('HDF5 formats, through the server', () => {
  it.each(['cells.h5', 'cells.hdf5', 'cells.nwb', 'cells.tif'])('recognizes an Imaris file called %s', async (name) => {
    const [status, answer] = await open(write(name, writeIms(volume())));
    expect([status, answer.source?.format, answer.message]).toEqual([200, 'ims', undefined]);
  });

  it('recognizes an NWB file with the extension .ims', async () => {
    const nwb = writeNwb({ acquisition: { S: series({ data: movie(2, 4, 3), dimension: [4, 3] }) } });
    const [status, answer] = await open(write('movie.ims', nwb));
    expect([status, answer.source?.format, answer.message]).toEqual([200, 'nwb', undefined]);
  });

  it('opens an Imaris file at a time and a depth', async () => {
    const path = write('cells.ims', writeIms(volume({ chunks: [2, 3, 5], filters: ['shuffle', 'gzip'] })));
    const [status, answer] = await open(path, { selection: { T: 1, Z: 2 } });
    expect(status).toBe(200);
    expect(answer.source).toMatchObject({ format: 'ims', sourceDtype: 'uint16', numChannels: 2 });
    expect(answer.header).toMatchObject({ dims: ['C', 'T', 'Z', 'Y', 'X'], shape: [2, 2, 3, 4, 5], date: '20240305' });
    expect(answer.header.physicalUnits).toEqual([1, 0.25, 1, 0.25, 0.5]);
    expect(answer.channels.map(({ name }) => name)).toEqual(['Green', 'Red']);
    expect(await plane(answer, 1)).toEqual(numbers(1540));
    if (existsSync('/proc/self/fd')) {
      const held = readdirSync('/proc/self/fd').map((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`);
        } catch {
          return '';
        }
      });
      expect(held).not.toContain(path);
    }
  });

  it('lists the series and images of an NWB file', async () => {
    const path = write(
      'session.nwb',
      writeNwb({
        acquisition: {
          Overview: images({ a: { data: movie(1, 4, 3).data, shape: [4, 3], resolution: 2000 } }),
          TwoPhotonSeries: series({ data: movie(2, 4, 3), dimension: [4, 3], rate: 10, plane: 'p' }),
        },
        planes: { p: imagingPlane({ spacing: [5e-7, 2.5e-7], channels: ['GCaMP6f'] }) },
      }),
    );
    const [, answer] = await open(path);
    expect(answer.source.scenes?.map(({ name }) => name)).toEqual(['TwoPhotonSeries', 'Overview/a']);
    expect(answer.channels[0]?.name).toBe('GCaMP6f');
    expect(answer.plane.axes.map(({ step, unit }) => [step, unit])).toEqual([
      [0.25, 'micrometer'],
      [0.5, 'micrometer'],
    ]);
    const [, overview] = await open(path, { selection: { S: 1 } });
    expect(await plane(overview)).toEqual([0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23]);
  });

  it.each([1, 2] as const)('opens layout version %d, from before HDF5 1.6.3', async (layout) => {
    const members = {
      A: series({ data: { ...movie(2, 4, 3), layout }, dimension: [4, 3] }),
      B: series({ data: { ...movie(2, 4, 3), layout, chunks: [1, 2, 3], filters: ['gzip'] }, dimension: [4, 3] }),
    };
    const path = write('old.nwb', writeNwb({ acquisition: members }));
    for (const S of [0, 1]) {
      const [status, answer] = await open(path, { selection: { S, T: 1 } });
      expect([status, answer.message]).toEqual([200, undefined]);
      expect(await plane(answer)).toEqual([100, 101, 102, 103, 110, 111, 112, 113, 120, 121, 122, 123]);
    }
  });

  it('distinguishes what it cannot read from what is missing', async () => {
    const bytes = Buffer.from(
      writeHdf5({ members: { image: { data: new Uint16Array(6), shape: [2, 3], layout: 2 } } }),
    );
    bytes.writeUInt8(9, bytes.indexOf(Buffer.from([2, 2, 1, 0, 0, 0, 0, 0])));
    const [status, answer] = await open(write('test.h5', bytes));
    expect([status, answer.error]).toEqual([415, 'unsupported_format']);
    expect(answer.message).toBe(
      'test.h5 is a general HDF5 file with /image (not read: layout version 9 is not supported (only 1 to 5)). ' +
        'Nothing in it can be read. /image: layout version 9 is not supported (only 1 to 5)',
    );
    const [, empty] = await open(write('empty.h5', writeHdf5({ members: { results: { members: {} } } })));
    expect(empty.message).toMatch(/^empty\.h5 is a general HDF5 file without datasets\. It has no image: /);
  });

  it('opens the arrays of an .h5 file, with the axes that the caller gives them', async () => {
    const data = { data: Uint16Array.from({ length: 6 * 16 * 17 }, (_, i) => i), shape: [2, 3, 16, 17] };
    const path = write('arrays.h5', writeHdf5({ members: { data } }));
    const [status, pages] = await open(path);
    expect([status, pages.header.dims, pages.header.shape]).toEqual([200, ['C', 'Z', 'Y', 'X'], [1, 6, 16, 17]]);
    expect(pages.warnings).toEqual([expect.stringMatching(/^The file does not say what the 6 pages of data/)]);
    const [, times] = await open(path, { interpret: { axes: { T: 2, C: 3 } }, selection: { T: 1 } });
    expect([times.header.dims, times.header.shape]).toEqual([
      ['C', 'T', 'Y', 'X'],
      [3, 2, 16, 17],
    ]);
    expect(times.warnings).toEqual([]);
    expect((await plane(times, 2))[0]).toBe(5 * 16 * 17);
  });

  it('lists the contents of another HDF5 file', async () => {
    const image = { data: new Float32Array(6), shape: [2, 3] };
    const path = write('export.h5', writeHdf5({ members: { results: { members: { image } } } }));
    const [status, answer] = await open(path);
    expect([status, answer.error]).toEqual([415, 'unsupported_format']);
    expect(answer.message).toBe(
      'export.h5 is a general HDF5 file with /results/image (2 × 3 float32). It has no image: an array of numbers of at least ' +
        '16 rows and 16 columns, or with names for its dimensions.',
    );
    const [, named] = await open(write('export.nwb', readFileSync(path)));
    expect(named.message).toBe(
      'export.nwb is not an NWB file but a general HDF5 file with /results/image (2 × 3 float32)',
    );
  });

  it.each([
    'https://a.example/data/scan%20one.tif?versionId=3',
    's3://bucket/session/scan one.tif',
    'file:///D:/data/scan one.tif',
    '/data/scan one.tif',
    'movies\\scan one.tif',
    'https://a.example/film.mp4',
    'film.avi',
  ])('opens frames of %s when the advice in its message is followed', async (external) => {
    const path = write('frames.nwb', writeNwb({ acquisition: { Movie: series({ external: [external], rate: 20 }) } }));
    const [status, answer] = await open(path);
    expect([status, answer.error]).toEqual([422, 'companion_missing']);
    const [, name] =
      /(?:Put|Save the frames as) (.+) (?:there|in the folder of frames\.nwb)\.$/.exec(answer.message ?? '') ?? [];
    const samples = Uint16Array.from({ length: 12 }, (_, i) => 7 * i);
    writeFileSync(join(dirname(path), name ?? ''), writeTiff({ pages: [{ width: 4, height: 3, samples }] }));
    const [opened, frames] = await open(path);
    expect([opened, frames.message]).toEqual([200, undefined]);
    expect(await plane(frames)).toEqual([...samples]);
    expect(frames.warnings).toEqual([expect.stringContaining(`are read from ${name}`)]);
  });

  it('opens frames of a movie after saving them as the message advises', async () => {
    const path = write(
      'frames.nwb',
      writeNwb({ acquisition: { Movie: series({ external: ['film.avi'], rate: 20 }) } }),
    );
    writeFileSync(join(dirname(path), 'film.avi'), 'RIFF....');
    const [, answer] = await open(path);
    const [, name] = /Save them as (.+) in the folder of frames\.nwb\.$/.exec(answer.message ?? '') ?? [];
    writeFileSync(
      join(dirname(path), name ?? ''),
      writeTiff({ pages: [{ width: 2, height: 1, samples: Uint8Array.of(1, 2) }] }),
    );
    expect(await plane((await open(path))[1])).toEqual([1, 2]);
  });

  it('names a filter that is not supported', async () => {
    const data = { ...movie(2, 4, 3), chunks: [1, 4, 3], filters: ['zfp' as const] };
    const path = write('zfp.nwb', writeNwb({ acquisition: { S: series({ data, dimension: [4, 3], rate: 1 }) } }));
    const [status, answer] = await open(path);
    expect([status, answer.error]).toEqual([415, 'unsupported_format']);
    expect(answer.message).toMatch(/compression with zfp \(HDF5 filter 32013\) is not supported/);
  });
});
