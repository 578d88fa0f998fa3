import { beforeAll, describe, expect, it } from 'vitest';
import { cutLengths, EDGE_VALUES, hostileCases, IS_LONG, mutate, randomNumbers } from './mutate.js';
import { type Fixture, tiffFixtures } from './tiff-fixtures.js';
import { firstPlanes, type Outcome, probeTiff } from './tiff-probe.js';

let fixtures: Fixture[] = [];
beforeAll(async () => {
  fixtures = await tiffFixtures();
});

/** Milliseconds after which a case counts as hanging; a server would have killed the worker long before. */
const HANG = 20_000;
/** Growth of the process above which memory does not count as bounded. */
const MOST_BYTES = 2 ** 30;

/** Outcomes by name; throws with the label of the first case that broke a rule. */
class Tally {
  readonly counts: Record<Outcome, number> = {
    read: 0,
    decode_failed: 0,
    companion_missing: 0,
    unsupported_format: 0,
    plane_too_large: 0,
  };
  cases = 0;

  async add(label: string, bytes: Uint8Array): Promise<Outcome> {
    const start = performance.now();
    let outcome: Outcome;
    try {
      outcome = await probeTiff(bytes);
    } catch (error) {
      throw new Error(`${label}: ${String(error)}`, { cause: error });
    }
    if (performance.now() - start > HANG) throw new Error(`${label}: took ${performance.now() - start} ms`);
    this.counts[outcome]++;
    this.cases++;
    return outcome;
  }
}

describe('damaged TIFF files', () => {
  it('are sound before they are damaged', async () => {
    const tally = new Tally();
    for (const { name, bytes } of fixtures) expect(await tally.add(name, bytes), name).toBe('read');
    expect(tally.cases).toBe(30);
  });

  it('cut at every 1/64: the true pixels or an error', async () => {
    const tally = new Tally();
    for (const { name, bytes } of fixtures) {
      const whole = await firstPlanes(bytes);
      for (const length of cutLengths(bytes, 64)) {
        const cut = bytes.slice(0, length);
        const label = `${name}, cut at ${length} of ${bytes.length}`;
        await tally.add(label, cut);
        const planes = await firstPlanes(cut);
        if (planes) expect(planes, label).toEqual(whole);
      }
    }
    expect(tally.cases).toBe(30 * (IS_LONG ? 64 : 16));
    expect(tally.counts.decode_failed).toBeGreaterThan(tally.cases * 0.3);
  });

  it('with an edge value in every field of every entry of the first IFD', async () => {
    const tally = new Tally();
    for (const { name, bytes, slow } of fixtures) {
      if (slow) continue;
      for (const { label, at, size } of entryFields(bytes)) {
        // In `npm test` a third of the values, others for each field.
        for (const value of EDGE_VALUES.filter((_, i) => IS_LONG || (i + at) % 3 === 0)) {
          const copy = bytes.slice();
          writeAt(copy, at, size, value);
          await tally.add(`${name}, ${label} = ${value}`, copy);
        }
      }
    }
    expect(tally.cases).toBeGreaterThan(IS_LONG ? 10_000 : 3_000);
  });

  it('with random changes', { timeout: 0 }, async () => {
    const before = process.resourceUsage().maxRSS;
    const wanted = hostileCases(10_000);
    const quick = fixtures.filter(({ slow }) => !slow);
    const slow = fixtures.filter((fixture) => fixture.slow);
    const tally = new Tally();
    for (let seed = 1; seed <= wanted; seed++) {
      const random = randomNumbers(seed * 7);
      const choices = random() < 0.05 ? slow : quick;
      const fixture = choices[Math.floor(random() * choices.length)] as Fixture;
      await tally.add(`seed ${seed}, ${fixture.name}`, mutate(fixture.bytes, seed));
      if (seed % 100_000 === 0) console.log(`${seed} cases: ${JSON.stringify(tally.counts)}`);
    }
    expect(tally.cases).toBe(wanted);
    // Both happen: the changes are neither too weak nor too strong to test anything.
    expect(tally.counts.read).toBeGreaterThan(wanted / 20);
    expect(tally.counts.decode_failed).toBeGreaterThan(wanted / 20);
    expect((process.resourceUsage().maxRSS - before) * 1024).toBeLessThan(MOST_BYTES);
  });
});

/** Type, count and value fields of the first IFD, found without the reader under test. */
function entryFields(bytes: Uint8Array): { label: string; at: number; size: 2 | 4 | 8 }[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const little = bytes[0] === 0x49;
  const big = view.getUint16(2, little) === 43;
  const ifd = big ? Number(view.getBigUint64(8, little)) : view.getUint32(4, little);
  const entries = big ? Number(view.getBigUint64(ifd, little)) : view.getUint16(ifd, little);
  const pointer = big ? 8 : 4;
  const fields: { label: string; at: number; size: 2 | 4 | 8 }[] = [];
  for (let i = 0; i < entries; i++) {
    const at = ifd + (big ? 8 + i * 20 : 2 + i * 12);
    const code = view.getUint16(at, little);
    fields.push({ label: `code of tag ${code}`, at, size: 2 }, { label: `type of tag ${code}`, at: at + 2, size: 2 });
    fields.push({ label: `count of tag ${code}`, at: at + 4, size: pointer });
    fields.push({ label: `value of tag ${code}`, at: at + 4 + pointer, size: pointer });
  }
  return fields;
}

function writeAt(bytes: Uint8Array, at: number, size: 2 | 4 | 8, value: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const little = bytes[0] === 0x49;
  if (size === 2) view.setUint16(at, value & 0xffff, little);
  else if (size === 4) view.setUint32(at, value, little);
  else view.setBigUint64(at, BigInt(value), little);
}
