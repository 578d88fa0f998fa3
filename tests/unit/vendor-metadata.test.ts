/** What the readers list of the vendor's own metadata, each from a fixture of its format. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reader as tiffReader } from '../../packages/readers/src/formats/tiff/index.js';
import { METADATA_LIMITS } from '../../packages/readers/src/model/metadata-list.js';
import { openAcquisition } from '../../packages/server/src/open.js';
import { folderOnDisk } from '../../packages/server/src/platform-node/files.js';
import { lineScan as brukerLineScan, RASTER } from '../support/bruker.js';
import { CountingSource } from '../support/counting-source.js';
import { volume } from '../support/hdf5.js';
import { listHonestly } from '../support/honest.js';
import { seriesVector } from '../support/lif.js';
import { lineScan as lsmLineScan } from '../support/lsm.js';
import { timeSeries } from '../support/nd2.js';
import { lineScan } from '../support/oif.js';
import { smallImage } from '../support/ome-zarr.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { countingPage, description } from '../support/tiff-cases.js';
import { writeBruker } from '../writers/bruker.js';
import { loadEncoders } from '../writers/codecs.js';
import { writeCzi } from '../writers/czi.js';
import { stack } from '../writers/czi-kinds.js';
import { writeIms } from '../writers/ims.js';
import { writeLif, writeLof } from '../writers/lif.js';
import { recording, writeLsm } from '../writers/lsm.js';
import { picture, writeNd2 } from '../writers/nd2.js';
import { writeLegacyNd2 } from '../writers/nd2-legacy.js';
import { bool, bytes, f64, level, text } from '../writers/nd2-tree.js';
import { imagingPlane, movie, series, writeNwb } from '../writers/nwb.js';
import { writeOib, writeOif } from '../writers/oif.js';
import { writeOir } from '../writers/oir.js';
import { lineScan as oirLineScan } from '../writers/oir-kinds.js';
import { omeXml, tiffData } from '../writers/ome.js';
import { imageFiles, writeStore } from '../writers/ome-zarr.js';
import { alsMeta, alsSamples, frameText, scanimageText } from '../writers/scanimage.js';
import { type TagSpec, writeTiff } from '../writers/tiff.js';

const root = tempFolder();

/** Writes a file into a folder of its own; returns its path. */
function file(name: string, content: Uint8Array | string): string {
  const path = join(mkdtempSync(join(root, 'case-')), name);
  writeFileSync(path, content);
  return path;
}

/** Returns the list as `name=value`, with ` (note)` behind it. */
async function listed(path: string, scene = 0): Promise<string[]> {
  const { acquisition, close } = await openAcquisition(path);
  const entries = await listHonestly(acquisition, scene);
  close();
  return entries.map(({ name, value, note }) => `${name}=${value}${note ? ` (${note})` : ''}`);
}

/** Returns the entries among `expected` that the list has, in its order. */
async function among(path: string, expected: readonly string[]): Promise<string[]> {
  return (await listed(path)).filter((entry) => expected.includes(entry));
}

describe('CZI', () => {
  const objective = '<Objective Id="Objective:1"><LensNA>1.2</LensNA></Objective>';
  const xml =
    '<ImageDocument><Metadata><HardwareSetting><Stage>1</Stage></HardwareSetting>' +
    `<Information><Instrument><Objectives>${objective}</Objectives></Instrument></Information></Metadata></ImageDocument>`;

  it('lists the elements of the XML, with what is installed at the end', async () => {
    expect(await listed(file('a.czi', writeCzi({ ...stack(1, 1), xml })))).toEqual([
      'Information/Instrument/Objectives/Objective:1/LensNA=1.2',
      'HardwareSetting/Stage=1',
    ]);
  });

  it('finds the XML of a file that was not finished', async () => {
    const path = file('a.czi', writeCzi({ ...stack(1, 1), xml, finished: false }));
    expect(await listed(path)).toContain('Information/Instrument/Objectives/Objective:1/LensNA=1.2');
  });

  it('lists nothing without XML', async () => {
    const { blocks } = stack(1, 1);
    expect(await listed(file('a.czi', writeCzi({ blocks })))).toEqual([]);
  });
});

