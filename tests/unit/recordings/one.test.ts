/** How much is looked at to find out what each file of a large folder is a part of. */
import { expect, it } from 'vitest';
import type { ByteSource } from '../../../packages/readers/src/io/byte-source.js';
import { type Files, Folder } from '../../../packages/readers/src/io/folder.js';
import type { PartSigns } from '../../../packages/readers/src/model/recording.js';
import { findRecording } from '../../../packages/readers/src/recordings/one.js';

/** A folder of names only: the source of a file is its name. */
function folderOf(names: readonly string[]) {
  const looks = { count: 0 };
  const files = {
    path: '/data',
    list: () => names,
    peek: <T>(name: string, read: (source: ByteSource) => T) => {
      looks.count++;
      return read(name as unknown as ByteSource);
    },
  } as Partial<Files> as Files;
  return { files, looks };
}

const probeOf = (name: string) => ({ name, kind: 'file' as const, head: new Uint8Array(), entries: [], size: 1 });

/** Asks for each name with a folder of its own, as opens do; the list of names is the same one. */
function askAll(names: readonly string[], signs: (name: string) => PartSigns) {
  const { files, looks } = folderOf(names);
  const read = (source: ByteSource) => signs(source as unknown as string);
  const found = names.map((name) =>
    findRecording({ probe: probeOf(name), source: name as unknown as ByteSource, folder: new Folder(files) }, read),
  );
  return { found, looks: looks.count };
}

const numbered = (count: number, name: (digits: string) => string) =>
  Array.from({ length: count }, (_, i) => name(String(i + 1).padStart(5, '0')));

it('looks into the neighbors of a file that is a part of nothing, and takes as long for each file of a larger folder', () => {
  const signs = (name: string): PartSigns => ({ shape: 'a', counted: { recording: name, first: 1 } });
  const ask = (count: number) => {
    const names = numbered(count, (digits) => `scan_${digits}.tif`);
    const start = performance.now();
    const { found, looks } = askAll(names, signs);
    expect(found.every((one) => one === undefined)).toBe(true);
    expect(looks).toBeLessThanOrEqual(2 * count);
    return performance.now() - start;
  };
  ask(500);
  // Every file once parsed the names of all others: 10,000 files took over a minute.
  expect(ask(10_000)).toBeLessThan(5_000);
});

it('finds all parts of each recording among others of the same name', () => {
  const names = numbered(40, (digits) => `scan_${digits}.tif`);
  const recordingOf = (name: string) => `${Math.floor((Number(/\d+/.exec(name)![0]) - 1) / 10)}`;
  const { found } = askAll(names, (name) => ({ shape: 'a', counted: { recording: recordingOf(name), first: 1 } }));
  expect(found.map((one) => [one?.parts, one?.part])).toEqual(names.map((_, i) => [10, i % 10]));
});

it('finds the place of each file among labeled ones', () => {
  const names = numbered(300, (digits) => `x_t${digits}.tif`);
  const { found, looks } = askAll([...names, 'other.tif'], () => ({ shape: 'a' }));
  expect(found.slice(0, -1).map((one) => [one?.parts, one?.part])).toEqual(names.map((_, i) => [300, i]));
  expect([found.at(-1), looks]).toEqual([undefined, 2 * 300 - 2]);
});
