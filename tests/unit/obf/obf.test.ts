import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openInstead, sniff } from '../../../packages/readers/src/formats/obf/magic.js';
import { MetadataList } from '../../../packages/readers/src/model/metadata-list.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { openBytes, samplesOf } from '../../support/memory.js';
import { readNative } from '../../support/native.js';
import { type ObfAxisSpec, type ObfStackSpec, writeObf } from '../../writers/obf.js';

const counting = (count: number) => Uint16Array.from({ length: count }, (_, i) => 100 + i);
const X: ObfAxisSpec = { size: 4, label: 'ExpControl X', length: 4e-7 };
const Y: ObfAxisSpec = { size: 3, label: 'ExpControl Y', length: 6e-7 };
const Z: ObfAxisSpec = { size: 2, label: 'ExpControl Z', length: 1e-6 };
const T: ObfAxisSpec = { size: 5, label: 'T', length: 0.01, unit: 's' };
const stack = (axes: ObfAxisSpec[], over: Partial<ObfStackSpec> = {}): ObfStackSpec => ({
  axes,
  samples: over.samples ?? counting(axes.reduce((product, { size }) => product * size, 1)),
  ...over,
});
const open = (...stacks: ObfStackSpec[]) => openBytes('a.obf', writeObf({ stacks, description: 'made by a test' }));
const sceneOf = async (...stacks: ObfStackSpec[]) => (await open(...stacks)).info.scenes[0]!;

