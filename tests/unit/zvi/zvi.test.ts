import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sniff } from '../../../packages/readers/src/formats/zvi/magic.js';
import { MetadataList } from '../../../packages/readers/src/model/metadata-list.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { openBytes, samplesOf } from '../../support/memory.js';
import { readNative } from '../../support/native.js';
import { frames as oifFrames } from '../../support/oif.js';
import { loadEncoders } from '../../writers/codecs.js';
import { writeOib } from '../../writers/oif.js';
import { writeOle } from '../../writers/ole.js';
import { date, double, int, text, writeZvi, type ZviPlaneSpec, type ZviSpec } from '../../writers/zvi.js';

const ramp = (length: number, start = 0) => Uint8Array.from({ length }, (_, i) => (start + 7 * i) & 255);
const SPEC: ZviSpec = { type: 'uint16', size: [3, 2], planes: [{ pixels: ramp(12) }] };
const open = (spec: Partial<ZviSpec>) => openBytes('a.zvi', writeZvi({ ...SPEC, ...spec }));
const sceneOf = async (spec: Partial<ZviSpec>) => (await open(spec)).info.scenes[0]!;
/** A plane whose samples are all one number. */
const flat = (value: number, rest: Partial<ZviPlaneSpec> = {}): ZviPlaneSpec => ({
  pixels: new Uint8Array(Uint16Array.from({ length: 6 }, () => value).buffer),
  ...rest,
});
const MICROMETERS = { 769: double(0.25), 770: int(76), 772: double(0.5), 773: int(76), 775: double(2), 776: int(76) };

