import { describe, expect, it } from 'vitest';
import { openBytes } from '../support/memory.js';
import { type OirSpec, writeOir, writeOirSet } from '../writers/oir.js';
import { lambdaScan, lineScan, stillImage, timeDepthSeries, timeSeries } from '../writers/oir-kinds.js';
import { oirVector } from '../writers/oir-vector.js';
import { writeZip } from '../writers/zip.js';
import { cutLengths, honest, hostileCases, mutate, Witness } from './mutate.js';

const small = (spec: OirSpec, side: number): OirSpec => ({ ...spec, width: side, height: side });
const [MAIN, PART] = writeOirSet(timeSeries(6, 6), [3, 3]) as [Uint8Array, Uint8Array];
const LINE = writeOir(lineScan(40, 6, 8, { bandBytes: 60 }));

/** Small files of every kind; `siblings` are complete. */
const SEEDS: { name: string; bytes: Uint8Array; siblings: Record<string, Uint8Array> }[] = [
  { name: 'vector.oir', bytes: oirVector(), siblings: {} },
  { name: 'line.oir', bytes: LINE, siblings: {} },
  { name: 'stack.oir', bytes: writeOir({ ...small(timeDepthSeries(), 6), t: 2, z: 2 }), siblings: {} },
  { name: 'lambda.oir', bytes: writeOir({ ...small(lambdaScan(), 4), z: 1, lambda: 3 }), siblings: {} },
  { name: 'still.oir', bytes: writeOir(stillImage(7)), siblings: {} },
  { name: 'rec.oir', bytes: MAIN, siblings: { rec_00001: PART } },
  { name: 'rec_00001', bytes: PART, siblings: { 'rec.oir': MAIN } },
];
const ARCHIVES = [false, true].map((deflate) =>
  writeZip([
    { name: 'a.oir', bytes: LINE, deflate },
    { name: 'rec.oir', bytes: MAIN, deflate },
    { name: 'rec_00001', bytes: PART, deflate },
  ]),
);

function opener(name: string, siblings: Record<string, Uint8Array>) {
  return (bytes: Uint8Array) => openBytes(name, bytes, siblings);
}

const openPoir = (bytes: Uint8Array) => openBytes('a.poir', bytes);

describe('a corrupted OIR file', () => {
  const cases = hostileCases();
  const perSeed = Math.ceil((cases * 0.9) / SEEDS.length);

  it.each(SEEDS)(`is refused or opened, ${perSeed} times: $name`, { timeout: 0 }, async (seed) => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < perSeed; i++) {
      outcomes[await honest(i, () => opener(seed.name, seed.siblings)(mutate(seed.bytes, i)))]++;
    }
    // Corrupted pixels and unused texts leave a file readable; corrupted headers do not.
    expect(outcomes.opened).toBeGreaterThan(perSeed / 4);
    expect(outcomes.refused).toBeGreaterThan(perSeed / 100);
  });

  it.each([
    ['stored', ARCHIVES[0]!],
    ['deflated', ARCHIVES[1]!],
  ])(
    `shows true planes from a corrupted archive, ${Math.ceil(cases * 0.05)} times: %s`,
    { timeout: 0 },
    async (_, archive) => {
      for (let i = 0; i < Math.ceil(cases * 0.05); i++) await honest(i, () => openPoir(mutate(archive, i)));
      const witness = await Witness.of(archive, openPoir);
      await witness.expectTrueCuts(cutLengths(archive, 32));
      await witness.expectTrueChanges(Math.ceil(cases * 0.05), 0.03);
    },
  );

  it.each(SEEDS)('shows true planes when it is truncated at every block: $name', async ({ name, bytes, siblings }) => {
    const witness = await Witness.of(bytes, opener(name, siblings));
    await witness.expectTrueCuts(cutLengths(bytes, 200));
  });

  it.each(SEEDS)(
    `shows true planes when a few bytes are changed, ${perSeed} times: $name`,
    { timeout: 0 },
    async (seed) => {
      await (await Witness.of(seed.bytes, opener(seed.name, seed.siblings))).expectTrueChanges(perSeed, 0.06);
    },
  );
});
