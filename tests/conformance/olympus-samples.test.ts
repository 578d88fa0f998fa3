import { expect, it } from 'vitest';
import { Float32Target } from '../../packages/readers/src/model/samples/plane-target.js';
import { openAcquisition } from '../../packages/server/src/open.js';
import { expectFacts, factsOfImage } from '../support/expected-images.js';
import { ArrayFacts, sceneOf } from '../support/native.js';
import { describeWithSamples, expectedFiles, samplePath } from '../support/samples.js';

describeWithSamples('OIB and OIF samples equal independent readers', () => {
  it.each(expectedFiles('oib/', 'oif/'))('%s', async (path, expected) => {
    const opened = await openAcquisition(samplePath(path));
    const [image, reference] = expected.images ?? [];
    if (!image) throw new Error('no expected image');
    const facts = await factsOfImage(opened, 0, image);
    expectFacts(facts, image);
    if (reference) {
      // The independent reader lists the -R image as a second series.
      const info = sceneOf(opened, 0).reference;
      const target = new Float32Target(info?.sizes.Y ?? 0, info?.sizes.X ?? 0);
      await opened.acquisition.readReference?.(0, 0, target);
      const own = new ArrayFacts();
      own.add(Uint16Array.from(target.data), 'uint16');
      expectFacts(own, reference);
    }
    opened.close();
  });

  it('calibrates test.oib as its settings say', async () => {
    const opened = await openAcquisition(samplePath('oib/cgohlke+oiffile/test.oib'));
    const scene = sceneOf(opened, 0);
    expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 256, X: 256 });
    expect(scene.channels).toHaveLength(3);
    expect(scene.steps.X).toEqual({ step: 0.177, unit: 'micrometer', origin: 'file' });
    expect([scene.date, scene.time]).toEqual(['20120726', '15:13:35']);
    opened.close();
  });

  it('calibrates a time series of the FV1000', async () => {
    const opened = await openAcquisition(
      samplePath('oif/wisstock+trans_scripts/01_21_21/cell3/cell3_02.oif.files/s_C001T004.tif'),
    );
    const scene = sceneOf(opened, 0);
    expect(scene.sizes.T).toBe(15);
    // 14,461 ms over 14 intervals by the axis; the properties of the frames hold 0, 1248, 2246 … 14352 ms.
    expect(scene.steps.T.step).toBeCloseTo(14.352 / 14, 12);
    expect(Array.from(scene.coordinates!.T!.values.subarray(0, 3))).toEqual([0, 1.248, 2.246]);
    expect(scene.warnings).toEqual([expect.stringContaining('0.936 s to 1.248 s apart (median 1.014 s)')]);
    expect(opened.acquisition.info.named).toEqual({ scene: 0, t: 3, z: 0 });
    expect(scene.steps.X.step).toBe(0.276);
    expect(scene.reference?.sizes).toEqual({ Y: 128, X: 128 });
    expect(scene.reference?.lineRoi).toBeNull();
    opened.close();
  });
});