describe('a ZVI file', () => {
  it.each([
    ['uint8', 'uint8', 1],
    ['uint16', 'uint16', 2],
    ['int32', 'int32', 4],
    ['float32', 'float32', 4],
    ['float64', 'float64', 8],
  ] as const)('has samples of type %s', async (type, sampleType, bytes) => {
    const pixels = ramp(6 * bytes, 1);
    for (const plane of [{ pixels }, { pixels, compression: 'zlib' as const }]) {
      const opened = await open({ type, planes: [plane] });
      expect(opened.info.scenes[0]).toMatchObject({ sampleType, sizes: { T: 1, Z: 1, Y: 2, X: 3 }, warnings: [] });
      const read = await samplesOf(opened);
      expect(Buffer.from(read.buffer, read.byteOffset, read.byteLength)).toEqual(Buffer.from(pixels));
    }
  });

  it.each([
    ['bgr', 'uint8', ['Red', 'Green', 'Blue'], [2, 1, 0]],
    ['bgra', 'uint8', ['Red', 'Green', 'Blue', 'Alpha'], [2, 1, 0, 3]],
    ['bgr16', 'uint16', ['Red', 'Green', 'Blue'], [2, 1, 0]],
  ] as const)('has the channels of color pixels, stored as %s', async (type, sampleType, names, order) => {
    const samples = names.length;
    const values = Array.from({ length: 6 * samples }, (_, i) => 3 * i + 1);
    const pixels = new Uint8Array((sampleType === 'uint8' ? Uint8Array : Uint16Array).from(values).buffer);
    for (const plane of [{ pixels }, { pixels, compression: 'zlib' as const }]) {
      const opened = await open({ type, planes: [plane] });
      const { channels } = opened.info.scenes[0]!;
      expect(channels.map(({ name }) => name)).toEqual(names);
      expect(channels.slice(0, 3).map(({ color }) => color)).toEqual(['#FF0000', '#00FF00', '#0000FF']);
      for (const [channel, at] of order.entries()) {
        expect([...(await samplesOf(opened, { channel }))]).toEqual(values.filter((_, i) => i % samples === at));
      }
    }
  });

  it('has JPEG planes, whose colors are not turned around', async () => {
    const { jpeg } = await loadEncoders();
    for (const [type, samples] of [
      ['uint8', 1],
      ['bgr', 3],
    ] as const) {
      // Green rises along rows; red and blue are even, and differ.
      const bytes = Uint8Array.from({ length: 64 * 48 * samples }, (_, i) => {
        const column = Math.floor(i / samples) % 64;
        return samples === 1 ? 3 * column : [200, 3 * column, 50][i % 3]!;
      });
      const pixels = jpeg({ bytes, width: 64, rows: 48, samples });
      const opened = await open({ type, size: [64, 48], planes: [{ pixels, compression: 'jpeg' }] });
      expect(opened.scratchBytes!(0)).toBeGreaterThan(64 * 48 * samples);
      for (let channel = 0; channel < samples; channel++) {
        const read = await samplesOf(opened, { channel });
        const expected = bytes.filter((_, i) => i % samples === channel);
        for (const [i, value] of expected.entries()) expect(Math.abs(Number(read[i]) - value)).toBeLessThan(12);
      }
      const other = await open({ type, size: [32, 48], planes: [{ pixels, compression: 'jpeg' }] });
      await expect(samplesOf(other)).rejects.toThrow(/64 × 48/);
    }
  });

  it('numbers planes by the rank of their indices', async () => {
    const planes = [15, 13].flatMap((z) =>
      [4, 2].flatMap((c) => [0, 7].map((t) => flat(100 * z + 10 * c + t, { z, c, t }))),
    );
    const opened = await open({ planes });
    expect(opened.info.scenes).toHaveLength(1);
    expect(opened.info.scenes[0]).toMatchObject({ sizes: { T: 2, Z: 2 }, warnings: [] });
    for (const [z, c, t] of [
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [1, 1, 1],
    ] as const) {
      const expected = 100 * [13, 15][z]! + 10 * [2, 4][c]! + [0, 7][t]!;
      expect((await samplesOf(opened, { z, channel: c, t }))[5]).toBe(expected);
    }
  });

  it('has a scene for each position and scene', async () => {
    const planes = [0, 1].flatMap((s) => [3, 9].map((p) => flat(10 * s + p, { s, p })));
    const opened = await open({ planes });
    expect(opened.info.scenes.map(({ name }) => name)).toEqual([
      ...['Scene 1, Position 1', 'Scene 1, Position 2', 'Scene 2, Position 1', 'Scene 2, Position 2'],
    ]);
    expect((await samplesOf(opened, { scene: 3 }))[0]).toBe(19);
    const positions = await open({ planes: planes.slice(0, 2) });
    expect(positions.info.scenes.map(({ name }) => name)).toEqual(['Position 1', 'Position 2']);
  });

  it('shows missing planes as zeros, and skips one that is there twice', async () => {
    const planes = [flat(1, { z: 0, c: 0 }), flat(2, { z: 1, c: 0 }), flat(3, { z: 1, c: 1 }), flat(9, { z: 1, c: 1 })];
    const opened = await open({ planes });
    expect(opened.info.scenes[0]!.warnings).toEqual([
      '1 plane is at the place of another one, and was skipped.',
      '1 plane is missing and shown as zeros.',
    ]);
    expect([...(await samplesOf(opened, { channel: 1, z: 0 }))]).toEqual([0, 0, 0, 0, 0, 0]);
    expect((await samplesOf(opened, { channel: 1, z: 1 }))[0]).toBe(3);
    expect((await sceneOf({ count: 5 })).warnings).toEqual(['The image says it has 5 planes, but the file has 1.']);
  });

  it('has its only plane in the stream of the image, in old files', async () => {
    const opened = await open({ isSingle: true, tags: { ...MICROMETERS, 1284: text('DIC') } });
    expect(opened.info.scenes[0]).toMatchObject({ channels: [{ name: 'DIC' }], warnings: [] });
    expect((await samplesOf(opened))[0]).toBe(0x0700);
  });

  it('orders items by their numbers, not as texts', async () => {
    const planes = [10, 2, 1].map((value) => flat(value, { t: value === 1 ? 1 : 0, tags: { 1284: text(`${value}`) } }));
    const opened = await open({ planes, items: [10, 2, 11] });
    expect(opened.info.scenes[0]!.channels[0]!.name).toBe('2');
    expect((await samplesOf(opened))[0]).toBe(2);
  });
});

