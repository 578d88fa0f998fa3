import { expect, it } from 'vitest';
import { openAcquisition } from '../../packages/server/src/open.js';
import { ArrayFacts, readNative, sceneOf } from '../support/native.js';
import { describeWithSamples, expectedFiles, samplePath } from '../support/samples.js';

const SAMPLE = 'ims/imaris+ImarisWriter/Minimal_IMS_File.ims';

interface ExpectedDataset {
  name: string;
  min: number;
  max: number;
  sum: number;
  sha256_le_c: string;
}

describeWithSamples('Imaris samples equal an independent reader', () => {
  it('reads the file of the vendor’s own writer', async () => {
    const [, expected] = expectedFiles(SAMPLE)[0] as unknown as [string, { datasets: ExpectedDataset[] }];
    const data = expected.datasets.find(({ name }) => name.endsWith('Channel 0/Data'));
    const opened = await openAcquisition(samplePath(SAMPLE));
    const scene = sceneOf(opened, 0);
    expect(opened.acquisition.info.format).toBe('ims');
    expect([scene.sizes, scene.sampleType]).toEqual([{ T: 1, Z: 1, Y: 128, X: 128 }, 'uint16']);
    const facts = new ArrayFacts();
    facts.add(await readNative(opened, 0, { channel: 0 }), 'uint16');
    expect([facts.min, facts.max, facts.sum, facts.digest()]).toEqual([
      data?.min,
      data?.max,
      data?.sum,
      data?.sha256_le_c,
    ]);
    // (ExtMax − ExtMin) / size = (10 − 3) / 128; the file has no names, times and dates.
    expect(scene.steps.X).toEqual({ step: 7 / 128, unit: 'micrometer', origin: 'file' });
    expect(scene.steps.Y).toEqual(scene.steps.X);
    expect([scene.channels, scene.date, scene.time, scene.warnings]).toEqual([[{ name: 'CH1' }], '', '', []]);
    opened.close();
  });
});