describe('an OBF file', () => {
  it.each([false, true])('has its stacks as scenes, the first axis fastest, packed %s', async (packed) => {
    const opened = await open(stack([X, Y, Z], { packed }), stack([X, Y], { packed, name: 'Ch1' }));
    expect(opened.info.scenes.map(({ name, sizes }) => [name, sizes])).toEqual([
      ['Ch1', { T: 1, Z: 2, Y: 3, X: 4 }],
      ['Ch1 (2)', { T: 1, Z: 1, Y: 3, X: 4 }],
    ]);
    const { steps, warnings } = opened.info.scenes[0]!;
    expect([steps.X.step, steps.Y.step, steps.Z.step, steps.Z.unit]).toEqual([0.1, 0.2, 0.5, 'micrometer']);
    expect(warnings).toEqual([]);
    expect([...(await samplesOf(opened, { z: 1 }))]).toEqual([...counting(24).slice(12)]);
    expect([...(await samplesOf(opened, { scene: 1 }))]).toEqual([...counting(12)]);
  });

  it('has the rows of a line scan in time', async () => {
    const opened = await open(stack([X, { size: 1 }, T]));
    const { sizes, steps } = opened.info.scenes[0]!;
    expect(sizes).toEqual({ T: 1, Z: 1, Y: 5, X: 4 });
    expect(steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
    expect([...(await samplesOf(opened))]).toEqual([...counting(20)]);
  });

  it('has depths as rows of an x–z scan, and its frames over time', async () => {
    const opened = await open(stack([X, Z, T]));
    const { sizes, rowAxis, steps } = opened.info.scenes[0]!;
    expect([sizes, rowAxis]).toEqual([{ T: 5, Z: 1, Y: 2, X: 4 }, 'z']);
    expect([steps.Y.step, steps.T.step]).toEqual([0.5, 0.002]);
    expect([...(await samplesOf(opened, { t: 3 }))]).toEqual([...counting(40).slice(24, 32)]);
  });

  it('finds columns that are not the fastest axis', async () => {
    const opened = await open(stack([Y, X]));
    expect([...(await samplesOf(opened))].slice(0, 5)).toEqual([100, 103, 106, 109, 101]);
  });

  it('has colors, and the entries of other axes as channels', async () => {
    const rgb = { axes: [X, Y], samples: Uint8Array.from({ length: 36 }, (_, i) => i), type: 1024 };
    const opened = await open(rgb, stack([X, Y, { size: 2, label: 'SPCM 1 dt', unit: 's', length: 1e-8 }]));
    const [color, lifetimes] = opened.info.scenes;
    expect(color?.channels.map(({ name }) => name)).toEqual(['Red', 'Green', 'Blue']);
    expect([...(await samplesOf(opened, { channel: 2 }))].slice(0, 3)).toEqual([2, 5, 8]);
    expect(lifetimes?.channels.map(({ name }) => name)).toEqual(['SPCM 1 dt 1', 'SPCM 1 dt 2']);
    expect(lifetimes?.warnings).toEqual([expect.stringMatching(/^The axis SPCM 1 dt is neither space nor time/)]);
    expect([...(await samplesOf(opened, { scene: 1, channel: 1 }))][0]).toBe(112);
  });

  it('counts the entries of two other axes together, the first one fastest', async () => {
    const opened = await open(stack([X, { size: 2, label: 'A' }, Y, { size: 3, label: 'B' }]));
    expect(opened.info.scenes[0]!.channels).toHaveLength(6);
    // A 1 and B 2: behind one row, and behind two blocks of 24 samples.
    expect([...(await samplesOf(opened, { channel: 5 }))].slice(0, 5)).toEqual([152, 153, 154, 155, 160]);
  });

  it('measures an axis by the positions of its entries', async () => {
    const scene = await sceneOf(stack([X, Y, { ...T, positions: [0, 0.003, 0.006, 0.009, 0.012] }]));
    expect(scene.steps.T.step).toBeCloseTo(0.003, 9);
    expect(scene.warnings).toEqual([
      'T step: the length of the axis says 0.002 s, but the positions of its entries are 0.003 s apart. Showing 0.003 s.',
    ]);
    expect(scene.coordinates?.T?.values).toHaveLength(5);
  });

  it.each([false, true])('puts the pieces of interleaved stacks together, packed %s', async (packed) => {
    const pieces = stack([X, Y, Z], { version: 6, pieceBytes: packed ? 9 : 10, packed });
    expect([...(await samplesOf(await open(pieces), { z: 1 }))]).toEqual([...counting(24).slice(12)]);
  });

  it.each([false, true])('has zeros, and says so, where a recording was stopped, packed %s', async (packed) => {
    const opened = await open(stack([X, Y, Z], { version: 6, written: 17, packed }));
    expect([...(await samplesOf(opened, { z: 1 }))]).toEqual([112, 113, 114, 115, 116, 0, 0, 0, 0, 0, 0, 0]);
    expect(opened.info.scenes[0]!.warnings).toEqual([
      'The recording was stopped after 17 samples of 24. The others are zeros.',
    ]);
  });

  it('says what it assumes about axes without names or units', async () => {
    const { sizes, steps, warnings } = await sceneOf(stack([X, Y], { version: 0 }));
    expect([sizes.Y, steps.X.step]).toEqual([3, 0.1]);
    expect(warnings[0]).toBe(
      'The description of the axes cannot be read. Dimensions were assumed to be X, Y, Z and T.',
    );
    expect(warnings[1]).toMatch(
      /does not state the unit of the Y axis\. Its length, 6e-7, was assumed to be in meters/,
    );
    const large = await sceneOf(stack([{ ...X, unit: 'none', length: 40 }, Y]));
    expect([large.steps.X.step, large.warnings]).toEqual([10, [expect.stringMatching(/assumed to be in micrometers/)]]);
    const wrong = await sceneOf(stack([X, Y, { ...T, unit: 'm' }]));
    expect([wrong.steps.T.unit, wrong.warnings]).toEqual(['Frames', [expect.stringMatching(/is not a time/)]]);
  });

  it('has the other stacks when one cannot be read', async () => {
    const opened = await open(stack([X, Y], { type: 2 ** 30 + 64 }), stack([X, Y], { name: 'good' }));
    expect(opened.info.scenes.map(({ name }) => name)).toEqual(['good']);
    expect(opened.info.scenes[0]!.warnings).toEqual([expect.stringMatching(/^Stack 1 was skipped: complex numbers/)]);
    await expect(open(stack([X, Y], { type: 3 }))).rejects.toThrow('a.obf: samples of type 3 are not supported');
  });

  it('lists descriptions and tags', async () => {
    const doc = '<doc><ExpControl><scan>7</scan></ExpControl></doc>';
    const opened = await open(stack([X, Y], { description: '<root/>', tags: { imspector: doc } }));
    const list = new MetadataList();
    await opened.listMetadata!(0, list);
    const entries = Object.fromEntries(list.result().entries.map(({ name, value }) => [name, value]));
    expect(entries).toMatchObject({ Name: 'Ch1', 'Axis 1': 'ExpControl X', 'imspector/ExpControl/scan': '7' });
  });

  it('is known by its first bytes; other MSR files are sent to Imspector', async () => {
    const probe = { name: 'a', kind: 'file' as const, entries: [], size: 10 };
    expect(sniff({ ...probe, head: writeObf({ stacks: [stack([X])] }) })).toBe('sure');
    expect(sniff({ ...probe, head: new Uint8Array(10) })).toBe(false);
    expect(openInstead({ ...probe, name: 'a.msr', head: new Uint8Array() })).toMatch(/save it as OBF/);
    await expect(openBytes('a.msr', Uint8Array.of(1, 2, 3))).rejects.toThrow('a.msr is not an MSR file of today');
  });

  it('ends a list of stacks that runs in circles, and a small file never takes much memory', async () => {
    const bytes = writeObf({ stacks: [stack([X, Y]), stack([X, Y])] });
    const first = 26 + 'made'.length - 4;
    const circle = bytes.slice();
    const second = circle.length - (circle.length - first) / 2;
    new DataView(circle.buffer).setBigUint64(second + 360, BigInt(first), true);
    const { info } = await openBytes('a.obf', circle);
    expect(info.scenes).toHaveLength(2);
    const huge = stack(
      [
        { ...X, size: 2 ** 15 },
        { ...Y, size: 2 ** 14 },
      ],
      { samples: counting(8), packed: true },
    );
    const opened = await open(huge);
    const target = { rows: 2 ** 14, columns: 2 ** 15, put: () => {} };
    await expect(opened.readPlane({ scene: 0, channel: 0, t: 0, z: 0 }, target)).rejects.toThrow(
      /the samples end after 16 of/,
    );
  });
});

const VECTOR = resolve('../shared/samples-next/vectors/tiny.obf');

describe.runIf(existsSync(VECTOR))('the file of the fact sheet', () => {
  it('has what obffile and msr-reader read from it', async () => {
    const opened = await openAcquisition(VECTOR);
    const [volume, line] = opened.acquisition.info.scenes;
    expect([volume?.name, volume?.sizes, volume?.sampleType]).toEqual(['Ch1', { T: 1, Z: 2, Y: 3, X: 4 }, 'uint16']);
    expect([volume?.steps.X.step, volume?.steps.Y.step, volume?.steps.Z.step]).toEqual([0.1, 0.1, 0.5]);
    expect([line?.name, line?.sizes]).toEqual(['line', { T: 1, Z: 1, Y: 5, X: 4 }]);
    expect([line?.steps.Y.step, line?.steps.Y.unit, line?.steps.X.step]).toEqual([0.002, 'seconds', 0.1]);
    expect([...(await readNative(opened, 0, { channel: 0, z: 1 }))]).toEqual(
      Array.from({ length: 12 }, (_, i) => 12 + i),
    );
    expect([...(await readNative(opened, 1, { channel: 0 }))]).toEqual(Array.from({ length: 20 }, (_, i) => 100 + i));
    opened.close();
  });
});