describe('the tags of a ZVI file', () => {
  it('make steps, channels, the instrument and the clock', async () => {
    const own = (c: number, at: number) => ({
      1284: text(c === 0 ? 'DAPI' : 'eGFP'),
      1282: int(c === 0 ? 0xff0000 : 0x00ff00),
      2564: double(c === 0 ? 50 : 125.5),
      ...{ 16777488: int(359), 16777489: int(461), 1042: text('AxioCam MRm'), 1025: date(45021.5 + at) },
      ...{ 2049: text('Plan 63x/1.4'), 2076: double(63), 2077: double(1.4), 2105: int(2), 2075: text('Axio') },
      ...{ 2072: double(-10), 2073: double(1234.5), 2074: double(-7) },
    });
    const opened = await open({
      planes: [flat(1, { tags: own(0, 0) }), flat(2, { c: 1, tags: own(1, 1 / 86_400) })],
      tags: MICROMETERS,
    });
    const [scene] = opened.info.scenes;
    expect(scene!.steps).toMatchObject({
      X: { step: 0.25, unit: 'micrometer', origin: 'file' },
      Y: { step: 0.5, unit: 'micrometer', origin: 'file' },
      Z: { step: 1, unit: 'Planes' },
    });
    expect(scene!.channels).toEqual([
      {
        ...{ name: 'DAPI', color: '#0000FF', excitationNm: 359, emissionNm: 461 },
        ...{ exposureSeconds: 0.05, detector: 'AxioCam MRm' },
      },
      expect.objectContaining({ name: 'eGFP', color: '#00FF00', exposureSeconds: 0.1255 }),
    ]);
    expect(scene).toMatchObject({
      instrument: {
        microscope: 'Axio',
        objective: { name: 'Plan 63x/1.4', magnification: 63, numericalAperture: 1.4, immersion: 'Oil' },
        stage: { x: 1234.5, y: -7, z: -10 },
        start: '2023-04-05T12:00:00.000',
      },
      ...{ date: '20230405', time: '12:00:00' },
      warnings: [],
    });
    const { time, exposure, x, y, z } = await opened.readPlaneColumns!(0);
    expect(time![1]! - time![0]!).toBeCloseTo(1, 5);
    expect([exposure, x, y, z].map((column) => [...column!])).toEqual([
      [0.05, 0.1255],
      [1234.5, 1234.5],
      [-7, -7],
      [-10, -10],
    ]);
  });

  it('have the times of planes, measured before anything that was set', async () => {
    const at = (seconds: number) => ({ 300: date(seconds / 86_400), 1025: date(45_000) });
    const opened = await open({ planes: [0, 2, 4, 6].map((s, t) => flat(t, { t, tags: at(s) })) });
    expect(opened.info.scenes[0]!.steps.T).toEqual({ step: 2, unit: 'seconds', origin: 'file' });
    expect([...opened.info.scenes[0]!.coordinates!.T!.values]).toEqual([0, 2, 4, 6]);
    expect([...(await opened.readPlaneColumns!(0)).time!]).toEqual([0, 2, 4, 6]);
    // Relative times that nobody set: the clock of the camera has them.
    const clock = (t: number) => ({ 300: date(0), 1025: date(45_000 + t / 86_400) });
    const other = await sceneOf({ planes: [0, 1, 2].map((t) => flat(t, { t, tags: clock(3 * t) })) });
    expect(other.steps.T.step).toBeCloseTo(3, 5);
    const none = await sceneOf({ planes: [0, 1].map((t) => flat(t, { t })) });
    expect(none.steps.T).toEqual({ step: 1, unit: 'Frames', origin: 'default' });
  });

  it('have the times of a long recording', async () => {
    const planes = Array.from({ length: 300 }, (_, t) => flat(t, { t, tags: { 300: date(t / 4 / 86_400) } }));
    const opened = await open({ planes });
    expect(opened.info.scenes[0]!.steps.T.step).toBeCloseTo(0.25, 6);
    const { time } = await opened.readPlaneColumns!(0);
    expect([time![0], time![171], time![299]]).toEqual([0, 42.75, 74.75]);
  });

  it('have the depths of sections, which beat the distance that was set', async () => {
    const planes = [0, 1, 2].map((z) => flat(z, { z, tags: { 2072: double(50 + 0.5 * z) } }));
    const same = await sceneOf({ planes, tags: { ...MICROMETERS, 775: double(0.5) } });
    expect(same.steps.Z).toEqual({ step: 0.5, unit: 'micrometer', origin: 'file' });
    expect(same.warnings).toEqual([]);
    const wrong = await sceneOf({ planes, tags: MICROMETERS });
    expect(wrong.steps.Z.step).toBe(0.5);
    expect(wrong.warnings.join()).toMatch(/Z step: the scaling says 2 µm, but the focus positions are 0\.5 µm apart/);
    const still = planes.map((plane) => ({ ...plane, tags: { 2072: double(50) } }));
    expect((await sceneOf({ planes: still, tags: MICROMETERS })).steps.Z.step).toBe(2);
  });

  it.each([
    [72, 0.000_000_1, 0.1],
    [76, 0.1, 0.1],
    [77, 100, 0.1],
  ])('have lengths in the unit %i', async (unit, scale, micrometers) => {
    const { steps } = await sceneOf({ tags: { 769: double(scale), 770: int(unit) } });
    expect(steps.X.step).toBeCloseTo(micrometers, 9);
  });

  it('do not calibrate an image with the unit 0, or one that is unknown', async () => {
    const zero = await sceneOf({ tags: { 769: double(1), 770: int(0) } });
    expect(zero).toMatchObject({ steps: { X: { step: 1, unit: 'Pixels' } }, warnings: [] });
    const unknown = await sceneOf({ tags: { 769: double(1), 770: int(81) } });
    expect(unknown.steps.X.unit).toBe('Pixels');
    expect(unknown.warnings).toEqual(['X step: 1 has the unknown unit 81; it was ignored.']);
  });

  it('have no stage where the position is the middle of the image, and the exposure of a snapshot in the image', async () => {
    const middle = { 2073: double((3 * 0.25) / 2), 2074: double((2 * 0.5) / 2) };
    const opened = await open({
      planes: [flat(1, { tags: middle })],
      tags: { ...MICROMETERS, ...middle, 2564: double(20) },
    });
    expect(opened.info.scenes[0]!.instrument).toBeUndefined();
    expect(opened.info.scenes[0]!.channels[0]!.exposureSeconds).toBe(0.02);
    const columns = await opened.readPlaneColumns!(0);
    expect(Object.keys(columns)).toEqual(['exposure']);
  });

  it('end at a value of an unknown type, and what was read before stays', async () => {
    const tags = { 769: double(0.25), 770: int(76), 9000: { type: 31_528, bytes: [1, 2, 3, 4] }, 9001: int(1) };
    const opened = await open({ tags, planes: [flat(1, { tags: { 1284: text('A'), 9000: tags[9000] } })] });
    const [scene] = opened.info.scenes;
    expect(scene!.steps.X.step).toBe(0.25);
    expect(scene!.channels[0]!.name).toBe('A');
    expect(scene!.warnings).toEqual([
      expect.stringMatching(
        /^The tags of the image can be read only in part: the value at byte \d+ has the unknown type 31528$/,
      ),
      expect.stringMatching(
        /^The tags of Image\/Item\(0\) can be read only in part: the value at byte \d+ has the unknown type 31528$/,
      ),
    ]);
  });

  it('have values of any type that OLE Automation has', async () => {
    const zeros = (count: number) => new Array<number>(count).fill(0);
    const sizes = { 1: 0, 6: 8, 9: 16, 10: 4, 13: 16, 14: 16, 64: 8, 72: 16 };
    const values: [type: number, bytes: number[], value?: string][] = [
      ...Object.entries(sizes).map(([type, size]) => [Number(type), zeros(size)] as [number, number[]]),
      ...([63, 65] as const).map((type) => [type, [3, 0, 0, 0, 1, 2, 3]] as [number, number[]]),
      [66, [3, 0, 1, 2, 3]],
      [2, [0xfe, 0xff], '-2'],
      [4, [0, 0, 0xc0, 0x3f], '1.5'],
      [16, [0xff], '-1'],
      [17, [0xff], '255'],
      [18, [0xfe, 0xff], '65534'],
      [19, [0xff, 0xff, 0xff, 0xff], '4294967295'],
      [20, [0xfe, ...new Array<number>(7).fill(255)], '-2'],
      [21, [2, ...zeros(7)], '2'],
      [22, [0xfe, 0xff, 0xff, 0xff], '-2'],
      [23, [0xfe, 0xff, 0xff, 0xff], '4294967294'],
    ];
    const tags = Object.fromEntries(values.map(([type, bytes], i) => [9000 + i, { type, bytes }]));
    const opened = await open({ tags: { ...tags, 9999: text('the end') } });
    expect(opened.info.scenes[0]!.warnings).toEqual([]);
    const list = new MetadataList();
    await opened.listMetadata!(0, list);
    const found = new Map(list.result().entries.map(({ name, value }) => [name, value]));
    expect(found.get('Tag 9999')).toBe('the end');
    for (const [i, [, , value]] of values.entries()) expect(found.get(`Tag ${9000 + i}`)).toBe(value);
  });

  it('are listed by their names', async () => {
    const tags = { 1025: date(45021.5), 2070: { bool: true }, 1538: text(''), 2563: { type: 2, bytes: [5, 0] } };
    const opened = await open({ tags, planes: [flat(1, { tags: { 1284: text('DAPI') } })] });
    const list = new MetadataList();
    await opened.listMetadata!(0, list);
    const entries = list.result().entries.map(({ name, value }) => `${name}: ${value}`);
    expect(entries).toContain('Acquisition date: 2023-04-05T12:00:00');
    expect(entries).toContain('Tag 2070: true');
    expect(entries).toContain('Tag 2563: 5');
    expect(entries).toContain('Item(0)/Channel name: DAPI');
    expect(entries.join()).not.toContain('Author');
  });
});

