/** The real files as OME-Zarr, read by zarrita, against what independent readers read from the files. */
import { expect, it } from 'vitest';
import { AcqError } from '../../packages/readers/src/base/errors.js';
import { ZARR_VERSIONS, type ZarrVersion } from '../../packages/readers/src/derive/zarr/versions.js';
import type { Acquisition } from '../../packages/readers/src/model/acquisition.js';
import { type OpenedAcquisition, openAcquisition } from '../../packages/server/src/open.js';
import { expectFacts, factsOfImage } from '../support/expected-images.js';
import { LONG } from '../support/long.js';
import { describeWithSamples, type ExpectedFile, expectedFiles, samplePath } from '../support/samples.js';
import { expectSameImages, readArray } from '../support/zarr-read.js';
import { treeStore } from '../support/zarr-tree.js';

/** One small file of each format. */
const FEW = [
  'oib/cgohlke+oiffile/test.oib',
  'oif/wisstock+trans_scripts/01_21_21/cell3/cell3_01.oif',
  'czi/sebi06+czitools/CellDivision_T3_Z5_CH2_X240_Y170.czi',
  'czi/sebi06+czitools/WellD6-7_S2.czi',
  'lsm/jefferislab+jimpipeline/test.lsm',
  'nd2/soft-matter+pims/cluster.nd2',
  'stk/scifio+scifio/test.stk',
  'tiff-ome/ome+bioformats/2010-06/18x24y5z5t2c8b-text.ome.tiff',
  'tiff-olympus-kymograph/mapmanager+kymflow/Capillary1_0001.tif',
  'tiff-variants/image-rs+image-tiff/images/random-fp16.tiff',
  'tiff-variants/image-rs+image-tiff/images/gradient-3c-64b.tiff',
];

/** The acquisition as zarrita reads it from the tree of a version. */
function viaZarr(opened: OpenedAcquisition, version: ZarrVersion): OpenedAcquisition {
  const { acquisition } = opened;
  const store = treeStore(acquisition, version);
  const readPlane: Acquisition['readPlane'] = async ({ scene, channel, t, z }, target) => {
    const { data } = await readArray(store, version, `${scene}/0`, [t, channel, z, null, null]);
    const { rows, columns } = target;
    target.put({ samples: data, offset: 0, rowStride: columns, columnStride: 1 }, 0, 0, rows, columns);
  };
  return { ...opened, acquisition: { ...acquisition, info: acquisition.info, readPlane } };
}

async function expectFile(path: string, { images = [] }: ExpectedFile, version: ZarrVersion): Promise<number> {
  const opened = await openAcquisition(samplePath(path));
  const read = viaZarr(opened, version);
  let count = 0;
  for (const [scene, image] of images.entries()) {
    // Independent readers also list previews.
    if (image.error !== undefined || scene >= opened.acquisition.info.scenes.length) continue;
    expectFacts(await factsOfImage(read, scene, image), image);
    count++;
  }
  opened.close();
  return count;
}

describeWithSamples('the samples as OME-Zarr', () => {
  const files = new Map(expectedFiles('').filter(([path]) => FEW.includes(path)));

  it.each(FEW)('%s has the samples that an independent reader reads', async (path) => {
    const version = FEW.indexOf(path) % 2 === 0 ? '0.4' : '0.5';
    expect(await expectFile(path, files.get(path)!, version)).toBeGreaterThan(0);
  });

  it.runIf(LONG)(
    'every file has the samples that its reader reads, in both versions',
    { timeout: 1_200_000 },
    async () => {
      let count = 0;
      for (const [path] of expectedFiles('')) {
        if (path.endsWith('.npy')) continue;
        let opened: OpenedAcquisition;
        try {
          opened = await openAcquisition(samplePath(path));
        } catch (error) {
          if (error instanceof AcqError) continue;
          throw error;
        }
        for (const version of ZARR_VERSIONS) {
          try {
            await expectSameImages(opened.acquisition, version);
            count++;
          } catch (error) {
            // Variants that are not supported are refused when their pixels are read.
            if (!(error instanceof AcqError)) throw new Error(`${path} ${version}`, { cause: error });
          }
        }
        opened.close();
      }
      expect(count).toBeGreaterThan(500);
    },
  );
});
