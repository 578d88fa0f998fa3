import { describe, expect, it } from 'vitest';
import {
  documentText,
  rootDocuments,
  sceneDocuments,
  storedDocuments,
  type TreeDetails,
  zarrDocuments,
} from '../../packages/readers/src/derive/zarr/tree.js';
import type { ZarrVersion } from '../../packages/readers/src/derive/zarr/versions.js';
import { parseXml } from '../../packages/readers/src/io/xml.js';
import type { SceneInfo } from '../../packages/readers/src/model/acquisition.js';
import type { SampleType } from '../../packages/readers/src/model/samples/types.js';
import { acquisition, lineScan, micrometers, reference } from './scenes.js';

const DETAILS: TreeDetails = { name: 'scan.oir', fileSize: '4.8 MB', revision: 'ab'.repeat(32) };

// biome-ignore lint/suspicious/noExplicitAny: documents are checked one by one
type Json = any;

function documentsOf(version: ZarrVersion, ...scenes: SceneInfo[]): Map<string, Json> {
  return zarrDocuments(acquisition(...scenes), version, DETAILS);
}

/** OME metadata of a group, wherever the version has it. */
function omeOf(version: ZarrVersion, path: string, ...scenes: SceneInfo[]): Json {
  const documents = documentsOf(version, ...scenes);
  return version === '0.4' ? documents.get(`${path}/.zattrs`) : documents.get(`${path}/zarr.json`).attributes.ome;
}