describe('ND2', () => {
  const tree = picture({ channels: [{ name: 'GFP' }, { name: 'RFP' }] });
  const more = [
    text('wsObjectiveName', 'Plan Apo 60x'),
    f64('dObjectiveNA', 1.4),
    level('pCameraSetting', [bool('Cooling', true), bytes('Table', new Uint8Array(9))]),
  ];
  const spec = timeSeries({
    picture: { ...tree, children: [...('children' in tree ? tree.children : []), ...more] } as typeof tree,
  });
  const expected = [
    'ImageMetadataSeq/wsObjectiveName=Plan Apo 60x',
    'ImageMetadataSeq/dObjectiveNA=1.4',
    'ImageMetadataSeq/pCameraSetting/Cooling=true',
    'ImageMetadataSeq/pCameraSetting/Table= (9 bytes)',
    'ImageTextInfo/TextInfoItem_5/Dimensions=T(120)',
    'ImageTextInfo/TextInfoItem_9=4/17/2025  4:39:00 PM',
  ];

  it('lists the trees of the file, also the levels that an open skips', async () => {
    expect(await among(file('a.nd2', writeNd2(spec)), expected)).toEqual(expected);
  });

  it('lists the XML of a JPEG 2000 file', async () => {
    const { jpeg2000 } = await loadEncoders();
    const image = jpeg2000({ bytes: new Uint8Array(32 * 48 * 2), width: 48, rows: 32, samples: 1 });
    const bytes = writeLegacyNd2({ images: [image], frames: 1, channels: ['GFP'], dimensions: 'T(1)', period: 5 });
    const list = await listed(file('a.nd2', bytes));
    expect(list).toContain('VIMD/dCalibration=0.46');
    expect(list).toContain('VIMD/sPicturePlanes/sPlane/i0/sOpticalConfigName=GFP');
    expect(list.at(-1)).toMatch(/^TINF\/TextInfoItem_5=Metadata:\r\nDimensions: T\(1\)/);
  });

  it('lists the trees of a file whose trees are XML', async () => {
    const inXml = expected.filter((entry) => !/Table|Dimensions/.test(entry));
    expect(await among(file('a.nd2', writeNd2({ ...spec, version: 2 })), inXml)).toEqual(inXml);
  });
});

describe('OIF and OIB', () => {
  const expected = [
    'Acquisition Parameters Common/ScanMode=XT',
    'Axis 0 Parameters Common/AxisCode=X',
    'GUI Channel 2 Parameters/CH Name=CHS1',
  ];

  it('lists the settings of the main file by their sections', async () => {
    expect(await among(writeOif(mkdtempSync(join(root, 'oif-')), lineScan()), expected)).toEqual(expected);
    expect(await among(file('a.oib', writeOib(lineScan())), expected)).toEqual(expected);
  });
});

describe('LIF', () => {
  const image = (name: string, Zoom: string) =>
    seriesVector({
      ...{ name, settings: { Zoom, ObjectiveName: 'HC PL APO 63x' } },
      inside: '<FilterSetting><FilterSettingRecord ObjectName="PMT 1" Attribute="Gain" Variant="700"/></FilterSetting>',
    });
  const spec = { elements: [{ name: 'Folder', elements: [image('A', '1.5')] }, image('B', '7')] };

  it('lists the settings of the image that is open', async () => {
    const setting = 'HardwareSetting/ATLConfocalSettingDefinition';
    const expected = (zoom: string) => [
      'ImageDescription/Channels/ChannelDescription[2]/LUTName=Red',
      `${setting}/Zoom=${zoom}`,
      `${setting}/ObjectiveName=HC PL APO 63x`,
    ];
    const path = file('a.lif', writeLif(spec));
    expect((await listed(path, 0)).filter((entry) => expected('1.5').includes(entry))).toEqual(expected('1.5'));
    expect((await listed(path, 1)).filter((entry) => expected('7').includes(entry))).toEqual(expected('7'));
    expect((await listed(path, 1)).join()).not.toContain('Zoom=1.5');
    expect(await listed(path, 0)).toContain(`${setting}/FilterSetting/PMT 1/Gain=700`);
  });

  it('lists the XML of a LOF file', async () => {
    expect(await listed(file('a.lof', writeLof(image('A', '3'))))).toContain(
      'HardwareSetting/ATLConfocalSettingDefinition/Zoom=3',
    );
  });
});

