import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { allocateSamples, type SampleArray } from '../../packages/readers/src/model/samples/types.js';
import { type OpenedAcquisition, openAcquisition } from '../../packages/server/src/open.js';
import { readNative, sceneOf, toBytes } from '../support/native.js';
import { describeWithSamples, samplePath, samplesRoot } from '../support/samples.js';

const EXAMPLES = 'ome-zarr/BioImageTools+ome-zarr-examples/data';

/** What an independent reader found at a path of a store. */
interface ExpectedNode {
  path: string;
  shape?: number[];
  sha256_le_c?: string;
  min?: number;
  max?: number;
  multiscales?: { axes: string[]; datasets: [string, unknown][] }[];
}

function expectedStores(): [string, ExpectedNode[]][] {
  if (samplesRoot === undefined) return [];
  const all = JSON.parse(readFileSync(samplePath('EXPECTED.json'), 'utf8')) as { zarr: Record<string, ExpectedNode[]> };
  return Object.entries(all.zarr).filter(([path]) => !path.includes('/invalid/'));
}

/** Images with the array of their full resolution, in the order of the document. */
function expectedImages(nodes: ExpectedNode[]) {
  const names = (node: ExpectedNode) =>
    (node.multiscales ?? []).map(({ axes, datasets }) => ({
      axes: axes.map((axis) => (axis.split(':')[1] === 'channel' ? 'c' : (axis[0] as string))),
      path: `${node.path}${datasets[0]?.[0]}/`,
    }));
  return nodes.flatMap(names).map(({ axes, path }) => {
    const array = nodes.find((node) => node.path === path && node.shape);
    if (!array?.shape) throw new Error(`no array ${path}`);
    return { axes: axes.length > 0 ? axes : [...'tczyx'].slice(-array.shape.length), shape: array.shape, array };
  });
}

/** The whole array in its own order of axes. */
async function wholeArray(opened: OpenedAcquisition, scene: number, axes: string[], shape: number[]) {
  const { sampleType, sizes } = sceneOf(opened, scene);
  const planes = new Map<string, SampleArray>();
  const size = (letter: string) => shape[axes.indexOf(letter)] ?? 1;
  for (let channel = 0; channel < size('c'); channel++) {
    for (let t = 0; t < size('t'); t++) {
      for (let z = 0; z < size('z'); z++)
        planes.set(`${channel} ${t} ${z}`, await readNative(opened, scene, { channel, t, z }));
    }
  }
  const total = shape.reduce((product, n) => product * n, 1);
  const whole = allocateSamples(sampleType, total);
  for (let n = 0; n < total; n++) {
    const at: Record<string, number> = {};
    let rest = n;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      at[axes[axis] as string] = rest % (shape[axis] as number);
      rest = Math.floor(rest / (shape[axis] as number));
    }
    const plane = planes.get(`${at['c'] ?? 0} ${at['t'] ?? 0} ${at['z'] ?? 0}`) as SampleArray;
    whole[n] = plane[(at['y'] ?? 0) * sizes.X + (at['x'] ?? 0)] as never;
  }
  return toBytes(whole, sampleType);
}

describeWithSamples('OME-Zarr samples equal an independent reader', () => {
  it('has stores to compare', () => expect(expectedStores().length).toBeGreaterThan(8));

  it.each(expectedStores())('%s', async (path, nodes) => {
    const opened = await openAcquisition(samplePath(path));
    const images = expectedImages(nodes);
    expect(opened.acquisition.info.scenes).toHaveLength(images.length);
    for (const [scene, { axes, shape, array }] of images.entries()) {
      const digest = createHash('sha256')
        .update(await wholeArray(opened, scene, axes, shape))
        .digest('hex');
      expect(digest.slice(0, 16)).toBe(array.sha256_le_c);
    }
    opened.close();
  });

  it('calibrates and names', async () => {
    const opened = await openAcquisition(samplePath(`${EXAMPLES}/valid/image-03.zarr`));
    const micrometer = { step: 1, unit: 'micrometer', origin: 'file' };
    expect(sceneOf(opened, 0).steps).toMatchObject({ Z: micrometer, Y: micrometer, X: micrometer });
    expect(opened.acquisition.info.format).toBe('zarr');
    opened.close();
  });

  it('serves the wells of a plate as scenes', async () => {
    const opened = await openAcquisition(samplePath(`${EXAMPLES}/valid/plate-01.zarr`));
    expect(opened.acquisition.info.scenes.map(({ name }) => name)).toEqual(['A/1/0', 'A/2/0', 'B/1/0', 'B/2/0']);
    opened.close();
  });

  it.each([
    ['image-01', 'unsupported_format', 'has no "multiscales"'],
    ['image-02', 'decode_failed', '"multiscales" is empty'],
    ['image-03', 'decode_failed', 'image-03.zarr/0: the array that "multiscales" lists is missing'],
  ])('refuses invalid/%s for what is wrong with it', async (name, code, reason) => {
    const open = openAcquisition(samplePath(`${EXAMPLES}/invalid/${name}.zarr`));
    await expect(open).rejects.toMatchObject({ code, message: expect.stringContaining(reason) });
  });

  it.each([
    ['invalid/image-04', 'The level 1 has 2 dimensions; the full resolution has 3.'],
    ['warning/image-01', 'The level 1 has float64 samples; the full resolution has int64.'],
  ])('reads %s with a warning of what is wrong with it', async (name, warning) => {
    const opened = await openAcquisition(samplePath(`${EXAMPLES}/${name}.zarr`));
    expect(sceneOf(opened, 0).warnings).toContain(warning);
    opened.close();
  });
});