describe('the documents of a tree', () => {
  it('are those of Zarr 2 in 0.4, with levels and the reference image', () => {
    expect([...documentsOf('0.4', lineScan({ reference })).keys()].sort()).toEqual([
      '.zattrs',
      '.zgroup',
      '.zmetadata',
      '0/.zattrs',
      '0/.zgroup',
      '0/.zmetadata',
      '0/0/.zarray',
      '0/1/.zarray',
      '0/2/.zarray',
      '0/reference/.zattrs',
      '0/reference/.zgroup',
      '0/reference/.zmetadata',
      '0/reference/0/.zarray',
      '0/reference/1/.zarray',
      'OME/.zattrs',
      'OME/.zgroup',
      'OME/METADATA.ome.xml',
    ]);
  });

  it('are those of Zarr 3 in 0.5', () => {
    expect([...documentsOf('0.5', lineScan(), lineScan({ reference })).keys()].sort()).toEqual([
      '0/0/zarr.json',
      '0/1/zarr.json',
      '0/2/zarr.json',
      '0/zarr.json',
      '1/0/zarr.json',
      '1/1/zarr.json',
      '1/2/zarr.json',
      '1/reference/0/zarr.json',
      '1/reference/1/zarr.json',
      '1/reference/zarr.json',
      '1/zarr.json',
      'OME/METADATA.ome.xml',
      'OME/zarr.json',
      'zarr.json',
    ]);
  });

  it('say that the root has the layout of bioformats2raw, and list its series', () => {
    const [second, third] = [documentsOf('0.4', lineScan(), lineScan()), documentsOf('0.5', lineScan(), lineScan())];
    expect(second.get('.zattrs')).toEqual({ 'bioformats2raw.layout': 3 });
    expect(second.get('OME/.zattrs')).toEqual({ series: ['0', '1'] });
    expect(third.get('zarr.json').attributes).toEqual({ ome: { version: '0.5', 'bioformats2raw.layout': 3 } });
    expect(third.get('OME/zarr.json').attributes).toEqual({ ome: { version: '0.5', series: ['0', '1'] } });
  });

  it.each(['0.4', '0.5'] as const)('keep the lines of a line scan as an axis of space in seconds (%s)', (version) => {
    const [multiscale] = omeOf(version, '0', lineScan()).multiscales;
    expect(multiscale.axes).toEqual([
      { name: 't', type: 'time' },
      { name: 'c', type: 'channel' },
      { name: 'z', type: 'space' },
      { name: 'y', type: 'space', unit: 'second' },
      { name: 'x', type: 'space', unit: 'micrometer' },
    ]);
    expect(multiscale.datasets).toEqual([
      { path: '0', coordinateTransformations: [{ type: 'scale', scale: [1, 1, 1, 0.00117, 0.25] }] },
      {
        path: '1',
        coordinateTransformations: [
          { type: 'scale', scale: [1, 1, 1, 0.00234, 0.5] },
          { type: 'translation', translation: [0, 0, 0, 0.000585, 0.125] },
        ],
      },
      {
        path: '2',
        coordinateTransformations: [
          { type: 'scale', scale: [1, 1, 1, 0.00468, 1] },
          { type: 'translation', translation: [0, 0, 0, 0.00117 * 1.5, 0.375] },
        ],
      },
    ]);
    expect([multiscale.name, multiscale.type, multiscale.version]).toEqual([
      'vessel',
      'mean',
      version === '0.4' ? '0.4' : undefined,
    ]);
  });

  it.each(['0.4', '0.5'] as const)('show the depths of an x–z scan in micrometers (%s)', (version) => {
    const { steps } = lineScan();
    const scene = lineScan({ name: '', rowAxis: 'z', steps: { ...steps, Y: micrometers(0.3) } });
    const [{ axes, name }] = omeOf(version, '0', scene).multiscales;
    expect(axes[3]).toEqual({ name: 'y', type: 'space', unit: 'micrometer' });
    expect(name).toBe('scan.oir');
    const documents = documentsOf(version, scene);
    const attributes = documents.get('0/.zattrs') ?? documents.get('0/zarr.json').attributes;
    expect(attributes.acquisition_store.rowAxis).toBe('z');
  });

  it('give colors and windows of the file to channels, else the range of the type', () => {
    expect(omeOf('0.4', '0', lineScan()).omero).toEqual({
      channels: [
        { label: 'Fluo-4', color: 'FF8000', active: true, window: { min: 0, max: 65_535, start: 10, end: 900 } },
        { label: 'CH2', color: 'FF00FF', active: true, window: { min: 0, max: 65_535, start: 0, end: 65_535 } },
      ],
      rdefs: { model: 'color', defaultT: 0, defaultZ: 0 },
    });
    const many = Array.from({ length: 8 }, (_, i) => ({ name: `CH${i + 1}` }));
    const { channels } = omeOf('0.5', '0', lineScan({ channels: many })).omero;
    expect(channels.map(({ active }: Json) => active).lastIndexOf(true)).toBe(5);
    expect(channels[6].color).toBe('00FF00');
    expect(omeOf('0.5', '0', lineScan({ channels: [{ name: 'CH1' }] })).omero.channels[0].color).toBe('FFFFFF');
  });

  it('take display ranges that were computed', () => {
    const range = { min: -2, max: 8, start: 0.5, end: 7 };
    const documents = sceneDocuments(acquisition(lineScan({ sampleType: 'float32' })), '0.4', 0, {
      ...DETAILS,
      ranges: new Map([['0', [undefined, range]]]),
    });
    const windows = (documents.get('0/.zattrs') as Json).omero.channels.map(({ window }: Json) => window);
    expect(windows).toEqual([{ min: 10, max: 900, start: 10, end: 900 }, range]);
  });

  it.each<[SampleType, string, string]>([
    ['uint8', '|u1', 'uint8'],
    ['int8', '|i1', 'int8'],
    ['uint16', '<u2', 'uint16'],
    ['int16', '<i2', 'int16'],
    ['uint32', '<u4', 'uint32'],
    ['int32', '<i4', 'int32'],
    ['uint64', '<u8', 'uint64'],
    ['int64', '<i8', 'int64'],
    ['float16', '<f4', 'float32'],
    ['float32', '<f4', 'float32'],
    ['float64', '<f8', 'float64'],
  ])('describe arrays of %s without compression', (sampleType, second, third) => {
    const scene = lineScan({ sampleType, sizes: { T: 4, Z: 3, Y: 3_000, X: 1_100 } });
    expect(documentsOf('0.4', scene).get('0/1/.zarray')).toEqual({
      zarr_format: 2,
      shape: [4, 2, 3, 1_500, 550],
      chunks: [1, 1, 1, 1_024, 550],
      dtype: second,
      order: 'C',
      compressor: null,
      filters: null,
      fill_value: 0,
      dimension_separator: '/',
    });
    expect(documentsOf('0.5', scene).get('0/0/zarr.json')).toEqual({
      zarr_format: 3,
      node_type: 'array',
      shape: [4, 2, 3, 3_000, 1_100],
      data_type: third,
      chunk_grid: { name: 'regular', configuration: { chunk_shape: [1, 1, 1, 1_024, 1_024] } },
      chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
      fill_value: 0,
      codecs: [{ name: 'bytes', configuration: { endian: 'little' } }],
      dimension_names: ['t', 'c', 'z', 'y', 'x'],
      attributes: {},
    });
  });

  it('repeat everything below a scene for readers that cannot list; below the root when there is one scene', () => {
    const second = documentsOf('0.4', lineScan({ reference }));
    expect(Object.keys(second.get('.zmetadata').metadata)).toHaveLength(13);
    expect(second.get('.zmetadata').metadata['0/reference/1/.zarray']).toEqual(second.get('0/reference/1/.zarray'));
    expect(Object.keys(second.get('0/.zmetadata').metadata).sort()).toEqual([
      '.zattrs',
      '.zgroup',
      '0/.zarray',
      '1/.zarray',
      '2/.zarray',
      'reference/.zattrs',
      'reference/.zgroup',
      'reference/0/.zarray',
      'reference/1/.zarray',
    ]);
    const third = documentsOf('0.5', lineScan());
    const { kind, must_understand, metadata } = third.get('zarr.json').consolidated_metadata;
    expect([kind, must_understand, Object.keys(metadata)]).toEqual([
      'inline',
      false,
      ['0', 'OME', '0/0', '0/1', '0/2'],
    ]);
    expect(Object.keys(third.get('0/zarr.json').consolidated_metadata.metadata)).toEqual(['0', '1', '2']);
    expect(documentsOf('0.4', lineScan(), lineScan()).has('.zmetadata')).toBe(false);
    expect(documentsOf('0.5', lineScan(), lineScan()).get('zarr.json')).not.toHaveProperty('consolidated_metadata');
  });

  it('contain the header of the scene, also in the spelling of the Python acqstore', () => {
    const { acquisition_store, acqstore_pixels } = documentsOf('0.4', lineScan()).get('0/.zattrs');
    expect(acquisition_store).toMatchObject({
      header: { dims: ['C', 'Y', 'X'], physicalUnits: [1, 0.00117, 0.25], calibration: ['default', 'file', 'file'] },
      warnings: ['Only 3,000 of 5,000 lines were recorded.'],
      source: { name: 'scan.oir', format: 'oir', revision: DETAILS.revision },
    });
    expect(acqstore_pixels.header).toEqual({
      shape: [2, 3_000, 38],
      dims: ['C', 'Y', 'X'],
      sizes: { C: 2, Y: 3_000, X: 38 },
      dtype: 'uint16',
      num_channels: 2,
      physical_units: [1, 0.00117, 0.25],
      physical_units_labels: ['Channels', 'seconds', 'micrometer'],
      date: '20260115',
      time: '10:30:00',
      file_size: '4.8 MB',
    });
    const documents = documentsOf('0.4', lineScan({ reference }));
    expect(documents.get('0/reference/.zattrs').acquisition_store).toEqual({ lineRoi: [1, 2, 3, 4], scanPath: null });
  });

  it('are ASCII, because zarr 2.13 reads nothing else', () => {
    const scene = lineScan({ name: 'Gefäß 𝛼\u007f', channels: [{ name: 'µ–\ud800' }] });
    const attributes = documentsOf('0.4', scene).get('0/.zattrs');
    const text = documentText(attributes);
    expect(text).toMatch(/^[\x00-\x7e]*$/);
    expect(JSON.parse(text)).toEqual(attributes);
  });

  it('are the same for the root and each scene alone', () => {
    const info = acquisition(lineScan({ reference }), lineScan());
    for (const version of ['0.4', '0.5'] as const) {
      const parts = [
        rootDocuments(info, version, DETAILS),
        ...[0, 1].map((s) => sceneDocuments(info, version, s, DETAILS)),
      ];
      expect(new Map(parts.flatMap((part) => [...part]))).toEqual(zarrDocuments(info, version, DETAILS));
    }
  });
});