describe('LSM', () => {
  const end = { id: 0xffffffff };
  const detector = (gain: number) => [{ id: 0x70000000 }, { id: 0x70000003, real: gain }, end];
  const track = [
    { id: 0x40000000 },
    { id: 0x40000019, real: 1.5 },
    { id: 0x60000000 },
    ...detector(600),
    ...detector(700),
    end,
    end,
  ];
  const scan = recording({ id: 0x10000004, text: 'Plan-Neofluar 40x' }, { id: 0x20000000 }, ...track, end, {
    id: 0x1000fffe,
    long: -3,
  });

  it('lists the settings by the names of Zeiss', async () => {
    const spec = lsmLineScan();
    expect(await listed(file('a.lsm', writeLsm({ ...spec, info: { ...spec.info, scan } })))).toEqual([
      ...['DimensionX=4', 'DimensionY=1', 'DimensionZ=1', 'DimensionChannels=2', 'DimensionTime=6'],
      ...['VoxelSizeX=2.5e-7', 'VoxelSizeY=0', 'VoxelSizeZ=0', 'ScanType=2', 'TimeIntervall=0.002'],
      'Objective=Plan-Neofluar 40x',
      'Tracks/Track[1]/PixelTime=1.5',
      'Tracks/Track[1]/DetectionChannels/DetectionChannel[1]/DetectorGainFirst=600',
      'Tracks/Track[1]/DetectionChannels/DetectionChannel[2]/DetectorGainFirst=700',
      '0x1000fffe=-3',
    ]);
  });
});

describe('OIR', () => {
  it('lists the documents of the main file, and those of the first frame', async () => {
    const list = await listed(file('a.oir', writeOir(oirLineScan(70, 12, 16))));
    expect(list.filter((entry) => entry.startsWith('imageProperties/')).length).toBeGreaterThan(5);
    expect(list.filter((entry) => entry.startsWith('frameProperties/')).length).toBeGreaterThan(2);
  });
});

describe('Prairie View', () => {
  it('lists the settings by their keys, and those of the first frames', async () => {
    const state = { ...RASTER, dwellTime: 0.4, pmtGain: { 0: 650 }, preampGain: { 0: { 1: 3 } } };
    const path = writeBruker(mkdtempSync(join(root, 'bruker-')), brukerLineScan(5, [1], { state }));
    const list = await listed(path);
    const expected = ['PVStateShard/dwellTime=0.4', 'PVStateShard/pmtGain/0=650', 'PVStateShard/preampGain/0/1=3'];
    expect(list.filter((entry) => expected.includes(entry))).toEqual(expected);
    expect(list).toContain('Sequence[3]/Frame/PVStateShard/scanLinePeriod=0.008552');
    expect(list.at(-1)).toBe('Sequence[4]= (2 more elements of this name)');
  });
});

describe('TIFF', () => {
  const tiff = (...tags: TagSpec[]) => file('a.tif', writeTiff({ pages: [countingPage(1, tags)] }));

  it('lists tags by their names, without where the samples are', async () => {
    const list = await listed(
      tiff({ code: 65_000, type: 4, values: Array(40).fill(1) }, { code: 33_434, type: 4, values: [7] }),
    );
    expect(list).toContain('BitsPerSample=16');
    expect(list).toContain('ExposureTime=7');
    expect(list).toContain('Tag 65000= (40 values)');
    expect(list.join()).not.toMatch(/Strip(Offsets|ByteCounts)/);
  });

  it('lists the settings of ScanImage', async () => {
    const header = scanimageText({ 'hRoiManager.scanZoomFactor': '2.5', 'hScan2D.scanPixelTimeMean': '8e-08' });
    const json = '{"RoiGroups": {"imagingRoiGroup": {"rois": {"name": "field"}}}}';
    const path = tiff(
      description(frameText(1, 0)),
      { code: 305, type: 2, text: header },
      { code: 315, type: 2, text: json },
    );
    const expected = [
      'Software/SI.hRoiManager.scanZoomFactor=2.5',
      'Software/SI.hScan2D.scanPixelTimeMean=8e-08',
      'Artist/RoiGroups/imagingRoiGroup/rois/name=field',
    ];
    expect(await among(path, expected)).toEqual(expected);
  });

  it('lists the OME-XML of the image that is open', async () => {
    const sizes = { X: 4, Y: 3 };
    const image = (name: string, ifd: number) => ({ name, sizes, children: [tiffData({ IFD: ifd })] });
    const extra = '<Instrument ID="Instrument:0"><Objective ID="Objective:0:0" LensNA="0.8"/></Instrument>';
    const xml = omeXml({ images: [image('first', 0), image('second', 1)], extra });
    const page = (tags: TagSpec[]) => ({ width: 4, height: 3, samples: new Uint16Array(12), tags });
    const path = file('a.ome.tif', writeTiff({ pages: [page([description(xml)]), page([])] }));
    const list = await listed(path, 1);
    expect(list).toContain('ImageDescription/Instrument:0/Objective:0:0/LensNA=0.8');
    expect(list).toContain('ImageDescription/Image:1/Name=second');
    expect(list.join()).not.toContain('first');
  });

  it('lists the text that ImageJ keeps of another program, and lines of its own', async () => {
    const path = tiff(description('ImageJ=1.53t\nunit=micron'), {
      code: 51_123,
      type: 1,
      values: [...Buffer.from('{"Exposure-ms": 10, "Pump": "off"}')],
    });
    expect(await among(path, ['ImageDescription/unit=micron', 'MicroManagerMetadata/Exposure-ms=10'])).toHaveLength(2);
  });
});

