import { describe, expect, it } from 'vitest';
import { openBytes } from '../support/memory.js';
import { writeMat5 } from '../writers/matlab.js';
import { type ScanboxSpec, writeScanbox } from '../writers/scanbox.js';
import { cutLengths, EDGE_VALUES, honest, hostileCases, mutate, Witness } from './mutate.js';

const RECORDINGS: { name: string; spec: ScanboxSpec }[] = [
  { name: 'MATLAB 5', spec: { channels: 2, mat: { compressed: false } } },
  { name: 'compressed MATLAB 5', spec: { version: 2, planes: 2, frames: 4 } },
  { name: 'MATLAB 7.3', spec: { mat: '7.3' } },
];

function recording(files: Record<string, Uint8Array>) {
  const { 'scan.sbx': samples, ...beside } = files;
  return openBytes('scan.sbx', samples!, beside);
}

describe.each(RECORDINGS)('a corrupted Scanbox recording with settings of $name', ({ name, spec }) => {
  const files = writeScanbox(spec);
  const cases = Math.ceil(hostileCases(6_000) / 3);
  const change = (name: string, bytes: Uint8Array) => recording({ ...files, [name]: bytes });

  it(`is refused or opened, ${cases} times`, { timeout: 3_600_000 }, async () => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < cases; i++) {
      const bytes = mutate(new Uint8Array(files['scan.mat']!), i);
      outcomes[await honest(i, () => change('scan.mat', bytes))]++;
    }
    // What is compressed has a checksum.
    expect(outcomes.opened).toBeGreaterThan(name === 'compressed MATLAB 5' ? 0 : cases / 50);
    expect(outcomes.refused).toBeGreaterThan(0);
  });

  it.each(['scan.mat', 'scan.sbx'])('shows true planes when %s is truncated', async (file) => {
    const whole = files[file]!;
    const witness = await Witness.of(whole, (bytes) => change(file, bytes));
    await witness.expectTrueCuts(cutLengths(whole, 256));
  });
});

describe('settings with impossible values', () => {
  const FIELDS = ['sz', 'fold_lines', 'channels', 'recordsPerBuffer', 'resfreq', 'scanmode', 'otwave', 'otparam'];

  it.each(FIELDS)('are refused or opened: %s', async (name) => {
    for (const value of [...EDGE_VALUES, -1, 0.5, 1e300, Number.NaN, Number.POSITIVE_INFINITY]) {
      for (const values of [
        [value, 6],
        [4, value, value],
      ]) {
        const info = { [name]: values, volscan: 1 };
        await honest(`${name} ${value}`, () => recording(writeScanbox({ version: 2, info })));
      }
    }
  });

  it('take no more memory than their limit when they decompress to more', async () => {
    const huge = writeMat5('info', { fields: { sz: [4, 6], x: Array(1_000_000).fill(0) } });
    expect(huge.length).toBeLessThan(20_000);
    await honest('2 MB', () => recording({ ...writeScanbox(), 'scan.mat': huge }));
    const more = writeMat5('info', { fields: { sz: [4, 6], x: Array(9_000_000).fill(0) } });
    expect(await honest('18 MB', () => recording({ ...writeScanbox(), 'scan.mat': more }))).toBe('refused');
  });

  it('are refused when structs are nested too deep, or have too many fields', async () => {
    let deep: Parameters<typeof writeMat5>[1] = 1;
    for (let i = 0; i < 50; i++) deep = { fields: { a: deep } };
    const withField = (field: Parameters<typeof writeMat5>[1]) =>
      recording({ ...writeScanbox(), 'scan.mat': writeMat5('info', { fields: { sz: [4, 6], field } }) });
    expect(await honest('deep', () => withField(deep))).toBe('refused');
    expect(await honest('many', () => withField({ cell: Array(20_000).fill(1) }))).toBe('refused');
  });
});
