import { expect, it } from 'vitest';
import { Hdf5File } from '../../packages/readers/src/hdf5/file.js';
import { NativeTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import { openAcquisition } from '../../packages/server/src/open.js';
import { openFileSource } from '../../packages/server/src/platform-node/file-source.js';
import { ArrayFacts, readNative, sceneOf } from '../support/native.js';
import { describeWithSamples, expectedFiles, samplePath } from '../support/samples.js';

const PYNWB = 'nwb/NeurodataWithoutBorders+pynwb';
const H5WASM = 'hdf5/usnistgov+h5wasm';

interface ExpectedDataset {
  name: string;
  shape: number[];
  dtype: string;
  sha256_le_c?: string;
}

describeWithSamples('NWB samples', () => {
  it('reads the series of pynwb as an independent reader does', async () => {
    const opened = await openAcquisition(samplePath(`${PYNWB}/1.5.1_imageseries_no_unit.nwb`));
    const scene = sceneOf(opened, 0);
    expect(scene.name).toBe('test_imageseries');
    expect([scene.sizes, scene.sampleType]).toEqual([{ T: 3, Z: 1, Y: 3, X: 3 }, 'float64']);
    expect(scene.steps.T).toEqual({ step: 1, unit: 'seconds', origin: 'derived' });
    expect([scene.date, scene.time]).toEqual(['20220901', '22:48:52']);
    for (let t = 0; t < 3; t++) {
      expect(await readNative(opened, 0, { channel: 0, t })).toEqual(new Float64Array(9).fill(1));
    }
    opened.close();
  });

  it.each([
    [
      '1.5.1_imageseries_no_data',
      /nothing in the file can be read. test_imageseries: the frames are in "external_file", which was not found in/,
    ],
    ['2.1.0_imageseries_no_data', /the frames are in "external_file"/],
    ['2.1.0_imageseries_non_external_format', /the frames are in "external_file"/],
    ['2.1.0_imageseries_nonmatch_starting_frame', /the frames are in "external_file"/],
    ['1.0.2_nwbfile', /is an NWB file without image series, line scans or images/],
    ['1.1.2_nwbfile', /without image series/],
    ['2.2.0_subject_no_age__reference', /without image series/],
  ])('says why %s holds nothing', async (name, reason) => {
    await expect(openAcquisition(samplePath(`${PYNWB}/${name}.nwb`))).rejects.toThrow(reason);
  });

  it('says what other HDF5 files hold', async () => {
    const open = (name: string) => openAcquisition(samplePath(`${H5WASM}/${name}.h5`));
    await expect(open('array')).rejects.toThrow(
      /array\.h5 is a general HDF5 file with .*\(2 × 2 × 2 int64\).*\. It has no image/,
    );
    await expect(open('empty')).rejects.toMatchObject({ code: 'unsupported_format' });
  });
});

describeWithSamples('HDF5 arrays of samples equal an independent reader', () => {
  const files = expectedFiles(H5WASM) as unknown as [string, { datasets: ExpectedDataset[] }][];
  const planes = files.flatMap(([path, { datasets }]) =>
    datasets.filter(({ shape, sha256_le_c }) => shape.length >= 2 && sha256_le_c).map((one) => ({ path, ...one })),
  );

  it.each(planes)('$path $name', async ({ path, name, shape, dtype, sha256_le_c }) => {
    const source = openFileSource(samplePath(path));
    const dataset = new Hdf5File(source).find(name)?.dataset;
    expect(dataset?.shape).toEqual(shape);
    if (!dataset) return;
    const last = shape.length - 1;
    const facts = new ArrayFacts();
    const read = async () => {
      for (let i = 0; i < (last === 2 ? (shape[0] as number) : 1); i++) {
        const target = new NativeTarget(dataset.sampleType, shape[last - 1] as number, shape[last] as number);
        await dataset.readPlane({ row: last - 1, column: last, at: [i, 0, 0].slice(0, last + 1) }, target);
        facts.add(target.data, dataset.sampleType);
      }
    };
    await read();
    expect(dataset.sampleType).toBe(dtype === 'bool' ? 'uint8' : dtype);
    expect(facts.digest()).toBe(sha256_le_c);
    source.close();
  });
});
