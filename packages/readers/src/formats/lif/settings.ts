/** Parses `HardwareSetting`: the settings of the microscope that are used. */

import { childNamed, childrenNamed, type XmlElement } from '../../io/xml.js';
import { withoutNoise } from '../../model/metadata/float32.js';
import type { FoundInstrument, FoundOptics } from '../../model/metadata/instrument.js';
import { cleanName } from '../../model/metadata/names.js';

export interface RawDetector {
  name: string;
  /** Dye of the detection band. */
  dye: string;
  optics: FoundOptics;
}

/** Numbers that the file does not contain are NaN. */
export interface RawSettings {
  /** Seconds per line, without averaging. */
  lineTime: number;
  lineAverage: number;
  lineAccumulation: number;
  instrument: FoundInstrument;
  /** Active detectors in the order of the channels. The detectors of each sequential scan follow each other. */
  detectors: RawDetector[];
  objective: string;
  /** Position of the scan field, in meters and degrees. */
  stageX: number;
  stageY: number;
  zPosition: number;
  panX: number;
  panY: number;
  rotation: number;
  /** `FlipX`, `FlipY`, `SwapXY`. */
  orientation: string;
}

/** Parses the `HardwareSetting` attachments of an image; `undefined` when they have no confocal settings. */
export function parseSettings(attachments: readonly XmlElement[]): RawSettings | undefined {
  const all = attachments.flatMap(({ children }) => children);
  const main = all.find(({ name }) => name === 'ATLConfocalSettingDefinition');
  if (!main) return undefined;
  const sequence = all.find(({ name }) => name === 'LDM_Block_Sequential');
  const steps = childrenNamed(childNamed(sequence, 'LDM_Block_Sequential_List'), main.name);
  const { attributes } = main;
  const number = (key: string) => (attributes[key]?.trim() ? Number(attributes[key]) : Number.NaN);
  return {
    lineTime: number('LineTime'),
    lineAverage: number('LineAverage'),
    lineAccumulation: number('Line_Accumulation'),
    detectors: (steps.length > 0 ? steps : [main]).flatMap(parseDetectors),
    instrument: toInstrument(attributes, number),
    objective: `${attributes['ObjectiveNumber'] ?? ''} ${cleanName(attributes['ObjectiveName'])}`.trim(),
    stageX: number('StagePosX'),
    stageY: number('StagePosY'),
    zPosition: number('ZPosition'),
    panX: number('PanFirstDim'),
    panY: number('PanSecondDim'),
    rotation: number('RotatorAngle'),
    orientation: ['FlipX', 'FlipY', 'SwapXY'].map((key) => attributes[key] ?? '').join(),
  };
}

/** Lengths are in meters, times in seconds. */
function toInstrument(attributes: XmlElement['attributes'], number: (key: string) => number): FoundInstrument {
  const direction = attributes['ScanDirectionXName'];
  return {
    microscope: attributes['MicroscopeModel'],
    objective: {
      name: cleanName(attributes['ObjectiveName']).replace(/\s+/g, ' '),
      magnification: number('Magnification'),
      numericalAperture: number('NumericalAperture'),
      immersion: attributes['Immersion'],
    },
    zoom: number('Zoom'),
    pixelDwellSeconds: number('PixelDwellTime'),
    linePeriodSeconds: number('LineTime'),
    bidirectional: direction === undefined ? undefined : direction === 'Bidirectional',
    stage: {
      x: micrometers(number('StagePosX')),
      y: micrometers(number('StagePosY')),
      z: micrometers(number('ZPosition')),
    },
  };
}

/** Removes the rounding of the product. */
function micrometers(meters: number): number {
  return withoutNoise(meters * 1e6);
}

function parseDetectors(settings: XmlElement): RawDetector[] {
  const pinhole = micrometers(Number(settings.attributes['Pinhole'] || Number.NaN));
  const bands = childrenNamed(childNamed(settings, 'Spectro'), 'MultiBand');
  return childrenNamed(childNamed(settings, 'DetectorList'), 'Detector')
    .filter(({ attributes }) => attributes['IsActive'] === '1')
    .map(({ attributes }) => {
      const band = bands.find((entry) => entry.attributes['Channel'] === attributes['Channel']);
      const number = (text: string | undefined) => (text?.trim() ? Number(text) : Number.NaN);
      const name = cleanName(attributes['Name']);
      const dye = cleanName(band?.attributes['DyeName']);
      const emissionNm = [number(band?.attributes['LeftWorld']), number(band?.attributes['RightWorld'])];
      return {
        name,
        dye,
        optics: { emissionNm, detector: name, gain: number(attributes['Gain']), pinholeUm: pinhole },
      };
    });
}
