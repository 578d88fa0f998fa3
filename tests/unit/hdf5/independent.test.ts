import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Dataset } from '../../../packages/readers/src/hdf5/dataset.js';
import { Hdf5File } from '../../../packages/readers/src/hdf5/file.js';
import { NativeTarget } from '../../../packages/readers/src/model/samples/plane-target.js';
import { openFileSource } from '../../../packages/server/src/platform-node/file-source.js';
import { planeOf } from '../../support/hdf5.js';

/** Files of scripts/make-hdf5.py. */
const folder = process.env.ACQSTORE_HDF5_DIR;
const all = folder === undefined ? ['none'] : readdirSync(folder).filter((name) => name.endsWith('.h5'));
const names = all.filter((name) => name !== 'random.h5');

describe.runIf(folder)('files of h5py (skipped without ACQSTORE_HDF5_DIR)', () => {
  it('reads random arrays with the checksums that h5py computed', { timeout: 600_000 }, async () => {
    const source = openFileSource(join(folder ?? '', 'random.h5'));
    const file = new Hdf5File(source);
    const wrong: string[] = [];
    for (const name of file.root.links.keys()) {
      const object = file.find(`/${name}`)!;
      const digest = await digestOf(object.dataset).catch((error: unknown) => String(error));
      if (digest !== object.text('sha256')) wrong.push(`${name}: ${digest}`);
    }
    expect(wrong).toEqual([]);
    expect(file.root.links.size).toBeGreaterThan(100);
    source.close();
  });

  it.each(names)('reads every array of %s', async (name) => {
    const source = openFileSource(join(folder ?? '', name));
    const file = new Hdf5File(source);
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

/** SHA-256 of an array of up to three dimensions, as little-endian samples in C order. */
async function digestOf(dataset: Dataset): Promise<string> {
  const { shape, sampleType } = dataset;
  const [row, column] = shape.length === 1 ? [undefined, 0] : [shape.length - 2, shape.length - 1];
  const hash = createHash('sha256');
  for (let i = 0; i < (shape.length === 3 ? shape[0]! : 1); i++) {
    const target = new NativeTarget(sampleType, row === undefined ? 1 : shape[row]!, shape[column]!);
    await dataset.readPlane(
      { row, column, at: shape.map((_, axis) => (axis === 0 && shape.length === 3 ? i : 0)) },
      target,
    );
    hash.update(new Uint8Array(target.data.buffer, target.data.byteOffset, target.data.byteLength));
  }
  return hash.digest('hex');
}

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
