import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { NativeTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import { openAcquisition } from '../../packages/server/src/open.js';
import { expectFacts } from '../support/expected-images.js';
import { ArrayFacts, readNative, sceneOf } from '../support/native.js';
import { describeWithSamples, expectedFiles, samplePath } from '../support/samples.js';

/** What the XML says, read by eye. */
const RECORDINGS = [
  {
    folder: 'bruker/swharden+ScanAGator/LineScan-08092022-1225-528',
    cycles: 3,
    sizes: { T: 1, Z: 1, Y: 1000, X: 60 },
    linePeriod: 0.008552,
    pixel: 0.294698390910515,
    clock: ['20220809', '16:03:16'],
    lineRoi: [86, 116, 145, 116],
  },
  {
    folder: 'bruker/swharden+ROI-Analysis-Pipeline/LineScan-06092017-1414-623',
    cycles: 1,
    sizes: { T: 1, Z: 1, Y: 1000, X: 131 },
    linePeriod: 0.0064157752584489,
    pixel: 0.294117647058823,
    clock: ['20170609', '16:31:47'],
    lineRoi: [38, 138, 168, 138],
  },
];

const files = expectedFiles('bruker/');
const PLANE = /_Cycle0000(\d)_Ch(\d)_000001\.ome\.tif$/;
const SOURCE = /-Cycle0000(\d)_Ch(\d)Source\.tif$/;

describeWithSamples('Prairie View recordings', () => {
  it.each(RECORDINGS)(
    '$folder: what the XML says',
    async ({ folder, cycles, sizes, linePeriod, pixel, clock, lineRoi }) => {
      const opened = await openAcquisition(samplePath(folder));
      const { info } = opened.acquisition;
      expect(info.scenes).toHaveLength(cycles);
      for (const scene of info.scenes) {
        expect(scene.sizes).toEqual(sizes);
        expect(scene.steps.Y).toEqual({ step: linePeriod, unit: 'seconds', origin: 'file' });
        expect(scene.steps.X.unit).toBe('micrometer');
        expect(scene.steps.X.step / pixel).toBeCloseTo(1, 12);
        expect(scene.channels).toMatchObject([{ name: 'Ch1' }, { name: 'Ch2' }]);
        expect(scene.reference).toMatchObject({ sizes: { Y: 256, X: 256 }, lineRoi });
        expect(scene.warnings).toEqual([]);
        expect(scene.instrument).toMatchObject({ objective: { magnification: 40, numericalAperture: 0.8 }, zoom: 4 });
      }
      expect([info.scenes[0]?.date, info.scenes[0]?.time]).toEqual(clock);
      opened.close();
    },
  );

  it('cycles have clocks of their own', async () => {
    const opened = await openAcquisition(samplePath(RECORDINGS[0]?.folder ?? ''));
    expect(opened.acquisition.info.scenes.map(({ time }) => time)).toEqual(['16:03:16', '16:03:28', '16:03:38']);
    opened.close();
  });

  it.each(files.filter(([path]) => SOURCE.test(path)))('%s is the reference of its cycle', async (path, expected) => {
    const [, cycle, channel] = SOURCE.exec(path) ?? [];
    const opened = await openAcquisition(dirname(samplePath(path)));
    const target = new NativeTarget('uint16', 256, 256);
    await opened.acquisition.readReference?.(Number(cycle) - 1, Number(channel) - 1, target);
    const facts = new ArrayFacts();
    facts.add(target.data, 'uint16');
    const [image] = expected.images ?? [];
    if (image) expectFacts(facts, image);
    opened.close();
  });

  it.each(files.filter(([path, { images }]) => PLANE.test(path) && images?.[0]?.axes === 'YX'))(
    '%s is a plane of its cycle',
    async (path, expected) => {
      const [, cycle, channel] = PLANE.exec(path) ?? [];
      const opened = await openAcquisition(dirname(samplePath(path)));
      const scene = Number(cycle) - 1;
      const facts = new ArrayFacts();
      facts.add(await readNative(opened, scene, { channel: Number(channel) - 1 }), sceneOf(opened, scene).sampleType);
      const [image] = expected.images ?? [];
      if (image) expectFacts(facts, image);
      opened.close();
    },
  );
});
