import { describe, expect, it } from 'vitest';
import { openBytes, samplesOf } from '../../support/memory.js';
import { type HeaderValues, type RegionSpec, regionFrames, regionSample } from '../../writers/scanimage.js';

const HEADER: HeaderValues = {
  'hChannels.channelSave': 1,
  'hRoiManager.mroiEnable': 1,
  'hRoiManager.linePeriod': 0.001,
  'hRoiManager.scanFramePeriod': 0.1,
  'hScan2D.flytoTimePerScanfield': 0.0035,
  'hScan2D.bidirectional': 'true',
  objectiveResolution: 100,
};
const THREE: RegionSpec[] = [
  { name: 'left', pixels: [4, 6], degrees: [2, 3] },
  { name: 'right', pixels: [4, 4], degrees: [4, 1] },
  { name: '', pixels: [4, 2], degrees: [2, 1] },
];
/** 12 rows of regions, and 4 lines between two of them. */
const FILE = {
  shown: [
    [0, 1, 2],
    [0, 1, 2],
  ],
  height: 20,
  between: 4,
};

const open = (header: HeaderValues, regions = THREE, file: Parameters<typeof regionFrames>[2] = FILE) =>
  openBytes('mroi_00001.tif', regionFrames({ ...HEADER, ...header }, regions, file));

/** Samples of a region, as the writer made them. */
const region = (index: number, frame: number, [width, height]: [number, number]) =>
  Array.from({ length: width * height }, (_, i) => regionSample(index, frame, Math.floor(i / width), i % width));

