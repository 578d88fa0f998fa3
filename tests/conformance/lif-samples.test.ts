import { expect, it } from 'vitest';
import { openAcquisition } from '../../packages/server/src/open.js';
import { factsOfImage } from '../support/expected-images.js';
import { ArrayFacts, readNative, sceneOf } from '../support/native.js';
import { describeWithSamples, expectedFiles, samplePath } from '../support/samples.js';

const SAMPLE = 'lif/Arcadia-Science+readlif/xz-example/xz-example.lif';

describeWithSamples('the LIF sample', () => {
  const [, expected] = expectedFiles(SAMPLE)[0] ?? ['', { reader: '' }];
  const images = expected.images ?? [];

  it('has the images as scenes', async () => {
    const opened = await openAcquisition(samplePath(SAMPLE));
    const { scenes, format } = { ...opened.acquisition.info };
    expect(format).toBe('lif');
    expect(scenes.map(({ name }) => name)).toEqual(['xzt', 'xzy', 'xz']);
    expect(scenes.map(({ sizes }) => sizes)).toEqual([
      { T: 20, Z: 1, Y: 128, X: 128 },
      { T: 1, Z: 128, Y: 23, X: 128 },
      { T: 1, Z: 1, Y: 512, X: 512 },
    ]);
    for (const scene of scenes) {
      expect(scene.sampleType).toBe('uint8');
      expect(scene.channels.map(({ name }) => name)).toEqual(['FITC', 'TRITC']);
      expect([scene.date, scene.reference]).toEqual(['20210304', null]);
    }
    const note = 'This is an x–z scan: the rows are depths, so the Y axis runs along z.';
    expect(scenes.map(({ rowAxis, warnings }) => [rowAxis, warnings])).toEqual([
      ['z', [note]],
      [undefined, []],
      ['z', [note]],
    ]);
    opened.close();
  });

  it('has the steps in its XML', async () => {
    const opened = await openAcquisition(samplePath(SAMPLE));
    const [xzt, xzy, xz] = [0, 1, 2].map((scene) => sceneOf(opened, scene).steps);
    // Length / (N − 1) of the XML: 10.07 s over 19 intervals, 17.81554 µm over 127.
    expect(xzt?.T).toEqual({ step: 0.53, unit: 'seconds', origin: 'file' });
    expect(xzt?.X.step).toBeCloseTo(17.81554 / 127, 10);
    expect(xzt?.Y.step).toBeCloseTo(17.8154 / 127, 10);
    expect(xzy?.Y.step).toBeCloseTo(5.039354 / 22, 10);
    expect(xzy?.Z.step).toBeCloseTo(17.8154 / 127, 10);
    expect(xz?.X.step).toBeCloseTo(52.47828 / 511, 10);
    for (const steps of [xzt, xzy, xz]) expect([steps?.Y.unit, steps?.X.unit]).toEqual(['micrometer', 'micrometer']);
    opened.close();
  });

  it('has the planes that an independent reader reads, for xz frames', async () => {
    const opened = await openAcquisition(samplePath(SAMPLE));
    for (const scene of [0, 2]) {
      const image = images[scene];
      if (!image) throw new Error('no expected image');
      // The rows of an xz frame are depths.
      const facts = await factsOfImage(opened, scene, { ...image, axes: image.axes.replace('ZX', 'YX') });
      expect([facts.min, facts.max, facts.sum]).toEqual([image.min, image.max, image.sum]);
      expect(facts.digest()).toBe(image.sha256_le_c);
    }
    opened.close();
  });

  it('has the planes that an independent reader reads, for a volume recorded in xz frames', async () => {
    // The independent reader lists it in the order of recording: Y C Z X. Ours are planes of Y × X at each depth.
    const opened = await openAcquisition(samplePath(SAMPLE));
    const image = images[1];
    const planes = [];
    for (let channel = 0; channel < 2; channel++) {
      const stack = [];
      for (let z = 0; z < 128; z++) stack.push((await readNative(opened, 1, { channel, z })) as Uint8Array);
      planes.push(stack);
    }
    const facts = new ArrayFacts();
    for (let y = 0; y < 23; y++) {
      for (const stack of planes) {
        for (const plane of stack) facts.add(plane.slice(y * 128, (y + 1) * 128), 'uint8');
      }
    }
    expect([facts.min, facts.max, facts.sum]).toEqual([image?.min, image?.max, image?.sum]);
    expect(facts.digest()).toBe(image?.sha256_le_c);
    opened.close();
  });

  it('has the planes that were exported with it', async () => {
    const opened = await openAcquisition(samplePath(SAMPLE));
    for (const [name, channel, t] of [
      ['c0t0', 0, 0],
      ['c1t8', 1, 8],
    ] as const) {
      const exported = await openAcquisition(
        samplePath(SAMPLE.replace('xz-example.lif', `expected-outputs/${name}.tif`)),
      );
      expect(await readNative(opened, 0, { channel, t })).toEqual(await readNative(exported, 0, { channel: 0 }));
      exported.close();
    }
    opened.close();
  });
});
