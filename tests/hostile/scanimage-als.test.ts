import { describe, expect, it } from 'vitest';
import { openBytes } from '../support/memory.js';
import { alsMeta, alsSamples } from '../writers/scanimage.js';
import { honest, hostileCases, mutate, Witness } from './mutate.js';

const HEADER = 'scan.meta.txt';
const SAMPLES = 'scan.pmt.dat';
/** Three cycles of 12 samples of two channels. */
const FILES: Record<string, Uint8Array> = {
  [HEADER]: new TextEncoder().encode(
    alsMeta({
      'hChannels.channelSave': '[1;2]',
      'hScan2D.sampleRate': 2000,
      'hStackManager.framesPerSlice': 3,
      'hScan2D.lineScanSamplesPerFrame': 12,
    }),
  ),
  [SAMPLES]: alsSamples(Array.from({ length: 72 }, (_, i) => 1000 + 7 * i)),
};

/** Opens the pair by its samples; one of the files is another one. */
const openWith = (name: string, bytes: Uint8Array) => {
  const files = { ...FILES, [name]: bytes };
  return openBytes(SAMPLES, files[SAMPLES]!, { [HEADER]: files[HEADER]! });
};

describe('a corrupted line scan of ScanImage', () => {
  const cases = Math.ceil(hostileCases(10_000) / 2);

  it.each([HEADER, SAMPLES])(`is refused or opened, ${cases} times: %s`, { timeout: 3_600_000 }, async (name) => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < cases; i++) outcomes[await honest(i, () => openWith(name, mutate(FILES[name]!, i)))]++;
    expect(outcomes.opened).toBeGreaterThan(cases / 50);
    if (name === HEADER) expect(outcomes.refused).toBeGreaterThan(cases / 50);
  });

  it.each([HEADER, SAMPLES])('shows true planes when %s is truncated', async (name) => {
    const witness = await Witness.of(FILES[name]!, (bytes) => openWith(name, bytes));
    await witness.expectTrueCuts(FILES[name]!.keys());
  });
});
