import { describe, expect, it } from 'vitest';
import { type DroppedFile, groupDropped, knownFile } from '../../../packages/viewer/src/files/dropped.ts';
import { crumbsOf, folderOf } from '../../../packages/viewer/src/files/folders.ts';
import { folderFormats, groupFormats } from '../../../packages/viewer/src/files/format-groups.ts';
import { paintThumbnail } from '../../../packages/viewer/src/files/thumbnail.ts';

const EXTENSIONS = ['.tif', '.oif', '.xml', '.ome.zarr', '.zarr'];
const dropped = (...paths: string[]): DroppedFile[] =>
  paths.map((path) => ({ path, data: new File([], path.split('/').at(-1)!) }));
const groups = (...paths: string[]) => {
  const { groups: found, refused } = groupDropped(dropped(...paths), EXTENSIONS);
  return [found.map(({ name, files }) => [name, ...files.map(({ path }) => path)]), refused];
};

describe('dropped files', () => {
  it('are acquisitions of their own, and companions belong to theirs', () => {
    expect(groups('a.tif', 'b.TIF')).toEqual([
      [
        ['a.tif', 'a.tif'],
        ['b.TIF', 'b.TIF'],
      ],
      [],
    ]);
    expect(groups('a.txt', 'a.tif')).toEqual([[['a.tif', 'a.txt', 'a.tif']], []]);
    expect(groups('a.oif', 'a.oif.files/s_C001.tif')).toEqual([[['a.oif', 'a.oif', 'a.oif.files/s_C001.tif']], []]);
  });

  it('beside the XML of a recording are its parts', () => {
    expect(groups('r_Cycle00001_Ch1_000001.ome.tif', 'r.xml')[0]).toEqual([
      ['r.xml', 'r_Cycle00001_Ch1_000001.ome.tif', 'r.xml'],
    ]);
  });

  it('in a folder are one acquisition', () => {
    expect(groups('c.zarr/zarr.json', 'c.zarr/0/c/0', 'd/x.docx')).toEqual([
      [
        ['c.zarr', 'c.zarr/zarr.json', 'c.zarr/0/c/0'],
        ['d', 'd/x.docx'],
      ],
      [],
    ]);
  });

  it('that nothing can open are named', () => {
    expect(groups('notes.docx', 'a.tif')).toEqual([[['a.tif', 'a.tif']], ['notes.docx']]);
    expect(groups('.tif2')).toEqual([[], ['.tif2']]);
  });

  it('are known by their main file', () => {
    const known = (name: string, ...paths: string[]) => knownFile({ name, files: dropped(...paths) }, EXTENSIONS)?.name;
    expect(known('a.oif', 'a.oif.files/s.tif', 'a.oif')).toBe('a.oif');
    expect(known('T', 'T/a_Cycle00001_Ch1_000001.ome.tif', 'T/a.xml')).toBe('a.xml');
    expect(known('c.zarr', 'c.zarr/zarr.json')).toBeUndefined();
  });
});

describe('paths of folders', () => {
  it('keep the form of their system', () => {
    expect(['/a/b.tif', '/b.tif', '/a/b.zarr/'].map(folderOf)).toEqual(['/a', '/', '/a/b.zarr']);
    expect(['C:\\a\\b.tif', 'C:\\b.tif', '\\\\nas\\day\\b.tif'].map(folderOf)).toEqual([
      'C:\\a',
      'C:\\',
      '\\\\nas\\day',
    ]);
  });

  it('have a step for each folder above', () => {
    expect(crumbsOf('/data/day 1').map(({ path }) => path)).toEqual(['/', '/data', '/data/day 1']);
    expect(crumbsOf('C:\\data\\x')).toEqual([
      { name: 'C:', path: 'C:\\' },
      { name: 'data', path: 'C:\\data' },
      { name: 'x', path: 'C:\\data\\x' },
    ]);
  });
});