describe('ScanImage regions of interest', () => {
  it('are scenes with their own sizes and pixel sizes, without the lines between them', async () => {
    const acquisition = await open({});
    const { scenes } = acquisition.info;
    expect(scenes.map(({ name, sizes, warnings }) => [name, sizes, warnings])).toEqual([
      ['left', { T: 2, Z: 1, Y: 6, X: 4 }, []],
      ['right', { T: 2, Z: 1, Y: 4, X: 4 }, []],
      ['Region 3', { T: 2, Z: 1, Y: 2, X: 4 }, []],
    ]);
    expect(scenes.map(({ steps }) => [steps.X.step, steps.Y.step, steps.X.unit, steps.T.step])).toEqual([
      [50, 50, 'micrometer', 0.1],
      [100, 25, 'micrometer', 0.1],
      [50, 50, 'micrometer', 0.1],
    ]);
    for (const [index, { pixels }] of THREE.entries()) {
      for (const t of [0, 1]) {
        expect([...(await samplesOf(acquisition, { scene: index, t }))]).toEqual(region(index, t, pixels));
      }
    }
    expect((await acquisition.readPlaneColumns!(2)).time).toEqual(Float64Array.of(0, 0.1));
  });

  it('start at the rows that scanreader finds', async () => {
    // scanreader 0.4 on this file: yslices of its fields.
    const rows = [slice(0, 6), slice(10, 14), slice(18, 20)];
    const acquisition = await open({});
    const whole = await open({ 'hRoiManager.mroiEnable': 0 });
    const page = await samplesOf(whole);
    for (const [scene, { start, stop }] of rows.entries())
      expect(await samplesOf(acquisition, { scene })).toEqual(page.slice(4 * start, 4 * stop));
  });

  it.each([
    [{ 'hScan2D.flytoTimePerScanfield': 0.0061 }, 'the mirrors take 6.1 lines'],
    [{ 'hScan2D.flytoTimePerScanfield': 0.0012 }, 'the mirrors take 1.2 lines'],
    [{ 'hScan2D.flytoTimePerScanfield': '[]' }, 'does not say how long the mirrors fly'],
  ] as [HeaderValues, string][])('stay one image if the header contradicts their rows: %j', async (header, reason) => {
    const { scenes } = (await open(header)).info;
    expect(scenes).toMatchObject([{ sizes: { Y: 20 }, steps: { X: { unit: 'Pixels' } } }]);
    expect(scenes[0]!.warnings.join('\n')).toContain('3 regions of interest');
    expect(scenes[0]!.warnings.join('\n')).toContain(reason);
  });

  it.each([
    [
      'rows that are no whole number of lines',
      THREE,
      { ...FILE, height: 21 },
      'not a whole number of lines for each gap',
    ],
    [
      'more rows than the frames',
      THREE,
      { ...FILE, between: 0, height: 8, shown: [[1, 2]] },
      'not a whole number of lines',
    ],
    [
      'another width',
      [THREE[0]!, { ...THREE[1]!, pixels: [3, 4] as [number, number] }],
      { ...FILE, shown: [[0]] },
      'has 3 columns, and the frames have 4',
    ],
    [
      'depths that the header does not list',
      THREE.map((one) => ({ ...one, isDiscrete: true })),
      FILE,
      'in which sections (Z) left is',
    ],
  ])('stay one image with %s', async (_, regions, file, reason) => {
    const { scenes } = (await open({}, regions, file)).info;
    expect(scenes).toHaveLength(1);
    expect(scenes[0]!.warnings.join('\n')).toContain(reason);
  });

  it.each(['{', '{"RoiGroups":{"imagingRoiGroup":{"rois":[{"scanfields":[]},7,null]}}}', '[]'])(
    'stay one image with %s for a list',
    async (json) => {
      const { scenes } = (await open({}, THREE, { ...FILE, json })).info;
      expect(scenes).toMatchObject([{ sizes: { Y: 20 }, steps: { X: { unit: 'Pixels' } } }]);
      expect(scenes[0]!.warnings[0]).toContain('regions of interest, one below the other. Showing the whole image');
    },
  );

  it('that were switched off are not there', async () => {
    const regions = [THREE[0]!, { ...THREE[1]!, name: 'off', enable: 0 }, THREE[2]!];
    const { info } = await open({}, regions, { shown: [[0, 2]], height: 12, between: 4 });
    expect(info.scenes.map(({ name }) => name)).toEqual(['left', 'Region 2']);
  });

  it('of a volume have the sections in which they were scanned', async () => {
    const stack: HeaderValues = {
      'hStackManager.enable': 'true',
      'hStackManager.stackMode': "'fast'",
      'hStackManager.actualNumSlices': 3,
      'hStackManager.zs': '[0 20 60]',
      'hFastZ.enable': 'true',
    };
    const regions: RegionSpec[] = [
      { name: 'all', pixels: [4, 6], degrees: [2, 3] },
      { name: 'two', pixels: [4, 4], degrees: [4, 1], zs: [0, 60], isDiscrete: true },
      { name: 'deep', pixels: [4, 2], degrees: [2, 1], zs: [20, 60] },
    ];
    const sections = [
      [0, 1],
      [0, 2],
      [0, 1, 2],
    ];
    const acquisition = await open(stack, regions, { ...FILE, shown: [...sections, ...sections] });
    const { scenes } = acquisition.info;
    expect(scenes.map(({ name, sizes }) => [name, sizes.T, sizes.Z])).toEqual([
      ['all', 2, 3],
      ['two', 2, 2],
      ['deep', 2, 2],
    ]);
    expect(scenes[1]!.steps.Z).toMatchObject({ step: 60, unit: 'micrometer' });
    expect([...scenes[0]!.coordinates!.Z!.values]).toEqual([0, 20, 60]);
    expect([...(await samplesOf(acquisition, { scene: 1, t: 1, z: 1 }))]).toEqual(region(1, 5, [4, 4]));
    expect([...(await samplesOf(acquisition, { scene: 2, t: 0, z: 0 }))]).toEqual(region(2, 1, [4, 2]));
  });

  it('of one region have its pixel size', async () => {
    const { scenes } = (await open({}, THREE.slice(0, 1), { shown: [[0]], height: 6, between: 0 })).info;
    expect(scenes).toMatchObject([{ name: 'left', sizes: { Y: 6 }, steps: { X: { step: 50 } }, warnings: [] }]);
  });

  it('say when the micrometers of a degree contradict each other', async () => {
    const corners = { 'hRoiManager.imagingFovUm': '[-110 -110;110 -110;110 110;-110 110]' };
    const degrees = { 'hRoiManager.imagingFovDeg': '[-1 -1;1 -1;1 1;-1 1]' };
    const { scenes } = (await open({ ...corners, ...degrees })).info;
    expect(scenes[0]!.warnings.join('\n')).toContain('objectiveResolution says 100 µm for a degree, but imagingFovUm');
    const { objectiveResolution: _, ...without } = HEADER;
    const bytes = regionFrames({ ...without, ...corners, ...degrees }, THREE, FILE);
    expect((await openBytes('a.tif', bytes)).info.scenes[0]!.steps.X.step).toBeCloseTo(55);
  });
});

function slice(start: number, stop: number) {
  return { start, stop };
}
