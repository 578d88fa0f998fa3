import { expect, it } from 'vitest';
import { openIms } from '../../../packages/readers/src/formats/ims/index.js';
import { Float32Target } from '../../../packages/readers/src/model/samples/plane-target.js';
import { CountingSource } from '../../support/counting-source.js';
import { volume } from '../../support/hdf5.js';
import { SparseSource } from '../../support/sparse-source.js';
import { type H5Dataset, type H5Group, writeHdf5Pieces } from '../../writers/hdf5.js';
import { imsTree, writeIms } from '../../writers/ims.js';

const SIDE = 1024;
const DEPTHS = 64;
const TIMES = 12;

/** Two channels of 12 times, 128 MB each: 3.2 GB of holes. */
function large(): H5Group {
  const tree = imsTree(
    volume({ size: { X: SIDE, Y: SIDE, Z: DEPTHS }, padded: { X: 1, Y: 1, Z: 1 }, timePoints: TIMES }),
  );
  const holes = (node: H5Group | H5Dataset): void => {
    for (const [name, member] of Object.entries(('members' in node && node.members) || {})) {
      if (name === 'Data') Object.assign(member, { shape: [DEPTHS, SIDE, SIDE], hole: true });
      else holes(member as H5Group);
    }
  };
  holes(tree);
  return tree;
}

it('opening a 3 GB Imaris file reads only metadata, and a plane only that plane', async () => {
  const { size, pieces } = writeHdf5Pieces(large());
  expect(size).toBeGreaterThan(3.2e9);
  const written = pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const source = new CountingSource(new SparseSource('big.ims', size, pieces));
  const acquisition = openIms(source);
  expect(acquisition.info.scenes[0]?.sizes).toEqual({ T: TIMES, Z: DEPTHS, Y: SIDE, X: SIDE });
  expect(source.bytes).toBeLessThan(written);
  expect(source.bytes).toBeLessThan(120_000);
  expect(source.reads).toBeLessThan(30);
  source.reset();
  await acquisition.readPlane({ scene: 0, channel: 1, t: 9, z: 33 }, new Float32Target(SIDE, SIDE));
  expect(source.bytes).toBeLessThan(2 * SIDE * SIDE + 6 * 4096);
  expect(source.reads).toBeLessThan(4 + 6);
});

it('a plane of an Imaris file reads only its chunks, once for all planes in them', async () => {
  const spec = volume({
    size: { X: 40, Y: 40, Z: 8 },
    timePoints: 1,
    chunks: [4, 20, 20],
    value: (c, _t, z, y, x) => c + z + y * x,
  });
  const source = new CountingSource(writeIms(spec));
  const acquisition = openIms(source);
  const read = (z: number) => acquisition.readPlane({ scene: 0, channel: 0, t: 0, z }, new Float32Target(40, 40));
  await read(0);
  source.reset();
  await read(1);
  // Without filters a plane's own rows are read, the other depths of the chunk are passed over.
  expect(source.bytes).toBe(40 * 40 * 2);
  const zipped = new CountingSource(writeIms({ ...spec, filters: ['gzip'] }));
  const packed = openIms(zipped);
  const readPacked = (z: number) => packed.readPlane({ scene: 0, channel: 0, t: 0, z }, new Float32Target(40, 40));
  await readPacked(0);
  zipped.reset();
  await readPacked(3);
  expect(zipped.bytes).toBe(0);
  await readPacked(4);
  expect(zipped.reads).toBe(4);
});

it('bands of an Imaris plane that a target does not want are not decoded', async () => {
  const spec = volume({ size: { X: 40, Y: 40, Z: 1 }, timePoints: 1, chunks: [1, 10, 40], filters: ['gzip'] });
  const source = new CountingSource(writeIms(spec));
  const acquisition = openIms(source);
  expect(acquisition.bands?.(0)).toBe(4);
  const target = { rows: 40, columns: 40, put: () => {}, wants: (row: number) => row >= 30 };
  await acquisition.readPlane({ scene: 0, channel: 0, t: 0, z: 0 }, target);
  source.reset();
  await acquisition.readPlane({ scene: 0, channel: 0, t: 0, z: 0 }, target);
  expect(source.reads).toBe(1);
});
