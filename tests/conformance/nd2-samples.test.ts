import { expect, it } from 'vitest';
import { openAcquisition } from '../../packages/server/src/open.js';
import { expectFacts, factsOfImage } from '../support/expected-images.js';
import { sceneOf } from '../support/native.js';
import { describeWithSamples, expectedFiles, samplePath } from '../support/samples.js';

describeWithSamples('the ND2 samples', () => {
  it.each(expectedFiles('nd2/'))('%s equals what an independent reader reads', async (path, expected) => {
    const opened = await openAcquisition(samplePath(path));
    const [image] = expected.images ?? [];
    if (!image || expected.images?.length !== 1) throw new Error('one expected image');
    expect(opened.acquisition.info.scenes).toHaveLength(1);
    const facts = await factsOfImage(opened, 0, image);
    expectFacts(facts, image);
    expect(sceneOf(opened, 0).warnings).toEqual([]);
    opened.close();
  });

  it('include a confocal time series of stacks with its steps and times', async () => {
    const opened = await openAcquisition(samplePath('nd2/soft-matter+pims/cluster.nd2'));
    const scene = sceneOf(opened, 0);
    expect(scene.sizes).toEqual({ T: 3, Z: 10, Y: 31, X: 38 });
    expect(scene.channels.map(({ name }) => name)).toEqual(['5-FAM/pH 9.0', 'FM 4-64/2% CHAPS']);
    expect(scene.steps.X).toEqual({ step: 0.16780898323268245, unit: 'micrometer', origin: 'file' });
    expect(scene.steps.Y).toEqual({ step: 0.16780898323268245, unit: 'micrometer', origin: 'file' });
    expect(scene.steps.Z).toEqual({ step: 0.5, unit: 'micrometer', origin: 'file' });
    // The file has no period; frames 0, 10 and 20 were taken at 0.445, 11.086 and 21.740 s.
    expect(scene.steps.T.unit).toBe('seconds');
    expect(scene.steps.T.step).toBeCloseTo(10.647547, 6);
    // Day first: the file says 18/06/2014, and 18 June 2014 in UTC.
    expect([scene.date, scene.time]).toEqual(['20140618', '15:55:27']);
    opened.close();
  });

  it('include a time series that was stopped at 53 of 120 frames', async () => {
    const opened = await openAcquisition(
      samplePath('nd2/Arcadia-Science+arcadia-microscopy-tools/example-timelapse.nd2'),
    );
    const scene = sceneOf(opened, 0);
    expect(scene.sizes).toEqual({ T: 53, Z: 1, Y: 64, X: 64 });
    expect(scene.steps.X.step).toBe(0.325);
    expect(scene.steps.T).toEqual({ step: 0.5001600013146034, unit: 'seconds', origin: 'file' });
    expect([scene.date, scene.time]).toEqual(['20250327', '16:23:34']);
    opened.close();
  });

  it('include a wide-field image with the names of its channels', async () => {
    const opened = await openAcquisition(
      samplePath('nd2/Arcadia-Science+arcadia-microscopy-tools/example-multichannel.nd2'),
    );
    const scene = sceneOf(opened, 0);
    expect(scene.channels.map(({ name }) => name)).toEqual(['Mono', 'DAPI', 'FITC BP', 'TRITC BP']);
    expect(scene.steps.X.step).toBe(0.323390342594048);
    expect([scene.date, scene.time]).toEqual(['20250417', '16:39:00']);
    opened.close();
  });
});
