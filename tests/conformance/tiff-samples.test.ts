import { expect, it } from 'vitest';
import type { SamplePiece } from '../../packages/readers/src/model/samples/plane-target.js';
import { type OpenedAcquisition, openAcquisition } from '../../packages/server/src/open.js';
import { factsOfImage } from '../support/expected-images.js';
import { ArrayFacts, interleave, readNative, sceneOf } from '../support/native.js';
import { describeWithSamples, type ExpectedFile, expectedFiles, samplePath } from '../support/samples.js';

/** What is not supported, by name: the answer must say what it is. */
const REFUSED: [path: RegExp, message: RegExp][] = [
  // Logarithmic luminance of renderers. The independent reader refuses it as well.
  [/logluv-3c-16b\.tiff$|off_l16\.tif$|off_luv\d\d\.tif$/, /SGI log/],
  // Scans of a Macintosh accessory. Its second page, a plain one, is read below.
  [/text\.tif$/, /ThunderScan/],
];

/** Colors that tifffile does not convert: SHA-256 of the RGB pixels of libtiff 4.7.1, by page. */
const CONVERTED: [path: RegExp, sha256: string[]][] = [
  [
    /dscf0013\.tif$/,
    [
      '599c85af69a3226405bcec796372300d9e40e9b29560d69080b81e525d457d32',
      'a9012c482e76c41f77e05fdb099a0fef790a31802d8c556f005e825b5543ec0a',
    ],
  ],
  [/smallliz\.tif$|ojpeg-strip\.tif$/, ['e9a84795293178a722a721662b682248e9508c27907500567bfe117db9144f2c']],
  [/zackthecat\.tif$|ojpeg-tile\.tif$/, ['07e14337293205b2aea2a4ae0b38ac5e52afeb88707e4678b4085eb8ec708d62']],
  [/ycbcr-cat\.tif$|subsampled\.tif$/, ['17b4f0ac94046b9326e4a87727661518fa236e3a95251d478f5ae9dbf8f585b5']],
];

/** Where our idea of what the file holds differs from the independent reader's; tested below, on its own. */
const DIFFERENT = /sparse\.tiff$/;

/**
 * Members of a set: the independent reader saw one file, we serve the set that it belongs to. The place of the file's
 * plane in the set: by the number in its name.
 */
const MEMBERS: [path: RegExp, place: (match: RegExpExecArray) => Place][] = [
  [/(?:split-|multifile-)Z(\d)\.ome\.tiff$/, (m) => ({ scene: 0, z: Number(m[1]) - 1, channel: 0 })],
  [/Cycle0000(\d)_Ch(\d)_000001\.ome\.tif$/, (m) => ({ scene: Number(m[1]) - 1, z: 0, channel: Number(m[2]) - 1 })],
];

/** Further scenes of a file of which the independent reader listed the first eight only. */
const MORE_SCENES: Record<string, number> = {
  'tiff-ome/ome+bioformats/2010-06/6x4y1z1t1c8b-swatch-1s1p4w2ws.ome.tiff': 11,
  'tiff-ome/ome+bioformats/2010-06/6x4y1z1t1c8b-swatch-2s2p4w2ws.ome.tiff': 22,
};

interface Place {
  scene: number;
  z: number;
  channel: number;
}

const files = expectedFiles('tiff-', 'stk/', 'bruker/');
const refusal = (path: string) => REFUSED.find(([pattern]) => pattern.test(path))?.[1];

function member(path: string, expected: ExpectedFile): Place | undefined {
  // The file that holds the metadata of the set was read as the set by both.
  if (expected.images?.length !== 1 || expected.images[0]?.axes.includes('C')) return undefined;
  for (const [pattern, place] of MEMBERS) {
    const match = pattern.exec(path);
    if (match) return place(match);
  }
  return undefined;
}

