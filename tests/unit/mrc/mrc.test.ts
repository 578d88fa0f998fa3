import { describe, expect, it } from 'vitest';
import { findByteOrder, sniff } from '../../../packages/readers/src/formats/mrc/magic.js';
import { openBytes, samplesOf } from '../../support/memory.js';
import { type MrcSpec, writeMrc } from '../../writers/mrc.js';

const SPEC: MrcSpec = { type: 'int16', size: [3, 2, 2], samples: [-1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -32_768] };
const sceneOf = async (spec: Partial<MrcSpec>) =>
  (await openBytes('a.mrc', writeMrc({ ...SPEC, ...spec }))).info.scenes[0]!;
const probe = (head: Uint8Array, name = 'a.mrc') => ({
  name,
  kind: 'file' as const,
  head,
  entries: [],
  size: head.length,
});

describe('an MRC file', () => {
  it.each([false, true])('has its samples in either byte order: big-endian %s', async (bigEndian) => {
    for (const type of ['int8', 'uint8', 'int16', 'uint16', 'float32'] as const) {
      const samples = SPEC.samples as number[];
      const file = writeMrc({ ...SPEC, type, bigEndian, extended: new Uint8Array(7) });
      const opened = await openBytes('a.mrc', file);
      expect(opened.info.scenes[0]!.sampleType).toBe(type);
      const read = await samplesOf(opened, { z: 1 });
      expect([...read]).toEqual([...new (read.constructor as typeof Int16Array)(samples.slice(6))]);
    }
    // 0x3c00 is 1, 0xc000 is −2, 0x0001 is the smallest.
    const half = writeMrc({ type: 'float16', size: [3, 1, 1], samples: [0x3c00, 0xc000, 1], bigEndian });
    expect([...(await samplesOf(await openBytes('a.mrc', half)))]).toEqual([1, -2, 2 ** -24]);
  });

  it('has steps in micrometers, of the axis of the cell that runs along each axis of the file', async () => {
    const plain = await sceneOf({ cell: [6, 5, 40], intervals: [3, 2, 2] });
    expect([plain.steps.X, plain.steps.Y, plain.steps.Z].map(({ step }) => step)).toEqual([2e-4, 2.5e-4, 2e-3]);
    // A light microscope has no steps below a nanometer; this one has.
    expect(plain.warnings).toEqual([]);
    const turned = await sceneOf({ cell: [6, 5, 40], intervals: [2, 2, 3], axes: [3, 1, 2] });
    expect(turned.steps.X.step).toBeCloseTo(40e-4 / 3, 12);
    expect([turned.steps.Y.step, turned.steps.Z.step]).toEqual([3 * 1e-4, 2.5e-4]);
    expect(turned.warnings.join()).toContain('Columns run along z of the cell, rows along x and sections along y');
    expect((await sceneOf({})).steps.X).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
  });

  it('has frames, sections, or several volumes', async () => {
    expect((await sceneOf({})).sizes).toEqual({ T: 1, Z: 2, Y: 2, X: 3 });
    expect((await sceneOf({ spaceGroup: 0, intervals: [3, 2, 1] })).sizes).toEqual({ T: 2, Z: 1, Y: 2, X: 3 });
    expect((await sceneOf({ spaceGroup: 401, size: [3, 1, 4], intervals: [3, 1, 2] })).sizes).toEqual({
      T: 2,
      Z: 2,
      Y: 1,
      X: 3,
    });
  });

  it('is refused with complex samples, and says which sections are missing', async () => {
    await expect(sceneOf({ mode: 4 })).rejects.toThrow(
      'a.mrc: mode 4 (complex floats) is not supported. Convert the file to mode 2',
    );
    const { info } = await openBytes('a.mrc', writeMrc(SPEC).subarray(0, 1024 + 20));
    expect(info.scenes[0]!.warnings).toEqual(['The file ends after 1 of 2 sections. Copy it again.']);
  });

  it('is read in the order of its machine stamp when it makes sense in both', () => {
    // The same number in both orders, mode 0, and no axes.
    const head = writeMrc({ ...SPEC, size: [16_777_217, 16_777_217, 16_777_217], mode: 0, axes: [0, 0, 0] });
    expect(findByteOrder(head)).toBe(true);
    head[212] = 0x11;
    expect(findByteOrder(head)).toBe(false);
  });

  it('is recognized by its signature; without one, by its header and its name', () => {
    expect(sniff(probe(writeMrc(SPEC), 'a.bin'))).toBe('sure');
    expect(sniff(probe(writeMrc({ ...SPEC, isOld: true, bigEndian: true })))).toBe('maybe');
    expect(sniff(probe(writeMrc({ ...SPEC, isOld: true }), 'a.bin'))).toBe(false);
    expect(sniff(probe(writeMrc({ ...SPEC, axes: [1, 1, 3] })))).toBe(false);
  });
});
