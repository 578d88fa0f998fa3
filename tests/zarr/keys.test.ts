import { describe, expect, it } from 'vitest';
import { parseKey } from '../../packages/readers/src/derive/zarr/keys.js';
import { zarrDocuments } from '../../packages/readers/src/derive/zarr/tree.js';
import { ZARR_VERSIONS } from '../../packages/readers/src/derive/zarr/versions.js';
import { acquisition, lineScan, reference } from './scenes.js';

const info = acquisition(lineScan({ reference }), lineScan({ sizes: { T: 3, Z: 2, Y: 2_500, X: 1_100 } }));

describe('parseKey', () => {
  it.each(ZARR_VERSIONS)('knows exactly the documents of the tree in %s', (version) => {
    for (const one of [info, acquisition(lineScan({ reference }))]) {
      const keys = [...zarrDocuments(one, version, { name: 'a', fileSize: '' }).keys()];
      for (const key of keys) expect(parseKey(one, version, key), key).toMatchObject({ kind: 'document' });
      const other = zarrDocuments(one, version === '0.4' ? '0.5' : '0.4', { name: 'a', fileSize: '' }).keys();
      for (const key of other) {
        if (!key.endsWith('.xml')) expect(parseKey(one, version, key), key).toBeUndefined();
      }
    }
  });

  it('tells which images have their display ranges in a document', () => {
    const ranged = (version: '0.4' | '0.5', key: string, of = info) => {
      const parsed = parseKey(of, version, key);
      return parsed?.kind === 'document' ? parsed.display.map(({ path }) => path) : undefined;
    };
    expect(ranged('0.4', '0/.zattrs')).toEqual(['0']);
    expect(ranged('0.4', '0/.zmetadata')).toEqual(['0', '0/reference']);
    expect(ranged('0.4', '0/.zgroup')).toEqual([]);
    expect(ranged('0.4', '0/0/.zarray')).toEqual([]);
    expect(ranged('0.5', '0/reference/zarr.json')).toEqual(['0/reference']);
    expect(ranged('0.5', '1/zarr.json')).toEqual(['1']);
    expect(ranged('0.5', 'zarr.json')).toEqual([]);
    expect(ranged('0.5', 'zarr.json', acquisition(lineScan()))).toEqual(['0']);
    expect(ranged('0.5', 'OME/METADATA.ome.xml')).toEqual([]);
  });

  it('finds chunks of every scene, level, time point, channel and section', () => {
    expect(parseKey(info, '0.4', '1/0/2/1/1/2/1')).toMatchObject({
      kind: 'chunk',
      image: { path: '1', scene: 1, kind: 'channel' },
      place: { level: 0, t: 2, channel: 1, z: 1, row: 2, column: 1 },
    });
    expect(parseKey(info, '0.5', '0/reference/1/c/0/0/0/0/0')).toMatchObject({
      image: { path: '0/reference', kind: 'reference' },
      place: { level: 1, t: 0, channel: 0, z: 0, row: 0, column: 0 },
    });
  });

  it.each([
    ['a time point after the last one', '1/0/3/0/0/0/0'],
    ['a channel after the last one', '1/0/0/2/0/0/0'],
    ['a section after the last one', '1/0/0/0/2/0/0'],
    ['a row after the last one', '1/0/0/0/0/3/0'],
    ['a column after the last one', '1/0/0/0/0/0/2'],
    ['a level after the last one', '1/3/0/0/0/0/0'],
    ['a scene after the last one', '2/0/0/0/0/0/0'],
    ['a reference image that does not exist', '1/reference/0/0/0/0/0/0'],
    ['a leading zero', '1/0/00/0/0/0/0'],
    ['a negative number', '1/0/-1/0/0/0/0'],
    ['a fraction', '1/0/0.0/0/0/0/0'],
    ['a number with an exponent', '1/0/1e0/0/0/0/0'],
    ['a space', '1/0/0/0/0/0/0 '],
    ['a line feed', '1/0/0/0/0/0/0\n'],
    ['a NUL', '1/0/0/0/0/0/0\0'],
    ['another script', '1/0/٠/0/0/0/0'],
    ['too few numbers', '1/0/0/0/0/0'],
    ['too many numbers', '1/0/0/0/0/0/0/0'],
    ['dots as separators', '1/0/0.0.0.0.0'],
    ['a slash at the end', '1/0/0/0/0/0/0/'],
    ['a slash at the start', '/1/0/0/0/0/0/0'],
    ['an empty part', '1//0/0/0/0/0/0'],
    ['a way up', '1/../0/.zattrs'],
    ['a way out', '../../.zattrs'],
    ['the chunks of the other version', '1/0/c/0/0/0/0/0'],
    ['nothing', ''],
    ['a group', '1'],
    ['attributes of an array', '1/0/.zattrs'],
    ['a property of all objects', '1/constructor'],
    ['a long text', '1/0/'.padEnd(10_000, '1')],
    ['a deep path', '0/'.repeat(5_000)],
    ['a huge number', '1/0/99999999999999999999/0/0/0/0'],
  ])('finds nothing for %s', (_, key) => {
    expect(parseKey(info, '0.4', key)).toBeUndefined();
  });
});
