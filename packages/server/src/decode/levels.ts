import { countLevelSamples, halve, levelShapes } from '@acquisition-store/readers/derive/zarr/levels.js';
import { type BlockSource, BlockTarget } from '@acquisition-store/readers/model/samples/block-target.js';
import type { NativeTarget } from '@acquisition-store/readers/model/samples/plane-target.js';

/** Puts the reduced levels of a plane, one after the other, into one column of samples. */
export function putLevels({ data, rows, columns }: NativeTarget, blocks: BlockSource): void {
  const levels = levelShapes(rows, columns);
  const count = countLevelSamples(levels);
  const target = new BlockTarget({ rows: count, columns: 1, band: { first: 0, count } }, blocks);
  let row = 0;
  let above = { samples: data, rows, columns };
  for (const level of levels.slice(1)) {
    const samples = halve(above.samples, above.rows, above.columns);
    target.put({ samples, offset: 0, rowStride: 1, columnStride: 1 }, row, 0, samples.length, 1);
    row += samples.length;
    above = { samples, ...level };
  }
  target.finish();
}
