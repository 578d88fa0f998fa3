/** Acquisitions that are opened while they are written: what is whole is served, and nothing else. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { sample, series } from '../support/bruker.js';
import { liveHooks, openLater } from '../support/events.js';
import { tempFolder } from '../support/temp.js';
import { brukerFiles, brukerXml } from '../writers/bruker.js';
import { axis, GZIP, type ImageSpec, imageFiles, type StoreFiles, writeStore } from '../writers/ome-zarr.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
const { start, follow } = liveHooks(folder);

/** Returns a plane, or the code of the error. */
async function planeAt(
  { url }: RunningServer,
  { channels, header }: OpenResponse,
  place: { T?: number; Z?: number } = {},
  channel = 0,
): Promise<number[] | string> {
  const query = new URLSearchParams(
    Object.entries(place).flatMap(([name, at]) => (name in header.sizes ? [[name, String(at)]] : [])),
  );
  const response = await fetch(`${url}${channels[channel]!.dataUrl}?${query}`);
  if (!response.ok) return ((await response.json()) as { error: string }).error;
  return [...new Float32Array(await response.arrayBuffer())];
}

const remove = ({ url }: RunningServer, { sessionId }: OpenResponse) =>
  fetch(`${url}/api/v2/sessions/${sessionId}`, { method: 'DELETE' });

describe('a TIFF that grows', () => {
  const SAMPLES = 48;
  const pageOf = (page: number) => Array.from({ length: SAMPLES }, (_, i) => 1000 * page + i);
  const pages = [0, 1, 2, 3].map((page) => ({
    width: 8,
    height: 6,
    samples: Uint16Array.from(pageOf(page)),
    rowsPerStrip: 2,
  }));

  it.each([
    ['classic', {}],
    ['BigTIFF', { big: true }],
  ])('%s: shows its whole pages wherever it ends', async (name, options) => {
    const server = await start();
    const bytes = writeTiff({ pages, ...options });
    const path = join(folder, `${name}.tif`);
    const counts: number[] = [];
    for (let end = bytes.length; end > 0; end -= Math.ceil(bytes.length / 40)) {
      writeFileSync(path, bytes.subarray(0, end));
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ path, decode: 'later' });
      const response = await fetch(`${server.url}/api/v2/open`, { method: 'POST', headers, body });
      const opened = (await response.json()) as OpenResponse;
      const first = response.ok ? await planeAt(server, opened, { Z: 0 }) : 'nothing';
      // A file that has no whole page yet has nothing to show.
      const count = Array.isArray(first) ? (opened.header.sizes.Z ?? 1) : 0;
      counts.push(count);
      for (let Z = 0; Z < count; Z++) expect(await planeAt(server, opened, { Z }), `${end} bytes`).toEqual(pageOf(Z));
      if (count > 0 && count < pages.length) expect(opened.warnings.join(' '), `${end} bytes`).not.toBe('');
      if (response.ok) await remove(server, opened);
    }
    expect(counts[0]).toBe(4);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    expect(new Set(counts).size).toBeGreaterThan(3);
  });

  /** Returns the bytes of a classic little-endian file in which the data of the last pages begin behind its end. */
  function withoutData(bytes: Uint8Array, count: number): Uint8Array {
    const view = new DataView(bytes.slice().buffer);
    const offsets: number[] = [];
    for (let ifd = view.getUint32(4, true); ifd !== 0; ) {
      const entries = view.getUint16(ifd, true);
      for (let at = ifd + 2; at < ifd + 2 + 12 * entries; at += 12) {
        if (view.getUint16(at, true) === 273) offsets.push(at + 8);
      }
      ifd = view.getUint32(ifd + 2 + 12 * entries, true);
    }
    for (const at of offsets.slice(-count)) view.setUint32(at, bytes.length, true);
    return new Uint8Array(view.buffer);
  }

  it('shows up to 16 pages less, and takes more for damage', async () => {
    const server = await start();
    const twenty = Array.from({ length: 20 }, (_, page) => ({
      ...{ width: 8, height: 6, samples: Uint16Array.from(pageOf(page)) },
    }));
    const whole = writeTiff({ pages: twenty });
    const openWithout = async (count: number) => {
      const path = join(folder, `without-${count}.tif`);
      writeFileSync(path, withoutData(whole, count));
      return openLater(server, path);
    };
    const opened = await openWithout(16);
    expect(opened.header.sizes['Z']).toBe(4);
    expect(opened.warnings.join()).toContain('the last 16 pages are not complete, so they are not shown');
    expect(await planeAt(server, opened, { Z: 3 })).toEqual(pageOf(3));
    const damaged = await openWithout(17);
    expect(damaged.header.sizes['Z']).toBe(20);
    expect(await planeAt(server, damaged, { Z: 2 })).toEqual(pageOf(2));
    expect(await planeAt(server, damaged, { Z: 3 })).toBe('decode_failed');
  });
});