describe('compound files', () => {
  it('are told apart by their directories, whatever they are called', async () => {
    expect((await openBytes('scan.oib', writeZvi(SPEC))).info.format).toBe('zvi');
    expect((await openBytes('scan.zvi', writeOib(oifFrames()))).info.format).toBe('oib');
    const word = writeOle([{ path: 'WordDocument', bytes: new Uint8Array(9) }]);
    await expect(openBytes('a.doc', word)).rejects.toThrow('a.doc is an OLE compound file, but not an OIB');
    await expect(openBytes('a.zvi', word)).rejects.toThrow('a.zvi is an OLE compound file, but not a ZVI');
    const head = word.subarray(0, 512);
    expect(sniff({ kind: 'file', name: 'a.txt', head, entries: [], size: word.length })).toBe('maybe');
    expect(sniff({ kind: 'directory', name: 'a.zvi', head, entries: [], size: 0 })).toBe(false);
  });

  it('have planes that cannot be read, which is said', async () => {
    const short = await open({ planes: [flat(1), { ...flat(2, { t: 1 }), pixels: ramp(7) }] });
    expect(short.info.scenes[0]!.warnings).toEqual([
      '1 of 2 planes end before their last row and cannot be read. Copy the file again.',
    ]);
    await expect(samplesOf(short, { t: 1 })).rejects.toThrow(/Image\/Item\(1\)\/Contents/);
    const other = await open({ planes: [flat(1), { t: 1, size: [2, 2], pixels: ramp(8) }] });
    expect(other.info.scenes[0]!.warnings.join()).toContain('1 of 2 planes has other samples than the first one');
    await expect(samplesOf(other, { t: 1 })).rejects.toThrow('Image/Item(1) has 2 × 2 pixels of format 4');
    const broken = await open({ planes: [flat(1), flat(2, { t: 1, plugin: [0xff, 0xff] })] });
    expect(broken.info.scenes[0]).toMatchObject({
      sizes: { T: 1 },
      warnings: ['Image/Item(1) cannot be read and was skipped: the value at byte 52 has the unknown type 65535'],
    });
    await expect(open({ planes: [flat(1, { plugin: [0xff, 0xff] })] })).rejects.toThrow('has the unknown type 65535');
    await expect(open({ planes: [flat(1, { format: 10 })] })).rejects.toThrow('format 10 and 2 bytes each');
    await expect(open({ planes: [flat(1, { format: 5 })] })).rejects.toThrow('format 5 and 2 bytes each');
    const diagonal = Array.from({ length: 182 }, (_, i) => flat(1, { t: i, z: i, c: i }));
    await expect(open({ planes: diagonal })).rejects.toThrow('numbered as 6,028,568; the limit is 6,000,000');
    await expect(open({ size: [0, 2], planes: [flat(1)] })).rejects.toThrow('the header says 0 × 2 pixels');
  });
});