it('an open does not read what only the list needs', async () => {
  const text = 'Key = value\n'.repeat(100_000);
  const bytes = writeTiff({ pages: [countingPage(1, [{ code: 65_000, type: 2, text }])] });
  const source = new CountingSource(bytes);
  const probe = { name: 'a.tif', kind: 'file', head: bytes.slice(0, 4096), entries: [], size: bytes.length } as const;
  const acquisition = await tiffReader.open({ probe, source, folder: folderOnDisk('/nowhere') });
  expect(source.bytes).toBeLessThan(50_000);
  await listHonestly(acquisition);
  expect(source.bytes).toBeGreaterThan(text.length);
});

describe('ScanImage line scans', () => {
  it('list the lines of the header and the regions', async () => {
    const folder = mkdtempSync(join(root, 'als-'));
    const values = {
      'hChannels.channelSave': '1',
      'hScan2D.lineScanSamplesPerFrame': '4',
      'hScan2D.sampleRate': '2000',
    };
    writeTemp(folder, 'a.meta.txt', alsMeta(values, '{"RoiGroups":{"name":"vessel"}}'));
    expect(await listed(writeTemp(folder, 'a.pmt.dat', alsSamples(Array(8).fill(1))))).toEqual([
      'SI.hChannels.channelSave=1',
      'SI.hScan2D.lineScanSamplesPerFrame=4',
      'SI.hScan2D.sampleRate=2000',
      'RoiGroups/name=vessel',
    ]);
  });
});

describe('OME-Zarr', () => {
  it('lists the documents of the group by their keys', async () => {
    const path = writeStore(join(mkdtempSync(join(root, 'zarr-')), 'a.ome.zarr'), await imageFiles(smallImage()));
    const expected = ['.zattrs/multiscales[0]/axes[1]/unit=micrometer', '.zattrs/omero/channels[0]/label=GFP'];
    const list = await listed(path);
    expect(list.filter((entry) => expected.includes(entry))).toEqual(expected);
  });
});

describe('HDF5', () => {
  it('lists the attributes of an Imaris file, without those of its samples', async () => {
    const list = await listed(file('a.ims', writeIms(volume({ image: { LensPower: '63x' } }))));
    expect(list).toContain('DataSetInfo/Image/LensPower=63x');
    expect(list.some((entry) => entry.startsWith('DataSet/'))).toBe(false);
  });

  it('lists the attributes and small datasets of an NWB file, and the shapes of the others', async () => {
    const data = series({ data: movie(2, 40, 30), dimension: [40, 30], rate: 10, plane: 'p' });
    const spec = { acquisition: { cell: data }, planes: { p: imagingPlane({ rate: 10, channels: ['GFP'] }) } };
    const list = await listed(file('a.nwb', writeNwb(spec)));
    expect(list).toContain('session_start_time=2024-03-05T14:18:23.000000-05:00');
    expect(list).toContain('general/optophysiology/p/imaging_rate=10');
    expect(list).toContain('acquisition/cell/data= (2 × 40 × 30 values (uint16))');
  });
});

describe('a file with a million settings', () => {
  it('gives as many as fit', async () => {
    const items = Array.from({ length: 200 }, (_, i) => `<S${i}>${'<v>1</v>'.repeat(200)}</S${i}>`).join('');
    const path = file(
      'a.czi',
      writeCzi({ ...stack(1, 1), xml: `<ImageDocument><Metadata>${items}</Metadata></ImageDocument>` }),
    );
    expect(await listed(path)).toHaveLength(METADATA_LIMITS.entries);
  });
});
