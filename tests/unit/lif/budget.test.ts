import { expect, it } from 'vitest';
import { Float32Target } from '../../../packages/readers/src/model/samples/plane-target.js';
import { CountingSource } from '../../support/counting-source.js';
import { openBytes } from '../../support/lif.js';
import { SparseSource } from '../../support/sparse-source.js';
import { blockHead, type LifImageSpec, lifXml, textBlock } from '../../writers/lif.js';

const SIDE = 1024;
const PLANE = SIDE * SIDE * 2;
const TIMES = 500;
const IMAGES = 6;

/** Two channels of 16 bits, each a gigabyte over time. The pixels are holes in the file, except for one plane. */
function image(n: number): LifImageSpec {
  return {
    name: `Series${n}`,
    channels: [
      { bytesInc: 0, resolution: 12 },
      { bytesInc: PLANE, resolution: 12 },
    ],
    dimensions: [
      { id: 1, count: SIDE, length: '1e-4', bytesInc: 2 },
      { id: 2, count: SIDE, length: '1e-4', bytesInc: 2 * SIDE },
      { id: 4, count: TIMES, length: '49.9', unit: 's', bytesInc: 2 * PLANE },
    ],
    data: new Uint8Array(),
    memorySize: 2 * PLANE * TIMES,
  };
}

it('a 12 GB LIF opens by its XML and 100 bytes per block, and a plane reads only that plane', async () => {
  const xml = textBlock(lifXml({ elements: Array.from({ length: IMAGES }, (_, n) => image(n)) }));
  const size = 2 * PLANE * TIMES;
  const pieces = [{ offset: 0, bytes: xml }];
  let at = xml.length;
  for (let n = 0; n <= IMAGES; n++) {
    const bytes = n === 0 ? 0 : size;
    const head = blockHead(`MemBlock_${n}`, bytes);
    pieces.push({ offset: at, bytes: head });
    at += head.length;
    // The last samples of the plane of image 5, channel 1, T 321.
    const marked = at + 321 * 2 * PLANE + 2 * PLANE - 8;
    if (n === 6) pieces.push({ offset: marked, bytes: new Uint8Array(Uint16Array.of(1, 2, 3, 4).buffer) });
    at += bytes;
  }
  const source = new CountingSource(new SparseSource('big.lif', at, pieces));
  expect(source.size).toBeGreaterThan(12e9);
  const acquisition = await openBytes(source);
  expect(acquisition.info.scenes).toHaveLength(IMAGES);
  expect(acquisition.info.scenes.flatMap(({ warnings }) => warnings)).toEqual([]);
  expect(source.bytes).toBeLessThan(4096 + 13 + xml.length + 100 * (IMAGES + 1));
  expect(source.reads).toBeLessThan(4 + IMAGES + 1);
  source.reset();
  const target = new Float32Target(SIDE, SIDE);
  await acquisition.readPlane({ scene: 5, channel: 1, t: 321, z: 0 }, target);
  expect(Array.from(target.data.slice(-4))).toEqual([1, 2, 3, 4]);
  expect(source.bytes).toBe(PLANE);
  expect(source.reads).toBe(4);
});

it('alternating lines of LIF channels are read across short gaps, but not across long ones', async () => {
  const lines = 30_000;
  const scan = async (columns: number) => {
    const row = 2 * columns;
    const spec: LifImageSpec = {
      name: 'xt',
      channels: [
        { bytesInc: 0, resolution: 12 },
        { bytesInc: row, resolution: 12 },
      ],
      dimensions: [
        { id: 1, count: columns, length: '1e-5', bytesInc: 2 },
        { id: 4, count: lines, length: '74.9975', unit: 's', bytesInc: 2 * row },
      ],
      data: new Uint8Array(),
      memorySize: 2 * row * lines,
    };
    const head = [
      textBlock(lifXml({ elements: [spec] })),
      blockHead('MemBlock_0', 0),
      blockHead('MemBlock_1', 2 * row * lines),
    ];
    const bytes = Buffer.concat(head);
    const source = new CountingSource(
      new SparseSource('xt.lif', bytes.length + 2 * row * lines, [{ offset: 0, bytes }]),
    );
    const acquisition = await openBytes(source);
    expect(acquisition.info.scenes[0]?.sizes).toEqual({ T: 1, Z: 1, Y: lines, X: columns });
    expect(acquisition.info.scenes[0]?.steps.Y.step).toBeCloseTo(0.0025, 12);
    source.reset();
    await acquisition.readPlane({ scene: 0, channel: 1, t: 0, z: 0 }, new Float32Target(lines, columns));
    return source;
  };
  const narrow = await scan(64);
  expect(narrow.bytes).toBeLessThanOrEqual(2 * 128 * lines);
  expect(narrow.reads).toBeLessThan(20);
  const wide = await scan(2048);
  expect(wide.bytes).toBe(4096 * lines);
});
