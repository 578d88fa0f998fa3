import { describe, expect, it } from 'vitest';
import { openChunkFile } from '../../../packages/readers/src/formats/nd2/chunk-file.js';
import { Float32Target } from '../../../packages/readers/src/model/samples/plane-target.js';
import { CountingSource } from '../../support/counting-source.js';
import { timeSeries } from '../../support/nd2.js';
import { SparseSource } from '../../support/sparse-source.js';
import { attributes, experiment, Nd2Builder, type Nd2Spec, picture, timeLoop } from '../../writers/nd2.js';
import { encodeLv } from '../../writers/nd2-tree.js';

const NAMES = picture({ channels: [{ name: 'GFP' }, { name: 'RFP' }] });

/** A recording whose pixels are holes, except for the frame `marked`, whose samples are all 7. */
function hollow(spec: Nd2Spec, frames: number, frameBytes: number, marked: number, withMap = true): CountingSource {
  const builder = new Nd2Builder();
  builder.chunk('ImageAttributesLV!', encodeLv(attributes({ ...spec, sequenceCount: frames })));
  builder.chunk('ImageMetadataLV!', encodeLv(experiment(timeLoop(frames, 10))));
  builder.chunk('ImageMetadataSeqLV|0!', encodeLv(spec.picture ?? NAMES));
  for (let n = 0; n < frames; n++) {
    const pixels = n === marked ? new Uint8Array(new Uint16Array(frameBytes / 2).fill(7).buffer) : undefined;
    builder.frame(n, 10 * n, pixels, frameBytes);
  }
  const times = Float64Array.from({ length: frames }, (_, n) => 10 * n);
  builder.chunk('CustomData|AcqTimesCache!', new Uint8Array(times.buffer));
  if (withMap) builder.map();
  return new CountingSource(new SparseSource('big.nd2', builder.size, builder.pieces));
}

describe('an ND2 file', () => {
  const frames = 5000;
  const spec = timeSeries({ width: 1024, height: 1024, picture: NAMES });
  const frameBytes = 1024 * 1024 * 2 * 2;
  // 14 to 18 bytes of name, 16 of offset and size.
  const map = frames * 34;

  it('of 20 GB opens by its map, descriptions and times, and a plane reads one frame', async () => {
    const source = hollow(spec, frames, frameBytes, 3210);
    expect(source.size).toBeGreaterThan(20_000_000_000);
    const opened = openChunkFile(source);
    expect(opened.info.scenes[0]?.sizes).toEqual({ T: 5000, Z: 1, Y: 1024, X: 1024 });
    expect(opened.info.scenes[0]?.steps.T.step).toBe(0.01);
    expect(source.bytes).toBeLessThan(map + frames * 8 + 8192);
    expect(source.reads).toBeLessThan(30);
    source.reset();
    const target = new Float32Target(1024, 1024);
    await opened.readPlane({ scene: 0, channel: 1, t: 3210, z: 0 }, target);
    expect([target.data[0], target.data[1024 * 1024 - 1]]).toEqual([7, 7]);
    // Both channels are interleaved; the header of the chunk comes with them.
    expect(source.bytes).toBeLessThanOrEqual(frameBytes + 64);
  });

  it('without a map opens by the header of each chunk', () => {
    const source = hollow(spec, frames, frameBytes, 3210, false);
    const opened = openChunkFile(source);
    expect(opened.info.scenes[0]?.sizes.T).toBe(5000);
    // Each chunk is looked at when the one before it ends and when it is its turn, and 4 MB for the signature of a map.
    expect(source.bytes).toBeLessThan(4 * 2 ** 20 + (frames + 8) * 2 * 64 + frames * 8 + 8192);
  });

  it('with a frame for each line is read once, many lines at a time', async () => {
    const lines = timeSeries({ width: 512, height: 1, picture: NAMES });
    const source = hollow(lines, 30_000, 2048, 29_999);
    const opened = openChunkFile(source);
    expect(opened.info.scenes[0]?.sizes).toEqual({ T: 1, Z: 1, Y: 30_000, X: 512 });
    expect(source.bytes).toBeLessThan(30_000 * (36 + 8) + 8192);
    source.reset();
    const targets = [0, 1].map(() => new Float32Target(30_000, 512));
    await opened.readChannels!({ scene: 0, t: 0, z: 0 }, [0, 1], targets);
    expect(targets.map(({ data }) => data.at(-1))).toEqual([7, 7]);
    // Two pages for each line.
    expect(source.bytes).toBeLessThan(30_000 * 8192);
    expect(source.reads).toBeLessThan(1000);
  });

  it('whose frame is larger than the file is refused before anything is allocated', async () => {
    const huge = timeSeries({ width: 2 ** 16, height: 2 ** 15, components: 1, picture: NAMES });
    const source = hollow(huge, 2, 4096, 0);
    expect(() => openChunkFile(source)).toThrow(/truncated before the end of the first row/);
  });

  it('stops opening when it is aborted', () => {
    const source = hollow(spec, 300, frameBytes, 0, false);
    expect(() => openChunkFile(source, AbortSignal.abort())).toThrow(expect.objectContaining({ name: 'AbortError' }));
  });

  it('whose chain of chunks breaks everywhere is searched in small blocks', () => {
    const builder = new Nd2Builder();
    builder.chunk('ImageAttributesLV!', encodeLv(attributes({ ...spec, sequenceCount: 1 })));
    const head = Buffer.alloc(24);
    head.writeUInt32LE(0x0abeceda, 0);
    head.writeUInt32LE(2, 4);
    head.write('a!', 16);
    const broken = Buffer.concat([builder.toBytes(), Buffer.concat(Array.from({ length: 1000 }, () => head))]);
    const source = new CountingSource(new Uint8Array(broken));
    expect(() => openChunkFile(source)).toThrow(/does not contain any frames/);
    expect(source.bytes).toBeLessThan(1000 * (4096 + 512) + 2 ** 20);
  });
});
