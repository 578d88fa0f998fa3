import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Hdf5File } from '../../../src/hdf5/file.js';
import { openFileSource } from '../../../src/io/byte-source.js';
import { planeOf } from '../../support/hdf5.js';

/** Files of scripts/make-hdf5.py. */
const folder = process.env.ACQSTORE_HDF5_DIR;
const names = folder === undefined ? ['none'] : readdirSync(folder).filter((name) => name.endsWith('.h5'));

describe.runIf(folder)('files of an independent writer', () => {
  it.each(names)('%s', async (name) => {
    const source = openFileSource(join(folder ?? '', name));
    const file = new Hdf5File(source, name);
    const arrays = file.find('/arrays');
    expect(arrays?.links.size).toBeGreaterThan(20);
    for (const array of arrays?.links.keys() ?? []) await expectCounting(file, `/arrays/${array}`);
    const many = file.find('/many');
    expect(many?.links.size).toBe(3000);
    for (let i = 0; i < 300; i++) expect(many?.text(`a${i}`)).toBe(`value ${i} µ`);
    expect(many?.text('long')).toHaveLength(60_000);
    if (!/^(earliest|user)/.test(name)) expect(many?.attribute('huge')?.numbers?.[199_999]).toBe(199_999);
    expect((await file.find('/texts')?.dataset.values())?.texts?.[4999]).toBe('text 4999 '.repeat(20));
    source.close();
  });
});

/** Planes of an array that holds 0, 1, 2, … in all three directions. */
async function expectCounting(file: Hdf5File, path: string): Promise<void> {
  const [Z = 0, Y = 0, X = 0] = file.find(path)?.dataset.shape ?? [];
  const value = (z: number, y: number, x: number) => (z * Y + y) * X + x;
  for (const z of [0, 1, 2, 17, 999, 1023, 1024, 2047, 4095, 4999].filter((index) => index < Z)) {
    const rows = Array.from({ length: Y * X }, (_, i) => value(z, Math.floor(i / X), i % X));
    expect(await planeOf(file, path, { row: 1, column: 2, at: [z, 0, 0] }), `${path} ${z}`).toEqual(rows);
    const turned = Array.from({ length: Y * X }, (_, i) => value(z, i % Y, Math.floor(i / Y)));
    expect(await planeOf(file, path, { row: 2, column: 1, at: [z, 0, 0] }), `${path} ${z}`).toEqual(turned);
  }
  const across = Array.from({ length: Z * X }, (_, i) => value(Math.floor(i / X), 1, i % X));
  expect(await planeOf(file, path, { row: 0, column: 2, at: [0, 1, 0] }), path).toEqual(across);
}
