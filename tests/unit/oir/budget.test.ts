import { describe, expect, it } from 'vitest';
import { openScene, readScenePlane } from '../../../packages/readers/src/formats/oir/scene.js';
import { EntrySiblings } from '../../../packages/readers/src/io/entry-siblings.js';
import { Float32Target } from '../../../packages/readers/src/model/samples/plane-target.js';
import { CountingSource } from '../../support/counting-source.js';
import { SparseSource } from '../../support/sparse-source.js';
import { documentItems, frameName, framePropertiesXml, OirBuilder, type OirSpec } from '../../writers/oir.js';
import { lineScan, timeDepthSeries, timeSeries } from '../../writers/oir-kinds.js';

const ALONE = new EntrySiblings([], () => undefined);
const BAND = 11_264;
/** 46 bands of 11,264 bytes and one of 6,144. */
const BANDS = 47;
const PLANE = 512 * 512 * 2;

/** A recording whose pixels are holes, except for the bands at time `marked`, which are filled with their number. */
function hollowSeries(spec: OirSpec, frames: number, marked: number): { source: CountingSource; blocks: number } {
  const builder = new OirBuilder();
  for (let t = 0; t < frames; t++) {
    const at = { t, z: 0, lambda: 0 };
    builder.frameProperties(framePropertiesXml(spec, at));
    for (let n = 0; n < BANDS; n++) {
      for (const { id } of spec.channels) {
        const name = `${frameName(spec, at)}_${id}_${n}`;
        const bytes = Math.min(BAND, PLANE - n * BAND);
        if (t === marked) builder.band(name, n * BAND, new Uint8Array(new Uint16Array(bytes / 2).fill(n + 1).buffer));
        else builder.hollowBand(name, n * BAND, bytes);
      }
    }
    builder.block(5, new Uint8Array());
  }
  builder.documents(documentItems(spec, false));
  const { pieces, size } = builder.sparse();
  return { source: new CountingSource(new SparseSource('big.oir', size, pieces)), blocks: builder.offsets.length };
}

describe('opening a large OIR file', () => {
  it('reads the index, three tags per frame and the documents of a gigabyte of frames, then one plane', () => {
    const spec = { ...timeSeries(1000), channels: timeDepthSeries().channels };
    const { source, blocks } = hollowSeries(spec, 1000, 700);
    expect(source.size).toBeGreaterThan(1_000_000_000);
    expect(blocks).toBe(1000 * (1 + 2 * BANDS * 2 + 1) + 1);
    const scene = openScene(source, 'big.oir', ALONE);
    expect(scene.info.sizes).toEqual({ T: 1000, Z: 1, Y: 512, X: 512 });
    expect(scene.info.warnings).toEqual([]);
    const index = 8 * blocks;
    const documents = 20_000;
    // Of the first frame every tag is read; of the others the first and the last.
    expect(source.bytes).toBeLessThan(index + documents + 1000 * 3 * 128 + 2 * BANDS * 128);
    expect(source.reads).toBeLessThan(3 * 1000 + 200);
    source.reset();
    const target = new Float32Target(512, 512);
    readScenePlane(scene, { scene: 0, channel: 1, t: 700, z: 0 }, target);
    expect(target.data[0]).toBe(1);
    expect(target.data[262_143]).toBe(47);
    expect(source.bytes).toBeLessThan(PLANE + 2 * BANDS * 128 + 5000);
  });

  it('reads the tags of a line scan, and no pixels', () => {
    const spec = lineScan(30_000, 512, 512, { channels: timeDepthSeries().channels });
    const builder = new OirBuilder();
    builder.frameProperties(framePropertiesXml(spec, { t: 0, z: 0, lambda: 0 }));
    const band = 26 * 1024;
    const total = 30_000 * 1024;
    for (let at = 0, n = 0; at < total; at += band, n++) {
      for (const { id } of spec.channels) builder.hollowBand(`t001_0_1_${id}_${n}`, at, Math.min(band, total - at));
    }
    builder.documents(documentItems({ ...spec, reference: undefined as never }, false));
    const { pieces, size } = builder.sparse();
    const source = new CountingSource(new SparseSource('line.oir', size, pieces));
    const scene = openScene(source, 'line.oir', ALONE);
    expect(scene.info.sizes.Y).toBe(30_000);
    const tags = Math.ceil(total / band) * 2;
    expect(tags).toBe(2308);
    expect(source.bytes).toBeLessThan(2 * tags * 8 + tags * 128 + 30_000);
    source.reset();
    readScenePlane(scene, { scene: 0, channel: 0, t: 0, z: 0 }, new Float32Target(30_000, 512));
    expect(source.bytes).toBe(total);
  });
});
