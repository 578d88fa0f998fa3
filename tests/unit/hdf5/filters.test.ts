import { describe, expect, it } from 'vitest';
import { chunkDecoder } from '../../../packages/readers/src/hdf5/filters.js';
import { random } from '../../support/differential.js';
import { FILTER_VECTORS, type FilterVector, VECTOR_VALUES } from '../../writers/hdf5-filter-vectors.js';

const WIDTHS = { uint16: 2, int16: 2, uint32: 4, float32: 4, uint64: 8, int64: 8, float64: 8 };

describe('HDF5 filters', () => {
  it.each(FILTER_VECTORS)('decodes a chunk of $name', async (vector) => {
    const bytes = await decode(vector, Buffer.from(vector.chunk, 'base64'));
    const expected = Array.from({ length: VECTOR_VALUES }, (_, i) => vector.scale * countAt(i) + vector.offset);
    expect(numbersOf(vector, bytes)).toEqual(expected);
  });

  it.each(FILTER_VECTORS)('refuses a truncated chunk of $name', async (vector) => {
    const chunk = Buffer.from(vector.chunk, 'base64');
    // The last bits of a chunk may be padding; half of it never is.
    for (const length of [0, 3, 11, 20, Math.floor(chunk.length / 2)]) {
      await expect(decode(vector, chunk.subarray(0, length))).rejects.toMatchObject({ code: 'decode_failed' });
    }
  });

  it.each(FILTER_VECTORS)(
    'decodes or refuses a chunk of $name with random bytes, with the right size or code',
    async (vector) => {
      const chunk = Buffer.from(vector.chunk, 'base64');
      const next = random(7);
      for (let i = 0; i < 200; i++) {
        const changed = Buffer.from(chunk);
        for (let n = 0; n < 3; n++) changed[Math.floor(next() * chunk.length)] = Math.floor(next() * 256);
        const result = await decode(vector, changed).catch((error: unknown) => error);
        if (result instanceof Uint8Array) expect(result.length).toBe(VECTOR_VALUES * WIDTHS[vector.type]);
        else expect(result).toMatchObject({ code: 'decode_failed' });
      }
    },
  );

  it.each(FILTER_VECTORS)('decodes or refuses $name with random parameters', async (vector) => {
    const chunk = Buffer.from(vector.chunk, 'base64');
    const next = random(11);
    for (let i = 0; i < 200; i++) {
      const values = [...vector.filter.values];
      values[Math.floor(next() * values.length)] = Math.floor(next() * (i % 2 === 0 ? 40 : 2 ** 32));
      const changed = { ...vector, filter: { ...vector.filter, values } };
      const result = await decode(changed, chunk).catch((error: unknown) => error);
      if (!(result instanceof Uint8Array))
        expect(['decode_failed', 'unsupported_format']).toContain((result as { code: string }).code);
    }
  });
});

async function decode({ filter, type }: FilterVector, chunk: Uint8Array): Promise<Uint8Array> {
  const layout = { filters: [{ ...filter, name: '' }], chunkBytes: VECTOR_VALUES * WIDTHS[type] };
  return (await chunkDecoder(layout, 'vector'))(chunk, 0, 'vector');
}

function countAt(i: number): number {
  return (7 * i + Math.floor(i / 9)) % 251;
}

function numbersOf({ type, bigEndian }: FilterVector, bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = (i: number): number => {
    if (type === 'uint16') return view.getUint16(i, !bigEndian);
    if (type === 'int16') return view.getInt16(i, !bigEndian);
    if (type === 'uint32') return view.getUint32(i, !bigEndian);
    if (type === 'float32') return view.getFloat32(i, !bigEndian);
    if (type === 'float64') return view.getFloat64(i, !bigEndian);
    return Number(type === 'int64' ? view.getBigInt64(i, !bigEndian) : view.getBigUint64(i, !bigEndian));
  };
  return Array.from({ length: VECTOR_VALUES }, (_, i) => at(i * WIDTHS[type]));
}
