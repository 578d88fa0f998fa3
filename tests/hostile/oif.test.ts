import { describe, expect, it } from 'vitest';
import { openBytes } from '../support/memory.js';
import { frames, lineScan } from '../support/oif.js';
import { oifFiles, roiText, writeOib } from '../writers/oif.js';
import { cutLengths, honest, hostileCases, mutate, Witness } from './mutate.js';

const LINE = lineScan({ roi: roiText(4, [0, 2, 3], [3, 1, 0]) });
const COMPOUND = [
  { name: 'line scan', bytes: writeOib(LINE) },
  { name: 'line scan in 4,096-byte sectors', bytes: writeOib(LINE, { version: 4 }) },
  { name: 'frames', bytes: writeOib(frames()) },
];

const openOib = (bytes: Uint8Array) => openBytes('damaged.oib', bytes);

/** Opens a set in memory with one corrupted file. */
function openDamagedSet(seed: number) {
  const files = new Map(oifFiles(LINE).map(({ name, bytes }) => [name, bytes]));
  const names = [...files.keys()];
  const victim = names[seed % names.length]!;
  files.set(victim, mutate(files.get(victim)!, seed));
  const planes = names.slice(1).map((name) => [`damaged.oif.files/${name}`, files.get(name)!] as const);
  return openBytes('damaged.oif', files.get(names[0]!)!, Object.fromEntries(planes));
}

describe('a corrupted OIF or OIB', () => {
  const cases = hostileCases();
  const perFile = Math.ceil((cases * 0.6) / COMPOUND.length);

  it.each(COMPOUND)(
    `refuses or opens ${perFile} corrupted compound files: $name`,
    { timeout: 3_600_000 },
    async ({ bytes }) => {
      const outcomes = { refused: 0, opened: 0 };
      for (let i = 0; i < perFile; i++) {
        outcomes[await honest(i, () => openOib(mutate(bytes, i)))]++;
      }
      expect(outcomes.opened).toBeGreaterThan(perFile / 10);
      expect(outcomes.refused).toBeGreaterThan(perFile / 10);
    },
  );

  it(`refuses or opens ${Math.ceil(cases * 0.4)} sets with a corrupted file`, { timeout: 3_600_000 }, async () => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < cases * 0.4; i++) outcomes[await honest(i, () => openDamagedSet(i))]++;
    expect(outcomes.opened).toBeGreaterThan(cases / 10);
  });

  it.each(COMPOUND)(
    'shows true planes when it is truncated at 64 places and around sectors: $name',
    async ({ bytes }) => {
      const around: number[] = [];
      for (let cut = 508; cut < Math.min(bytes.length, 20_000); cut += 512) around.push(cut, cut + 4, cut + 5);
      await (await Witness.of(bytes, openOib)).expectTrueCuts([...cutLengths(bytes, 64), ...around]);
    },
  );

  it.each(COMPOUND)(
    `shows true planes when a few bytes are changed, ${perFile} times: $name`,
    { timeout: 3_600_000 },
    async ({ bytes }) => {
      await (await Witness.of(bytes, openOib)).expectTrueChanges(perFile, 0.03);
    },
  );
});
