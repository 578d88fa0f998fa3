/** What real files say about the recording, compared with what their vendors' programs show. */
import { expect, it } from 'vitest';
import { openAcquisition } from '../../packages/server/src/open.js';
import { listHonestly } from '../support/honest.js';
import { describeWithSamples, samplePath } from '../support/samples.js';

const LEICA = 'HardwareSetting/ATLConfocalSettingDefinition';
const DETECTOR = 'Tracks/Track[1]/DetectionChannels/DetectionChannel[1]';

const FILES: readonly (readonly [path: string, entries: Record<string, string>])[] = [
  [
    'czi/sebi06+czitools/LSM880_AiryScan.czi',
    {
      'Information/Instrument:0/Objectives/Objective:0/Manufacturer/Model': 'Plan-Apochromat 63x/1.4 Oil DIC M27',
      'Information/Image/Dimensions/Channels/Channel[2]/DetectorSettings/Gain': '684',
      'Experiment/ExperimentBlocks/AcquisitionBlock/Lasers/Laser[1]/LaserName': 'HeNe633',
    },
  ],
  [
    'nd2/Arcadia-Science+arcadia-microscopy-tools/example-multichannel.nd2',
    {
      'ImageMetadataSeq/wsObjectiveName': 'Plan Apo λ 20x',
      'ImageMetadataSeq/dObjectiveNA': '0.75',
      'ImageTextInfo/TextInfoItem_5/Camera Name': 'Fusion, SN:500651',
    },
  ],
  [
    'oib/cgohlke+oiffile/test.oib',
    {
      'Acquisition Parameters Common/LaserWavelength01': '488',
      'Acquisition Parameters Common/ZoomValue': '7.0',
      'Channel 1 Parameters/AnalogPMTVoltage': '1050',
    },
  ],
  [
    'lif/Arcadia-Science+readlif/xz-example/xz-example.lif',
    {
      [`${LEICA}/NumericalAperture`]: '1.3',
      [`${LEICA}/PixelDwellTime`]: '0.000004875',
      [`${LEICA}/DetectorList/Detector[1]/Gain`]: '41.5023978574987',
    },
  ],
  [
    'lsm/jefferislab+jimpipeline/test.lsm',
    {
      Objective: 'EC Plan-Neofluar 40x/1.30 Oil DIC M27',
      'Lasers/Laser[1]/Name': 'DPSS 561-10',
      [`${DETECTOR}/DetectorGainFirst`]: '764.4112392398895',
    },
  ],
  [
    'bruker/swharden+ScanAGator/LineScan-08092022-1225-528/LineScan-08092022-1225-528.xml',
    {
      'PVStateShard/objectiveLens': '40X LUMPlanFL/IR',
      'PVStateShard/dwellTime': '7.2',
      'PVStateShard/pmtGain/Ch 1 HV': '650',
    },
  ],
  [
    'tiff-olympus-kymograph/mapmanager+kymflow/Capillary1_0001.tif',
    { 'ImageDescription/Acquisition Parameters/Objective Lens': 'XLPLN25XWMP2' },
  ],
];

describeWithSamples("the vendor's metadata of real files", () => {
  it.each(FILES)('%s', async (path, expected) => {
    const { acquisition, close } = await openAcquisition(samplePath(path));
    const entries = await listHonestly(acquisition);
    close();
    const found = entries.filter(({ name }) => Object.hasOwn(expected, name));
    expect(Object.fromEntries(found.map(({ name, value }) => [name, value]))).toEqual(expected);
  });
});
