import { describe, expect, it } from 'vitest';
import { openChunkFile } from '../../../packages/readers/src/formats/nd2/chunk-file.js';
import { NativeTarget } from '../../../packages/readers/src/model/samples/plane-target.js';
import { CountingSource } from '../../support/counting-source.js';
import { timeSeries } from '../../support/nd2.js';
import { attributes, experiment, Nd2Builder, picture, timeLoop } from '../../writers/nd2.js';
import { encodeLv } from '../../writers/nd2-tree.js';

const LINES = 40;
const WIDTH = 300;
const ROW_BYTES = WIDTH * 2;
const sample = (line: number, x: number) => (1000 * line + x) % 65_536;
const pixels = (line: number) => new Uint8Array(Uint16Array.from({ length: WIDTH }, (_, x) => sample(line, x)).buffer);

type Write = (builder: Nd2Builder, line: number) => void;
const plain: Write = (builder, line) => builder.frame(line, line, pixels(line));
/** Its name field is shorter, and its pixels do not begin with a page. */
const packed: Write = (builder, line) => {
  const time = new Uint8Array(Float64Array.of(line).buffer);
  builder.chunk(`ImageDataSeq|${line}!`, Buffer.concat([time, pixels(line)]));
};
const filler = (bytes: number) => (builder: Nd2Builder) => builder.chunk('Filler!', new Uint8Array(bytes));

/** A scan with a frame for each line, in the order in which `write` puts them. */
function record(write: (builder: Nd2Builder) => void): Uint8Array {
  const spec = timeSeries({
    width: WIDTH,
    height: 1,
    components: 1,
    picture: picture({ channels: [{ name: 'GFP' }] }),
  });
  const builder = new Nd2Builder();
  builder.chunk('ImageAttributesLV!', encodeLv(attributes({ ...spec, sequenceCount: LINES })));
  builder.chunk('ImageMetadataLV!', encodeLv(experiment(timeLoop(LINES, 1))));
  builder.chunk('ImageMetadataSeqLV|0!', encodeLv(spec.picture!));
  write(builder);
  builder.map();
  return builder.toBytes();
}

const inOrder = (...writes: Write[]) =>
  record((builder) => {
    for (let line = 0; line < LINES; line++) for (const write of writes) write(builder, line);
  });

async function read(bytes: Uint8Array): Promise<{ data: number[]; source: CountingSource }> {
  const source = new CountingSource(bytes);
  const opened = openChunkFile(source);
  expect(opened.info.scenes[0]?.sizes).toEqual({ T: 1, Z: 1, Y: LINES, X: WIDTH });
  source.reset();
  const target = new NativeTarget('uint16', LINES, WIDTH);
  await opened.readPlane({ scene: 0, channel: 0, t: 0, z: 0 }, target);
  return { data: [...target.data].map(Number), source };
}

const expected = Array.from({ length: LINES * WIDTH }, (_, i) => sample(Math.floor(i / WIDTH), i % WIDTH));

describe('lines that are frames of their own', () => {
  it.each<[string, Uint8Array, number]>([
    ['one behind the other', inOrder(plain), 2],
    ['with name fields of other lengths', inOrder(packed), 2],
    [
      'of both kinds, and small chunks between them',
      inOrder((b, n) => (n % 3 ? plain : packed)(b, n), filler(100)),
      30,
    ],
    // Two reads for each: its header and its row.
    ['with large chunks between them', inOrder(plain, filler(20_000)), 2 * LINES],
    [
      'from the last to the first',
      record((builder) => {
        for (let line = LINES - 1; line >= 0; line--) plain(builder, line);
      }),
      2 * LINES,
    ],
    [
      'in two halves, the second one first',
      record((builder) => {
        for (let line = 0; line < LINES; line++) plain(builder, (line + LINES / 2) % LINES);
      }),
      4,
    ],
  ])('%s are read whole, in few reads', async (_, bytes, maxReads) => {
    const { data, source } = await read(bytes);
    expect(data).toEqual(expected);
    expect(source.reads).toBeLessThanOrEqual(maxReads);
    expect(source.bytes).toBeLessThanOrEqual(bytes.length);
  });

  /** Where the chunk of a line begins. */
  const chunkOf = (bytes: Uint8Array, line: number) => Buffer.from(bytes.buffer).indexOf(`ImageDataSeq|${line}!`) - 16;
  const damaged = (line: number, damage: (view: DataView, bytes: Uint8Array) => void) => {
    const bytes = inOrder(plain);
    const at = chunkOf(bytes, line);
    damage(new DataView(bytes.buffer as ArrayBuffer, at), bytes.subarray(at));
    return bytes;
  };

  it.each<[string, Uint8Array, RegExp]>([
    ['another number', damaged(25, (view) => view.setUint8(16 + 14, 0x39)), /line 26 is not at byte/],
    ['another name', damaged(25, (view) => view.setUint8(16, 0x4a)), /line 26 is not at byte/],
    ['no magic number', damaged(25, (view) => view.setUint8(0, 0)), /line 26 is not at byte/],
    ['a name that ends in the pixels', damaged(25, (view) => view.setUint32(4, 8, true)), /line 26 is not at byte/],
    ['a name field beyond the file', damaged(25, (view) => view.setUint32(4, 2 ** 30, true)), /line 26 is not at byte/],
    [
      'too few bytes',
      damaged(25, (view) => view.setUint32(8, 8 + ROW_BYTES - 1, true)),
      /line 26 is truncated: 599 of 600 bytes/,
    ],
  ])('are refused when one of them has %s', async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toThrow(message);
  });
});