describeWithSamples('TIFF samples equal independent readers', () => {
  const isConverted = (path: string) => CONVERTED.some(([pattern]) => pattern.test(path));
  const read = files.filter(([path]) => refusal(path) === undefined && !DIFFERENT.test(path) && !isConverted(path));

  it.each(CONVERTED)('%s: colors equal those of libtiff', async (pattern, hashes) => {
    const paths = files.map(([path]) => path).filter((path) => pattern.test(path));
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) {
      const opened = await openAcquisition(samplePath(path));
      const found = [];
      for (const scene of opened.acquisition.info.scenes.keys()) {
        expect(sceneOf(opened, scene).channels.map(({ name }) => name)).toEqual(['R', 'G', 'B']);
        found.push((await memberFacts(opened, { scene, z: 0, channel: 0 }, 3)).digest());
      }
      expect(found).toEqual(hashes);
      opened.close();
    }
  });

  it.each(read.filter(([path, expected]) => !member(path, expected)))('%s', async (path, expected) => {
    const opened = await openAcquisition(samplePath(path));
    const images = expected.images ?? [];
    expect(opened.acquisition.info.scenes).toHaveLength(MORE_SCENES[path] ?? images.length);
    for (const [scene, image] of images.entries()) {
      expect(sceneOf(opened, scene).sampleType).toBe(image.dtype === 'bool' ? 'uint8' : image.dtype);
      const facts = await factsOfImage(opened, scene, image);
      expect(facts.digest(), `pixels of scene ${scene}`).toBe(image.sha256_le_c);
      expect([facts.min, facts.max]).toEqual([image.min, image.max]);
      expect(facts.sum / (image.sum || 1)).toBeCloseTo(image.sum ? 1 : 0, 9);
    }
    opened.close();
  });

  it.each(read.filter(([path, expected]) => member(path, expected)))(
    '%s as part of its set',
    async (path, expected) => {
      const opened = await openAcquisition(samplePath(path));
      const place = member(path, expected) as Place;
      const [image] = expected.images ?? [];
      const samples = image?.axes.endsWith('S') ? (image.shape.at(-1) ?? 1) : 1;
      const facts = await memberFacts(opened, place, samples);
      expect(facts.digest()).toBe(image?.sha256_le_c);
      opened.close();
    },
  );

  it.each(files.filter(([path]) => refusal(path)))('%s is refused by name', async (path) => {
    const reading = (async () => {
      const opened = await openAcquisition(samplePath(path));
      try {
        await readNative(opened, 0, { channel: 0 });
      } finally {
        opened.close();
      }
    })();
    await expect(reading).rejects.toMatchObject({
      code: 'unsupported_format',
      message: expect.stringMatching(refusal(path) as RegExp),
    });
  });

  it('reads the plain second page of text.tif', async () => {
    const [path, expected] = files.find(([name]) => name.endsWith('text.tif')) ?? ['', { reader: '' }];
    const opened = await openAcquisition(samplePath(path));
    const image = expected.images?.[1];
    const facts = await factsOfImage(opened, 1, image ?? { name: '', shape: [], axes: '', dtype: '' });
    expect(facts.digest()).toBe(image?.sha256_le_c);
    opened.close();
  });

  it('serves level 0 of sparse.tiff, tiles that were never written as zeros', async () => {
    // The independent reader takes the fourth page (2,048²) for an image of its own: 20,480 ÷ 2,048 is no power of
    // two. Its tag 254 is 1, a reduced version. 1.7 GB of zeros are not hashed here: a band of them is looked at.
    const opened = await openAcquisition(samplePath('tiff-variants/blacha+cogeotiff/sparse.tiff'));
    const { sizes, sampleType, channels } = sceneOf(opened, 0);
    expect(opened.acquisition.info.scenes).toHaveLength(1);
    expect([sizes.Y, sizes.X, sampleType, channels.length]).toEqual([20_480, 20_480, 'uint8', 4]);
    let pixels = 0;
    let sum = 0;
    const put = (block: SamplePiece, _row: number, _column: number, rows: number, columns: number) => {
      for (let r = 0; r < rows; r++) {
        for (let x = 0; x < columns; x++) {
          sum += Number(block.samples[block.offset + r * block.rowStride + x * block.columnStride]);
        }
      }
      pixels += rows * columns;
    };
    await opened.acquisition.readPlane({ scene: 0, channel: 0, t: 0, z: 0 }, { rows: sizes.Y, columns: sizes.X, put });
    expect([pixels, sum]).toEqual([20_480 * 20_480, 0]);
    opened.close();
  });
});

async function memberFacts(opened: OpenedAcquisition, place: Place, samples: number): Promise<ArrayFacts> {
  const parts = [];
  for (let s = 0; s < samples; s++) {
    parts.push(await readNative(opened, place.scene, { z: place.z, channel: place.channel * samples + s }));
  }
  const facts = new ArrayFacts();
  facts.add(interleave(parts), sceneOf(opened, place.scene).sampleType);
  return facts;
}