describe('the documents of a store on the disk', () => {
  const stored = (version: ZarrVersion, ...scenes: SceneInfo[]): Map<string, Json> =>
    storedDocuments(acquisition(...scenes), version, DETAILS);

  it('have one scene at the root, in Zarr 2', () => {
    const documents = stored('0.4', lineScan({ reference }));
    expect([...documents.keys()].sort()).toEqual([
      '.zattrs',
      '.zgroup',
      '.zmetadata',
      '0/.zarray',
      '1/.zarray',
      '2/.zarray',
      'OME/.zattrs',
      'OME/.zgroup',
      'OME/METADATA.ome.xml',
      'reference/.zattrs',
      'reference/.zgroup',
      'reference/.zmetadata',
      'reference/0/.zarray',
      'reference/1/.zarray',
    ]);
    expect(documents.get('OME/.zattrs')).toEqual({});
    const consolidated = Object.keys(documents.get('.zmetadata').metadata);
    const below = [...documents.keys()].filter((key) => !/\.zmetadata$|\.xml$/.test(key));
    expect(consolidated.sort()).toEqual(below.sort());
  });

  it('have one scene at the root, in Zarr 3', () => {
    const documents = stored('0.5', lineScan({ reference }));
    expect([...documents.keys()].sort()).toEqual([
      '0/zarr.json',
      '1/zarr.json',
      '2/zarr.json',
      'OME/METADATA.ome.xml',
      'OME/zarr.json',
      'reference/0/zarr.json',
      'reference/1/zarr.json',
      'reference/zarr.json',
      'zarr.json',
    ]);
    expect(documents.get('OME/zarr.json')).toEqual({ zarr_format: 3, node_type: 'group', attributes: {} });
    const { metadata } = documents.get('zarr.json').consolidated_metadata;
    expect(Object.keys(metadata).sort()).toEqual(['0', '1', '2', 'OME', 'reference', 'reference/0', 'reference/1']);
  });

  it.each(['0.4', '0.5'] as const)('say the same of one scene as the tree that the server has (%s)', (version) => {
    const [own, served] = [stored(version, lineScan({ reference })), documentsOf(version, lineScan({ reference }))];
    const names = version === '0.4' ? ['.zgroup', '.zattrs', '0/.zarray', 'reference/.zattrs'] : ['0/zarr.json'];
    for (const key of names) expect(own.get(key)).toEqual(served.get(`0/${key}`));
    const ome = (documents: Map<string, Json>, path: string) => documents.get(`${path}zarr.json`)?.attributes;
    expect(ome(own, '')).toEqual(ome(served, '0/'));
    expect(own.get('OME/METADATA.ome.xml')).toBe(served.get('OME/METADATA.ome.xml'));
  });

  it.each(['0.4', '0.5'] as const)('are those that the server has of several scenes (%s)', (version) => {
    expect(stored(version, lineScan(), lineScan())).toEqual(documentsOf(version, lineScan(), lineScan()));
  });
});