describe('a Prairie View folder that fills', () => {
  const spec = series('TSeries Timed Element', 4, 1, [1, 2]);
  const planeOf = (channel: number, frame: number) =>
    Array.from({ length: 64 }, (_, i) => sample(1, channel, frame + 1, Math.floor(i / 8), i % 8));
  const [xml, ...tiffs] = brukerFiles(spec);
  const put = (at: string, name: string, bytes: Uint8Array | string) => {
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, name), bytes);
  };

  it('tells of each frame, and shows those whose files are whole', async () => {
    const server = await start();
    const at = join(folder, spec.name);
    put(at, xml!.name, xml!.bytes);
    for (const { name, bytes } of tiffs.slice(0, 2)) put(at, name, bytes);
    const first = await openLater(server, at);
    expect(first.warnings.join(' ')).toContain('Missing from the folder');
    const reader = await follow(server, first);
    expect((await reader.next())?.data['revision']).toBe(first.source.revision);
    put(at, tiffs[2]!.name, tiffs[2]!.bytes.subarray(0, -40));
    expect((await reader.next())?.event).toBe('changed');
    const second = await openLater(server, at);
    expect(await planeAt(server, second, { T: 0 }, 1)).toEqual(planeOf(2, 0));
    expect(await planeAt(server, second, { T: 1 }, 0)).toBe('decode_failed');
    expect(await planeAt(server, second, { T: 1 }, 1)).toBe('companion_missing');
    // The last file of the folder is looked at, too.
    put(at, tiffs[2]!.name, tiffs[2]!.bytes);
    expect((await reader.next())?.event).toBe('changed');
    const third = await openLater(server, at);
    expect(await planeAt(server, third, { T: 1 }, 0)).toEqual(planeOf(1, 1));
  });

  it('shows the frames that an unfinished XML lists in full', async () => {
    const server = await start();
    const at = join(folder, 'unfinished');
    for (const { name, bytes } of tiffs) put(at, name, bytes);
    const text = brukerXml(spec);
    const starts = [...text.matchAll(/<Frame /g)].map(({ index }) => index);
    for (const [frames, end] of [...starts.entries()].slice(1)) {
      // With one of the two files of the next frame, and inside the second one.
      for (const cut of [end + 10, text.indexOf('<File', text.indexOf('<File', end) + 1) + 20]) {
        put(at, xml!.name, text.slice(0, cut));
        const opened = await openLater(server, at);
        expect([cut, opened.header.sizes.T ?? 1]).toEqual([cut, frames]);
        expect(opened.warnings.join(' ')).toContain('ends early');
        for (let T = 0; T < frames; T++) {
          for (const channel of [0, 1]) {
            expect(await planeAt(server, opened, { T }, channel)).toEqual(planeOf(channel + 1, T));
          }
        }
        await remove(server, opened);
      }
    }
  });
});