const real = resolve(import.meta.dirname, '../../../../shared/samples-next/zvi/sample.zvi');

describe.skipIf(!existsSync(real))('a real ZVI file (needs shared/samples-next/zvi)', () => {
  // Bio-Formats finds the same planes, steps, names and wavelengths.
  it('has the planes and the values of AxioVision', async () => {
    const opened = await openAcquisition(real);
    const [scene] = opened.acquisition.info.scenes;
    expect(scene).toMatchObject({
      ...{ sampleType: 'uint16', sizes: { T: 1, Z: 1, Y: 488, X: 648 }, warnings: [] },
      channels: [
        { name: 'DIC (Nomarski)', exposureSeconds: 0.036 },
        { name: 'DAPI', excitationNm: 359, emissionNm: 461, exposureSeconds: 1.1675 },
        { name: 'eGFP', excitationNm: 498, emissionNm: 516, exposureSeconds: 0.25 },
        { name: 'Alexa 594', excitationNm: 590, emissionNm: 617, exposureSeconds: 5.17475 },
      ],
      steps: { X: { step: 0.2475, unit: 'micrometer' }, Y: { step: 0.2475, unit: 'micrometer' } },
    });
    const digests = [];
    for (const channel of [0, 1, 2, 3]) {
      const plane = await readNative(opened, 0, { channel });
      const bytes = new Uint8Array(plane.buffer, plane.byteOffset, plane.byteLength);
      digests.push(createHash('md5').update(bytes).digest('hex'));
    }
    expect(digests).toEqual([
      '7ea8912593bea35d089c1afb61c004f9',
      '98b72184806433e209254a1894e036c6',
      'c5d09d75849a4d74be0cd56223d658e8',
      'feedee8bc439e95227f89e61bca90fd1',
    ]);
    opened.close();
  });
});