describe('OME-XML of an acquisition', () => {
  it('has the sizes, steps, channels and date of every scene, and the period of line scans', () => {
    const xml = documentsOf('0.5', lineScan(), lineScan({ name: '', date: '', time: '' })).get('OME/METADATA.ome.xml');
    const { root } = parseXml(xml);
    const [first, second, annotations] = root?.children ?? [];
    expect(first?.attributes).toEqual({ ID: 'Image:0', Name: 'vessel' });
    expect(second?.attributes['Name']).toBe('scan.oir');
    expect(first?.children.map(({ name }) => name)).toEqual(['AcquisitionDate', 'Pixels', 'AnnotationRef']);
    expect(first?.children[0]?.text).toBe('2026-01-15T10:30:00');
    const pixels = first?.children[1];
    expect(pixels?.attributes).toEqual({
      ...{ ID: 'Pixels:0', DimensionOrder: 'XYZCT', Type: 'uint16', BigEndian: 'false' },
      ...{ SizeX: '38', SizeY: '3000', SizeZ: '1', SizeC: '2', SizeT: '1' },
      ...{ PhysicalSizeX: '0.25', PhysicalSizeXUnit: 'µm' },
    });
    expect(pixels?.children.map(({ name }) => name)).toEqual(['Channel', 'Channel', 'MetadataOnly']);
    // 0xFF8000FF as a signed integer.
    expect(pixels?.children[0]?.attributes).toMatchObject({ Name: 'Fluo-4', Color: '-8388353', SamplesPerPixel: '1' });
    const entries = annotations?.children[0]?.children[0]?.children.map(({ text }) => text);
    expect(entries).toEqual(['0.00117', 's']);
  });

  it('can hold any name', () => {
    const name = 'a<b>&"c"\t\n\u0001\ud800é';
    const xml = documentsOf('0.4', lineScan({ name })).get('OME/METADATA.ome.xml');
    expect(parseXml(xml).root?.children[0]?.attributes['Name']).toBe('a<b>&"c"\t\n\ufffd\ufffdé');
  });
});