describe('an OME-Zarr that grows', () => {
  const value = ([t, y, x]: readonly number[]) => 1000 * (t as number) + 10 * (y as number) + (x as number) + 1;
  const planeOf = (T: number) => Array.from({ length: 24 }, (_, i) => value([T, Math.floor(i / 6), i % 6]));
  const specOf = (version: 2 | 3, times: number, separator: '/' | '.', stored = times): ImageSpec => ({
    version,
    type: 'uint16',
    shape: [times, 4, 6],
    chunks: [1, 4, 3],
    value,
    codecs: [GZIP],
    axes: [axis('t', 'second'), axis('y', 'micrometer'), axis('x', 'micrometer')],
    scale: [1, 1, 1],
    separator,
    missing: ([t]) => (t as number) >= stored,
  });

  it.each([
    [2, '.'],
    [2, '/'],
    [3, '/'],
    [3, '.'],
  ] as const)('Zarr %i with "%s": a time point is zeros only until it is stored', async (version, separator) => {
    const server = await start();
    const at = join(folder, `grows-${version}-${separator === '/' ? 'nested' : 'flat'}.ome.zarr`);
    writeStore(at, await imageFiles(specOf(version, 2, separator)));
    const first = await openLater(server, at);
    expect([first.header.sizes.T, first.warnings]).toEqual([2, []]);
    const reader = await follow(server, first);
    await reader.next();

    // As zarr does it: the shape first, then the chunks.
    writeStore(at, await imageFiles(specOf(version, 4, separator, 2)));
    expect((await reader.next())?.event).toBe('changed');
    const resized = await openLater(server, at);
    expect([resized.header.sizes.T, resized.warnings]).toEqual([
      4,
      [
        'Nothing is stored from T = 2 on (of 4): these planes have the fill value 0. If the recording is still being written, open it again later.',
      ],
    ]);
    expect(await planeAt(server, resized, { T: 1 })).toEqual(planeOf(1));
    expect(await planeAt(server, resized, { T: 2 })).toEqual(planeOf(2).map(() => 0));

    const files: StoreFiles = await imageFiles(specOf(version, 4, separator));
    writeStore(at, files);
    expect((await reader.next())?.event).toBe('changed');
    // The session that has seen zeros is still open, and keeps to them or says that it cannot.
    const whole = await openLater(server, at);
    expect(whole.warnings).toEqual([]);
    expect(await planeAt(server, whole, { T: 2 })).toEqual(planeOf(2));
    expect(await planeAt(server, whole, { T: 3 })).toEqual(planeOf(3));
    expect(await planeAt(server, resized, { T: 2 })).toEqual(planeOf(2).map(() => 0));
    expect(await planeAt(server, resized, { T: 3 })).toBe('source_changed');
  });

  it('a chunk that was missing is read by the next session, also while the one that missed it is open', async () => {
    const server = await start();
    const at = join(folder, 'late.ome.zarr');
    const files = await imageFiles(specOf(2, 3, '.'));
    const late = '0/2.0.1';
    writeStore(at, new Map([...files].filter(([key]) => key !== late)));
    const early = await openLater(server, at);
    const half = planeOf(2).map((sample, i) => (i % 6 < 3 ? sample : 0));
    expect(await planeAt(server, early, { T: 2 })).toEqual(half);
    writeStore(at, new Map([[late, files.get(late)!]]));
    expect(await planeAt(server, await openLater(server, at), { T: 2 })).toEqual(planeOf(2));
    expect(await planeAt(server, early, { T: 2 })).toEqual(half);
  });

  it('a chunk that is half written is refused, and the others are planes', async () => {
    const server = await start();
    const at = join(folder, 'half.ome.zarr');
    const files = await imageFiles(specOf(2, 3, '.'));
    writeStore(at, files);
    writeFileSync(join(at, '0', '2.0.1'), files.get('0/2.0.1')!.subarray(0, 20));
    const opened = await openLater(server, at);
    expect(await planeAt(server, opened, { T: 1 })).toEqual(planeOf(1));
    expect(await planeAt(server, opened, { T: 2 })).toBe('decode_failed');
  });
});
