import { expect, it } from 'vitest';
import { openAcquisition } from '../../packages/server/src/open.js';
import { expectFacts, factsOfImage } from '../support/expected-images.js';
import { sceneOf } from '../support/native.js';
import { describeWithSamples, expectedFiles, samplePath } from '../support/samples.js';

describeWithSamples('LSM samples equal independent readers', () => {
  it.each(expectedFiles('lsm/'))('%s', async (path, expected) => {
    const opened = await openAcquisition(samplePath(path));
    // The independent reader lists the thumbnails as a second series.
    const images = (expected.images ?? []).filter(({ axes }) => !axes.includes('S'));
    expect(opened.acquisition.info.scenes).toHaveLength(images.length);
    for (const [scene, image] of images.entries()) {
      expect(sceneOf(opened, scene).sampleType).toBe(image.dtype);
      const facts = await factsOfImage(opened, scene, image);
      expectFacts(facts, image);
    }
    opened.close();
  });

  it('calibrates the frame of an LSM 710 as its header says', async () => {
    const opened = await openAcquisition(samplePath('lsm/jefferislab+jimpipeline/test.lsm'));
    expect(opened.acquisition.info.format).toBe('lsm');
    const scene = sceneOf(opened, 0);
    expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 512, X: 512 });
    expect(scene.channels).toEqual([
      {
        name: 'ChS1',
        color: '#FF0000',
        fluorophore: 'Alexa Fluor 568',
        excitationNm: 561,
        emissionNm: [571.727496, 630.372972],
        detector: 'PmtSPI1',
        gain: 764.4112392398895,
        pinholeUm: 38.466599999999985,
        laserPower: 5,
      },
    ]);
    expect(scene.instrument).toEqual({
      objective: {
        name: 'EC Plan-Neofluar 40x/1.30 Oil DIC M27',
        magnification: 40,
        numericalAperture: 1.3,
        immersion: 'Oil',
      },
      zoom: 0.6,
      pixelDwellSeconds: 1.57575757576e-6,
      start: '2014-04-03T15:44:37',
    });
    // 6.918881841365326e-07 m; the settings have 0.6918881841365326 µm.
    expect(scene.steps.X).toEqual({ step: 0.6918881841365326, unit: 'micrometer', origin: 'file' });
    expect(scene.steps.Y).toEqual({ step: 0.6918881841365326, unit: 'micrometer', origin: 'file' });
    // 41732.6559837963 days after 1899-12-30.
    expect([scene.date, scene.time]).toEqual(['20140403', '15:44:37']);
    expect(scene.reference).toBeNull();
    expect(scene.warnings).toEqual([]);
    opened.close();
  });
});
