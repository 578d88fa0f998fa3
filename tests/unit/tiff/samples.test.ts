import { expect, it } from 'vitest';
import { openFileSource } from '../../../src/io/byte-source.js';
import { NativeTarget, type SampleArray } from '../../../src/plane-target.js';
import { openTiff } from '../../../src/tiff/parse.js';
import { readPageSample } from '../../../src/tiff/read-page.js';
import { ArrayFacts, interleave } from '../../support/native.js';
import { describeWithSamples, type ExpectedImage, expectedFiles, samplePath } from '../../support/samples.js';

/** First page of a file against what an independent reader decoded, where one image is one page. */
async function factsOfFirstPage(path: string, image: ExpectedImage): Promise<ArrayFacts> {
  const source = openFileSource(path);
  try {
    const file = openTiff(source);
    const page = file.page(0);
    const { width, height, samplesPerPixel, sampleType } = page.layout;
    const planes: SampleArray[] = [];
    for (let sample = 0; sample < samplesPerPixel; sample++) {
      const target = new NativeTarget(sampleType, height, width);
      await readPageSample(file, page, sample, target);
      planes.push(target.data);
    }
    const facts = new ArrayFacts();
    if (image.axes.endsWith('S')) facts.add(interleave(planes), sampleType);
    else for (const plane of planes) facts.add(plane, sampleType);
    return facts;
  } finally {
    source.close();
  }
}

/** Fax coding is refused. */
/** Images of one page: every axis is a row, a column or a sample. */
const isRead = (compression = '') => !compression.startsWith('CCITT');
const isOnePage = (image: ExpectedImage) => ['YX', 'YXS', 'SYX'].includes(image.axes);

describeWithSamples('pages of real TIFF variants', () => {
  const cases = expectedFiles('tiff-variants/').flatMap(([path, file]): [string, ExpectedImage][] => {
    const image = file.images?.[0];
    const small = image && image.shape.reduce((product, size) => product * size) < 2 ** 25;
    return small && isOnePage(image) && isRead(file.comp) && image.sha256_le_c ? [[path, image]] : [];
  });

  it.each(cases)('%s', async (path, image) => {
    const facts = await factsOfFirstPage(samplePath(path), image);
    expect([facts.min, facts.max]).toEqual([image.min, image.max]);
    expect(facts.digest()).toBe(image.sha256_le_c);
  });

  const refused = [
    ['images/fax4.tiff', 'CCITT Group 4'],
    ['images/seq/seq-1c-1b-fax3-71f6a21a.tiff', 'CCITT Group 3'],
    ['images/logluv-3c-16b.tiff', 'SGI log'],
    ['libtiffpic/off_luv24.tif', 'SGI log 24-bit'],
    ['libtiffpic/text.tif', 'ThunderScan'],
    ['libtiffpic/zackthecat.tif', 'old-style JPEG'],
    ['libtiffpic/ycbcr-cat.tif', 'YCbCr colours subsampled 2 × 2'],
    ['libtiffpic/dscf0013.tif', 'YCbCr colours subsampled 2 × 1'],
  ];
  it.each(refused)('refuses %s by name', async (path, name) => {
    const image = { name: null, shape: [], axes: 'YXS', dtype: '' };
    await expect(
      factsOfFirstPage(samplePath(`tiff-variants/image-rs+image-tiff/${path}`), image),
    ).rejects.toMatchObject({
      code: 'unsupported_format',
      message: expect.stringContaining(name as string),
    });
  });
});
