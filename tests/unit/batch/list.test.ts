import { describe, expect, it } from 'vitest';
import { parseFailed, parseList, parseShard, selectShard } from '../../../packages/server/src/batch/list.js';
import { planTargets, stemOf } from '../../../packages/server/src/batch/targets.js';

it('takes each line of a list as a path, with its blanks', () => {
  expect(parseList('/a/one.tif\r\n\n  \n/a/two words .tif\n')).toEqual(['/a/one.tif', '/a/two words .tif']);
  expect(() => parseList('II*\0')).toThrow(/zero bytes/);
});

it('splits a list so that each file is in exactly one shard', () => {
  const files = Array.from({ length: 23 }, (_, i) => i);
  const shards = Array.from({ length: 5 }, (_, index) => selectShard(files, { index, count: 5 }));
  expect(shards[1]).toEqual([1, 6, 11, 16, 21]);
  expect(shards.flat().sort((a, b) => a - b)).toEqual(files);
});

it.each(['', '1', '5/5', '-1/5', '1/0', '0/x', ' 1/5'])('refuses the shard "%s"', (text) => {
  expect(parseShard(text)).toBeUndefined();
});

it('finds the failed files in the lines of an earlier run', () => {
  const lines = '{"path":"/a","ok":true}\n{"path":"/b","ok":false,"error":"decode_failed"}\n';
  expect(parseFailed(lines)).toEqual(['/b']);
  expect(() => parseFailed(`${lines}/c\n`)).toThrow(/^line 3 is not a line of --jsonl/);
});

describe('the names of outputs', () => {
  const options = { extension: '.npy', out: '/out', base: undefined };

  it('are those of the files without the extension of the format', () => {
    expect(['/a/scan.ome.tif', '/a/x.y.czi', '/a/folder', '/a/.tif'].map(stemOf)).toEqual([
      'scan',
      'x.y',
      'folder',
      '.tif',
    ]);
    expect(planTargets(['/a/scan.ome.tif', '/b/other.oib'], options)).toEqual(['/out/scan.npy', '/out/other.npy']);
  });

  it('keep the folders below --base', () => {
    const planned = planTargets(['/data/m1/scan.oib', '/data/m2/scan.oib'], { ...options, base: '/data' });
    expect(planned).toEqual(['/out/m1/scan.npy', '/out/m2/scan.npy']);
    expect(() => planTargets(['/database/scan.oib'], { ...options, base: '/data' })).toThrow(
      'is not in /data (--base)',
    );
  });

  it('must differ', () => {
    const collide =
      (...paths: string[]) =>
      () =>
        planTargets(paths, options);
    expect(collide('/a/scan.oib', '/b/scan.oib')).toThrow(
      /would both be written to \/out\/scan\.npy\. Add --base FOLDER/,
    );
    expect(collide('/a/scan.oib', '/a/scan.tif')).toThrow(/Export them into different folders/);
    expect(collide('/a/scan.oib', '/a/scan.oib')).toThrow('/a/scan.oib is in the list twice');
  });

  it('must not be files of the list', () => {
    const tiffs = { extension: '.ome.tif', out: '/a', base: undefined };
    expect(() => planTargets(['/a/scan.oib', '/b/x.oib', '/a/scan.ome.tif'], tiffs)).toThrow(
      '/a/scan.oib would be written to /a/scan.ome.tif, which is a file of the list',
    );
  });
});
