/** Planes of integers give the same numbers as the same planes in float32. */

import { describe, expect, it } from 'vitest';
import { profileAt, profileOver } from '../../../packages/viewer/src/analysis/profile.ts';
import { autoRange } from '../../../packages/viewer/src/analysis/range.ts';
import { regionStats } from '../../../packages/viewer/src/analysis/region-stats.ts';
import { countStats } from '../../../packages/viewer/src/analysis/stats.ts';
import { firstRange } from '../../../packages/viewer/src/app/first-range.ts';
import { planeCsvParts } from '../../../packages/viewer/src/export/csv.ts';
import { npyParts } from '../../../packages/viewer/src/export/npy.ts';
import { tiffParts } from '../../../packages/viewer/src/export/tiff.ts';
import { cursorSample } from '../../../packages/viewer/src/image/readout.ts';
import type { Samples } from '../../../packages/viewer/src/model/samples.ts';
import fc from '../../support/fast-check.js';
import { testPane } from '../image/test-pane.ts';

const SHAPE = [13, 17] as const;
const LENGTH = SHAPE[0] * SHAPE[1];
const REGION = { rows: [2, 12], columns: [3, 16] } as const;
const pane = testPane({ shape: SHAPE, y: [0.002, 'seconds'], x: [0.5, 'micrometer'] });

const integers = (low: number, high: number) =>
  fc.array(fc.oneof(fc.integer({ min: low, max: high }), fc.constantFrom(low, high)), {
    minLength: LENGTH,
    maxLength: LENGTH,
  });
const planes: [string, fc.Arbitrary<Samples>][] = [
  ['uint8', integers(0, 255).map((values) => Uint8Array.from(values))],
  ['int8', integers(-128, 127).map((values) => Int8Array.from(values))],
  ['uint16', integers(0, 65_535).map((values) => Uint16Array.from(values))],
  ['int16', integers(-32_768, 32_767).map((values) => Int16Array.from(values))],
];

async function statistics(data: Samples) {
  const { percentile, countBelow, countAbove, ...stats } = await countStats(data);
  const middle = percentile(0.5);
  return {
    // Comparing 65,536 bins one by one takes seconds.
    ...{
      ...stats,
      bins: Buffer.from(stats.bins.buffer).toString('base64'),
      middle,
      ends: [percentile(0.01), percentile(0.99)],
    },
    ...{
      below: countBelow(middle),
      above: countAbove(middle),
      first: firstRange(data),
      auto: autoRange(await countStats(data)),
    },
    region: await regionStats(data, SHAPE, REGION),
    profiles: [await profileOver(data, SHAPE, REGION, 'row'), await profileOver(data, SHAPE, REGION, 'column')],
    lines: [[...profileAt(data, SHAPE, 'row', 5)], [...profileAt(data, SHAPE, 'column', 5)]],
  };
}

const axes = pane.plane.axes as unknown as Parameters<typeof tiffParts>[0]['axes'];

async function files(data: Samples): Promise<string[]> {
  const range = { min: 0, max: 9 };
  const parts = [
    npyParts(data, SHAPE),
    tiffParts({ data, shape: SHAPE, axes, range }),
    await planeCsvParts(data, SHAPE, axes as never),
  ];
  return Promise.all(parts.map(async (one) => Buffer.from(await new Blob(one).arrayBuffer()).toString('latin1')));
}

function readout(data: Samples) {
  pane.channels[0]!.data.value = data;
  pane.cursor.value = { row: 7.5, column: 11.2 };
  return cursorSample(pane);
}

describe.each(planes)('a plane of %s', (_, samples) => {
  it('has the statistics, profiles and readout of the same plane in float32', async () => {
    await fc.assert(
      fc.asyncProperty(samples, async (data) => {
        const floats = Float32Array.from(data);
        expect(await statistics(data)).toEqual(await statistics(floats));
        expect(readout(data)).toEqual(readout(floats));
      }),
      { numRuns: 5 },
    );
  });

  it('is saved with the bytes of its own type, and as the same text', async () => {
    const [data] = fc.sample(samples, 1) as [Samples];
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1');
    const [npy, tiff, csv] = await files(data);
    expect(npy?.endsWith(bytes)).toBe(true);
    expect(tiff?.includes(bytes)).toBe(true);
    expect(csv).toBe((await files(Float32Array.from(data)))[2]);
  });
});
