import { describe, expect, it } from 'vitest';
import { openBytes } from '../support/memory.js';
import { type NdtiffSpec, writeNdtiff } from '../writers/ndtiff.js';
import { cutLengths, honest, hostileCases, mutate, Witness } from './mutate.js';

const frames = (count: number) => Array.from({ length: count }, (_, i) => i);
const SETS: { name: string; spec: NdtiffSpec }[] = [
  {
    name: 'T and C',
    spec: {
      summary: { PixelSize_um: 0.5, Interval_ms: 100 },
      images: frames(6).map((i) => ({
        axes: { time: i >> 1, channel: i % 2 ? 'GFP' : 'DAPI' },
        ...{ width: 5, height: 4, samples: Uint16Array.from({ length: 20 }, (_, k) => 100 * i + k + 1) },
        metadata: { 'ElapsedTime-ms': 100 * (i >> 1) },
      })),
    },
  },
  {
    name: 'positions and Z',
    spec: {
      images: frames(4).map((i) => ({
        axes: { position: `Pos${i >> 1}`, z: i % 2 },
        ...{ width: 5, height: 4, samples: Uint8Array.from({ length: 20 }, (_, k) => 40 * i + k + 1) },
      })),
    },
  },
];

const TIFF = 'a_NDTiffStack.tif';

/** Opens a set in memory, by its index; one of its files is another one. */
function openWith(spec: NdtiffSpec, name: string, bytes: Uint8Array) {
  const { 'NDTiff.index': index, ...others } = { ...writeNdtiff(spec), [name]: bytes };
  return openBytes('NDTiff.index', index!, others);
}

describe('a corrupted NDTiff set', () => {
  const cases = Math.ceil(hostileCases(8_000) / SETS.length / 2);

  describe.each(SETS)('of $name', ({ spec }) => {
    it.each(['NDTiff.index', TIFF])(
      `is refused or opened, ${cases} times: %s`,
      { timeout: 3_600_000 },
      async (name) => {
        const whole = writeNdtiff(spec)[name]!;
        const outcomes = { refused: 0, opened: 0 };
        for (let i = 0; i < cases; i++) outcomes[await honest(i, () => openWith(spec, name, mutate(whole, i)))]++;
        expect(outcomes.opened).toBeGreaterThan(cases / 20);
      },
    );

    it.each(['NDTiff.index', TIFF])('shows true planes when %s is truncated or changed', async (name) => {
      const whole = writeNdtiff(spec)[name]!;
      const witness = await Witness.of(whole, (bytes) => openWith(spec, name, bytes));
      await witness.expectTrueCuts(cutLengths(whole, 64));
      // Nothing contradicts another name or number of an axis where no metadata are read.
      await witness.expectTrueChanges(Math.ceil(cases / 3), 0.1);
    });
  });
});