describe('the formats on the start page', () => {
  const [tiff, oir, oif, ndtiff] = [
    { name: 'TIFF', group: 'TIFF and OME', extensions: ['.tif', '.ome.tif'], opensFolders: false },
    { name: 'Olympus OIR', group: 'Olympus / Evident', extensions: ['.oir'], opensFolders: false },
    { name: 'Olympus OIF', group: 'Olympus / Evident', extensions: ['.oif', '.oib'], opensFolders: false },
    { name: 'NDTiff', group: 'Micro-Manager', extensions: ['.tif', '.index'], opensFolders: true },
  ];

  it('are under the headings of their groups', () => {
    const groups = groupFormats([tiff!, oir!, ndtiff!, oif!]);
    expect(groups.map(({ name, extensions }) => [name, ...extensions])).toEqual([
      ['TIFF and OME', '.tif', '.ome.tif'],
      ['Olympus / Evident', '.oir', '.oif', '.oib'],
      ['Micro-Manager', '.tif', '.index'],
    ]);
  });

  it('are named where a folder is asked for, when they can be folders', () => {
    expect(folderFormats([tiff!, ndtiff!, oif!, { ...oir!, opensFolders: true }])).toBe('NDTiff, Olympus OIR');
  });
});

describe('a thumbnail', () => {
  it('is a plane stretched to its size, dark to bright, without gaps for NaN', () => {
    const samples = Float32Array.from({ length: 600 }, (_, i) => (i === 7 ? Number.NaN : Math.floor(i / 20)));
    const plane = { rows: 30, columns: 20, orientation: { transposed: false, upward: false }, isStretched: true };
    const layers = [{ samples, display: { lut: 'grey', invert: false, min: 6, max: 24 } }];
    const pixels = paintThumbnail({ ...plane, layers }, 4, 3);
    expect(pixels).toHaveLength(48);
    const rows = [0, 1, 2].map((row) => pixels[4 * (4 * row + 3)]!);
    expect(rows[0]).toBe(0);
    expect(rows[1]).toBeGreaterThan(100);
    expect(rows[2]).toBe(255);
    expect([...pixels].filter((_, i) => i % 4 === 3)).toEqual(Array(12).fill(255));
  });

  it('of a plane smaller than it repeats its samples', () => {
    expect(reds(Uint8Array.of(0, 255), { rows: 1, columns: 2 }, [4, 2])).toEqual([0, 0, 255, 255, 0, 0, 255, 255]);
  });

  it('lies as on screen: the lines of a line scan go to the right, its first pixel is at the bottom', () => {
    // Two lines of three pixels.
    const samples = Uint8Array.of(10, 20, 30, 40, 50, 60);
    const shape = { rows: 2, columns: 3, orientation: { transposed: true, upward: true } };
    expect(reds(samples, shape, [2, 3])).toEqual([30, 60, 20, 50, 10, 40]);
  });

  it('of an image is the middle of it in its shape, with the colors of all channels', () => {
    // Four rows of two: a picture that is twice as wide as high shows one row of the middle.
    const samples = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    expect(reds(samples, { rows: 4, columns: 2, isStretched: false }, [2, 1])).toEqual([3, 4]);
    const layer = (lut: string) => ({ samples: Uint8Array.of(255), display: { lut, invert: false, min: 0, max: 255 } });
    const plane = { rows: 1, columns: 1, orientation: { transposed: false, upward: false }, isStretched: true };
    const pixels = paintThumbnail({ ...plane, layers: [layer('red'), layer('green')] }, 1, 1);
    expect([...pixels]).toEqual([255, 255, 0, 255]);
  });

  function reds(samples: Uint8Array, plane: object, [width, height]: [number, number]): number[] {
    const source = { orientation: { transposed: false, upward: false }, isStretched: true, ...plane };
    const layers = [{ samples, display: { lut: 'grey', invert: false, min: 0, max: 255 } }];
    const pixels = paintThumbnail({ ...(source as Parameters<typeof paintThumbnail>[0]), layers }, width, height);
    return [...pixels].filter((_, i) => i % 4 === 0);
  }
});
