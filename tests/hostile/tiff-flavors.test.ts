import { describe, expect, it } from 'vitest';
import { AcqError } from '../../packages/readers/src/base/errors.js';
import { LIMITS } from '../../packages/readers/src/base/limits.js';
import { reader } from '../../packages/readers/src/formats/tiff/index.js';
import { MemorySource } from '../../packages/readers/src/io/byte-source.js';
import type { Acquisition } from '../../packages/readers/src/model/acquisition.js';
import { parseOme } from '../../packages/readers/src/model/metadata/ome-document.js';
import { NativeTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import { folderOnDisk } from '../../packages/server/src/platform-node/files.js';
import { tempFolder } from '../support/temp.js';
import { countingPage, countingSamples, description } from '../support/tiff-cases.js';
import { feiSections, feiTag } from '../writers/fei.js';
import { type PlaneIndex, writeMicroManager } from '../writers/micro-manager.js';
import { omeXml, tiffData } from '../writers/ome.js';
import { type RegionSpec, regionFrames, scanimageFrames } from '../writers/scanimage.js';
import { writeStk } from '../writers/stk.js';
import { type PageSpec, type TagSpec, writeTiff } from '../writers/tiff.js';
import { cutLengths, hostileCases, mutate, randomNumbers, Witness } from './mutate.js';

const root = tempFolder();
/** Planes above this are refused by a server before they are allocated. */
const MOST_PIXELS = 2 ** 16;
/** Milliseconds after which a case counts as hanging. */
const HANG = 20_000;
const CASES = hostileCases();
const ALLOWED = new Set<string>(['decode_failed', 'companion_missing', 'unsupported_format', 'plane_too_large']);

const IMAGEJ = 'ImageJ=1.53t\nimages=6\nchannels=2\nframes=3\nunit=um\nfinterval=0.5\nspacing=1.0\n';
const OME = omeXml({
  uuid: 'urn:uuid:a',
  images: [
    {
      sizes: { X: 4, Y: 3, C: 2, T: 2 },
      pixels: { PhysicalSizeX: 0.5, TimeIncrement: 1 },
      children: [
        '<Channel Name="a" SamplesPerPixel="1"/><Channel Name="b"/>',
        tiffData({ IFD: 0, PlaneCount: 3 }),
        tiffData({ IFD: 3, FirstC: 1, FirstT: 1 }, { name: 'a.ome.tif', uuid: 'urn:uuid:a' }),
        '<Plane TheZ="0" TheC="0" TheT="0" DeltaT="0"/><Plane TheZ="0" TheC="0" TheT="1" DeltaT="1"/>',
      ],
    },
  ],
});
const SHAPED = '{"shape": [2, 2, 3, 4], "axes": "TCYX", "unit": "um", "spacing": 1}';
const LABELS: TagSpec[] = [
  { code: 50838, type: 4, values: [12, 2, 2] },
  { code: 50839, type: 1, bytes: Uint8Array.from([...'IJIJlabl\0\0\0\x02\0a\0b'].map((c) => c.charCodeAt(0))) },
];
const INDEX: PlaneIndex[] = [0, 1, 2, 3].map((i) => [i % 2, 0, i >> 1, 0]);

/** A fast stack of ScanImage with a dropped frame. */
const FAST_STACK = {
  'hChannels.channelSave': 1,
  'hStackManager.enable': 'true',
  'hStackManager.stackMode': "'fast'",
  'hStackManager.actualNumSlices': 3,
  'hStackManager.numFramesPerVolumeWithFlyback': 4,
  'hStackManager.zs': '[0 5 10]',
};
const FAST_FRAMES = [1, 2, 3, 4, 5, 7, 8, 9, 10, 11].map((number) => ({ number, value: number }));

/** Two regions of interest of ScanImage, one of them in the first sections only. */
const REGIONS = {
  ...FAST_STACK,
  'hStackManager.numFramesPerVolumeWithFlyback': 3,
  'hRoiManager.mroiEnable': 1,
  'hRoiManager.linePeriod': 0.001,
  'hScan2D.flytoTimePerScanfield': 0.0015,
  objectiveResolution: 10,
};
const ROIS: RegionSpec[] = [
  { name: 'a', pixels: [4, 4], degrees: [1, 1] },
  { name: 'b', pixels: [4, 3], degrees: [1, 1], zs: [0, 5], isDiscrete: true },
];

const stack = (text: string, planes: number, tags: TagSpec[] = []): PageSpec[] =>
  Array.from({ length: planes }, (_, i) => countingPage(i, i === 0 ? [description(text), ...tags] : []));

function fixtures(): { name: string; bytes: Uint8Array }[] {
  const nih = new Uint8Array(504);
  new DataView(nih.buffer).setInt16(260, 3);
  const extraPlanes = [1, 2, 3, 4, 5].map(countingSamples);
  return [
    { name: 'imagej.tif', bytes: writeTiff({ pages: stack(IMAGEJ, 6, LABELS) }) },
    {
      name: 'imagej-single.tif',
      bytes: writeTiff({ littleEndian: false, pages: [{ ...countingPage(0, [description(IMAGEJ)]), extraPlanes }] }),
    },
    { name: 'a.ome.tif', bytes: writeTiff({ pages: stack(OME, 4) }) },
    { name: 'shaped.tif', bytes: writeTiff({ pages: stack(SHAPED, 4) }) },
    {
      name: 'mm.tif',
      bytes: writeMicroManager({
        summary: { Channels: 2, Frames: 2, ChNames: ['a'] },
        pages: stack('', 4),
        index: INDEX,
      }),
    },
    {
      name: 'nih.tif',
      bytes: writeTiff({ pages: [{ ...countingPage(0, [{ code: 43314, type: 1, bytes: nih }]), extraPlanes }] }),
    },
    {
      name: 'generic.tif',
      bytes: writeTiff({
        pages: [{ ...countingPage(0), subIfds: [countingPage(1)] }, countingPage(2), countingPage(3)],
      }),
    },
    { name: 'scanimage.tif', bytes: scanimageFrames(FAST_STACK, FAST_FRAMES) },
    {
      name: 'regions.tif',
      bytes: regionFrames(REGIONS, ROIS, { shown: [[0, 1], [0, 1], [0]], height: 9, between: 2 }),
    },
    { name: 'fei.tif', bytes: writeTiff({ pages: [countingPage(0, [feiTag(feiSections(4))])] }) },
    { name: 'set.companion.ome', bytes: new TextEncoder().encode(OME) },
  ];
}

/** Files whose metadata decide which plane is where: a change of these moves planes. */
function sortedFixtures(): { name: string; bytes: Uint8Array }[] {
  const planes = [0, 1, 2, 3].map((i) => ({
    samples: countingSamples(i),
    info: {
      stage: [100_000 * (i % 2), 5] as [number, number],
      label: `well ${i % 2}`,
      focus: [10 * i, 1] as [number, number],
      created: [2_458_354, 1000 * i] as [number, number],
      wavelength: 525,
      illumination: 'GFP',
      magnification: '20x',
    },
  }));
  const calibration = { x: [65, 100], y: [65, 100], units: 'um' } as {
    x: [number, number];
    y: [number, number];
    units: string;
  };
  const page = (i: number) => {
    const props = {
      'stage-label': `well ${i % 2}`,
      'z-position': `${i}`,
      'acquisition-time-local': `20110517 12:33:3${i}.5`,
    };
    const xml = Object.entries(props).map(([id, value]) => `<prop id="${id}" type="x" value="${value}"/>`);
    return countingPage(i, [description(`<MetaData><PlaneInfo>${xml.join('')}</PlaneInfo></MetaData>`)]);
  };
  const scifio =
    'SCIFIO=0.46\naxes=X,Y,Time,Z\nlengths=4,3,2,2\nscales=0.2,0.2,1,2\nunits=um,um,ms,um\nslices=2\nframes=2\n';
  const samples = [0, 1, 2].map(countingSamples);
  const array = JSON.stringify({ shape: [3, 3, 4], axes: 'TYX', finterval: 2, tunit: 'ms' });
  return [
    { name: 'stage.stk', bytes: new Uint8Array(writeStk({ width: 4, height: 3, planes, calibration })) },
    {
      name: 'stage-uic1.stk',
      bytes: new Uint8Array(writeStk({ width: 4, height: 3, planes, calibration, positionsInUic1: true })),
    },
    { name: 'metaseries.tif', bytes: writeTiff({ pages: [0, 1, 2, 3].map(page) }) },
    { name: 'scifio.tif', bytes: writeTiff({ pages: stack(scifio, 4) }) },
    {
      name: 'samples.tif',
      bytes: writeTiff({
        pages: [{ width: 4, height: 3, samples, planar: true, photometric: 2, tags: [description(array)] }],
      }),
    },
  ];
}

function openFile(name: string, bytes: Uint8Array) {
  const source = new MemorySource(name, bytes);
  const probe = { name, kind: 'file' as const, head: bytes.subarray(0, 4096), entries: [], size: bytes.length };
  return reader.open({ source, folder: folderOnDisk(root), probe });
}

/** `read`, or the code of the error; anything else is thrown. */
async function probe(name: string, bytes: Uint8Array): Promise<string> {
  try {
    await readSome(await openFile(name, bytes));
    return 'read';
  } catch (error) {
    if (error instanceof AcqError && ALLOWED.has(error.code)) return error.code;
    throw error;
  }
}

/** The first and the last plane of the first and the last scene, after a look at what is announced. */
async function readSome({ info, readPlane }: Acquisition): Promise<void> {
  for (const index of new Set([0, info.scenes.length - 1])) {
    const scene = info.scenes[index];
    if (!scene) throw new Error('an acquisition without a scene');
    const { T, Z, Y, X } = scene.sizes;
    for (const size of [T, Z, Y, X]) if (!Number.isSafeInteger(size) || size < 1) throw new Error(`a size of ${size}`);
    if (T > LIMITS.planes || Z > LIMITS.planes || scene.channels.length > LIMITS.channels) throw new Error('too many');
    for (const { step } of Object.values(scene.steps))
      if (!(step > 0 && step < Infinity)) throw new Error(`step ${step}`);
    if (Y * X > MOST_PIXELS) continue;
    for (const last of [false, true]) {
      const [channel, t, z] = last ? [scene.channels.length - 1, T - 1, Z - 1] : [0, 0, 0];
      try {
        await readPlane({ scene: index, channel, t, z }, new NativeTarget(scene.sampleType, Y, X));
      } catch (error) {
        if (!(error instanceof AcqError)) throw error;
      }
    }
  }
}

/** Digits and quotes of the text are replaced: numbers that lie. */
function lie(original: Uint8Array, seed: number): Uint8Array {
  const random = randomNumbers(seed);
  const text = Buffer.from(original).toString('latin1');
  const values = ['0', '-1', '4294967295', '99999999999999', '1e308', 'NaN', '1,5', '', '<', '&x;', '\u0001'];
  const numbers = [...text.matchAll(/\d+/g)].filter(({ index }) => /[=":\s,[]/.test(text[index - 1] ?? ''));
  const chosen = numbers[Math.floor(random() * numbers.length)];
  if (!chosen) return original;
  // Of the same length, so that every offset behind it stays true.
  const value = (values[Math.floor(random() * values.length)] as string).slice(0, chosen[0].length);
  const filled = value.padEnd(chosen[0].length, '9');
  const bytes = Uint8Array.from(original);
  bytes.set(Buffer.from(filled, 'latin1'), chosen.index);
  return bytes;
}

describe('damaged metadata of TIFF flavors', () => {
  it('are sound before they are damaged', async () => {
    for (const { name, bytes } of [...fixtures(), ...sortedFixtures()]) {
      expect(await probe(name, bytes), name).toBe(name.endsWith('.ome') ? 'companion_missing' : 'read');
    }
  });

  it.each([
    ['damaged at random', mutate],
    ['with numbers that lie', lie],
  ])('%s: an error of the table or true sizes', { timeout: 3_600_000 }, async (_, damage) => {
    const outcomes: Record<string, number> = {};
    const all = [...fixtures(), ...sortedFixtures()];
    for (let seed = 0; seed < CASES; seed++) {
      const { name, bytes } = all[seed % all.length] as { name: string; bytes: Uint8Array };
      const start = performance.now();
      const outcome = await probe(name, damage(bytes, seed)).catch((error: unknown) => {
        throw new Error(`${name}, seed ${seed}: ${String(error)}`, { cause: error });
      });
      if (performance.now() - start > HANG) throw new Error(`${name}, seed ${seed}: took too long`);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
    expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(CASES);
    expect(outcomes['read']).toBeGreaterThan(CASES / 10);
  });
});

/**
 * Shares of changes that nothing in the file contradicts: small files are mostly such fields. The places of planes stand
 * in the index of Micro-Manager only. A frame of regions whose list is damaged is shown whole, which no plane of the file was.
 */
const BLIND: Record<string, number> = { 'mm.tif': 0.2, 'regions.tif': 0.3 };

describe('true planes', () => {
  const files = fixtures().filter(({ name }) => !name.endsWith('.ome'));

  it.each(files)('of $name, cut or changed', { timeout: 3_600_000 }, async ({ name, bytes }) => {
    const witness = await Witness.of(bytes, (other) => openFile(name, other));
    await witness.expectTrueCuts(cutLengths(bytes, 200));
    await witness.expectTrueChanges(Math.ceil(CASES / files.length), BLIND[name] ?? 0.15);
  });
});

describe('metadata that lie on purpose', () => {
  const of = (image: string) => `<OME><Image><Pixels ${image}</Pixels></Image></OME>`;
  const SIZES = 'DimensionOrder="XYCZT" SizeX="4" SizeY="3" SizeC="1" SizeZ="1"';

  it('TiffData by the hundred thousand', async () => {
    const data = Array.from({ length: 100_000 }, (_, i) => `<TiffData IFD="${i % 2}" FirstT="${i * 2}"/>`).join('');
    const ome = parseOme(of(`${SIZES} SizeT="900000">${data}`));
    expect(ome.images[0]?.pixels.tiffData).toHaveLength(100_000);
    const outcome = await probe('a.ome.tif', writeTiff({ pages: stack(of(`${SIZES} SizeT="900000">${data}`), 2) }));
    expect(outcome).toBe('read');
  }, 60_000);

  it.each([
    ['samples of billions', `${SIZES} SizeT="1"><Channel SamplesPerPixel="4000000000"/><TiffData/>`],
    ['order that is none', 'DimensionOrder="XYXYX" SizeX="4" SizeY="3" SizeC="1" SizeZ="1" SizeT="2"><TiffData/>'],
    [
      'negative numbers',
      'DimensionOrder="XYCZT" SizeX="-4" SizeY="-3" SizeC="-1" SizeZ="-1" SizeT="-2"><TiffData IFD="-1"/>',
    ],
    ['overlapping TiffData', `${SIZES} SizeT="2"><TiffData/><TiffData/><TiffData IFD="1"/>`],
    ['images without end', `${SIZES} SizeT="2"><TiffData/></Pixels></Image>${'<Image><Pixels>'.repeat(100)}`],
  ])('%s', async (_, image) => {
    expect(await probe('a.ome.tif', writeTiff({ pages: stack(of(image), 2) }))).toBe('read');
  });
});
