/** Parses `HardwareSetting`: the settings of the microscope that are used. */
import { childNamed, childrenNamed, type XmlElement } from '../../io/xml.js';
import { cleanName } from '../../metadata/names.js';

export interface RawDetector {
  name: string;
  /** Dye of the detection band. */
  dye: string;
}

/** Numbers that the file does not contain are NaN. */
export interface RawSettings {
  /** Seconds per line, without averaging. */
  lineTime: number;
  lineAverage: number;
  lineAccumulation: number;
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

function parseDetectors(settings: XmlElement): RawDetector[] {
  const bands = childrenNamed(childNamed(settings, 'Spectro'), 'MultiBand');
  return childrenNamed(childNamed(settings, 'DetectorList'), 'Detector')
    .filter(({ attributes }) => attributes['IsActive'] === '1')
    .map(({ attributes }) => {
      const band = bands.find((entry) => entry.attributes['Channel'] === attributes['Channel']);
      return { name: cleanName(attributes['Name']), dye: cleanName(band?.attributes['DyeName']) };
    });
}
