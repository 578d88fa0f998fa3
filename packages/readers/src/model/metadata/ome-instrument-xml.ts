/** Writes the instrument of a scene and the optics of its channels as elements of OME-XML 2016-06. */
import type { ChannelInfo, Instrument, SceneInfo } from '../acquisition.js';
import { element, type XmlAttributes } from './ome-element.js';

/** Media of the schema; others are `Other`. */
const IMMERSIONS: readonly [RegExp, string][] = [
  [/dipping/i, 'WaterDipping'],
  [/glycerol|glycerin/i, 'Glycerol'],
  [/water|^w$/i, 'Water'],
  [/oil/i, 'Oil'],
  [/multi/i, 'Multi'],
  [/air|dry/i, 'Air'],
];

type Optics = Pick<SceneInfo, 'instrument' | 'channels'>;

/** Returns the `Instrument` of a scene; empty when nothing is known that it can hold. */
export function toInstrumentXml({ instrument, channels }: Optics, index: number): string {
  const { microscope, objective } = instrument ?? {};
  const parts = [
    microscope === undefined ? '' : element('Microscope', { Model: microscope }),
    ...channels.map((channel, c) => (hasDetector(channel) ? toDetector(channel, `${index}:${c}`) : '')),
    objective ? toObjective(objective, index) : '',
    ...channels.flatMap((channel, c) => bandsOf(channel, `${index}:${c}`).map(toFilter)),
  ].join('');
  return parts === '' ? '' : element('Instrument', { ID: `Instrument:${index}` }, parts);
}

/** Returns the references of an `Image` to its instrument, and the position of the stage. */
export function toImageSettings(scene: Optics, index: number): string {
  const { objective, stage } = scene.instrument ?? {};
  if (toInstrumentXml(scene, index) === '' && !stage) return '';
  const unit = (axis: 'x' | 'y' | 'z') =>
    stage?.[axis] === undefined ? {} : { [axis.toUpperCase()]: stage[axis], [`${axis.toUpperCase()}Unit`]: 'µm' };
  return (
    (toInstrumentXml(scene, index) === '' ? '' : element('InstrumentRef', { ID: `Instrument:${index}` })) +
    (objective ? element('ObjectiveSettings', { ID: `Objective:${index}` }) : '') +
    (stage ? element('StageLabel', { Name: 'stage', ...unit('x'), ...unit('y'), ...unit('z') }) : '')
  );
}

/** Returns what a `Channel` says of its optics: attributes, and the elements inside. */
export function toChannelOptics(channel: ChannelInfo, id: string): { attributes: XmlAttributes; inside: string } {
  const { fluorophore, excitationNm, emissionNm, pinholeUm, gain } = channel;
  const bands = bandsOf(channel, id);
  return {
    attributes: {
      ...(fluorophore === undefined ? {} : { Fluor: fluorophore }),
      ...(typeof excitationNm === 'number'
        ? { ExcitationWavelength: excitationNm, ExcitationWavelengthUnit: 'nm' }
        : {}),
      ...(typeof emissionNm === 'number' ? { EmissionWavelength: emissionNm, EmissionWavelengthUnit: 'nm' } : {}),
      ...(pinholeUm === undefined ? {} : { PinholeSize: pinholeUm, PinholeSizeUnit: 'µm' }),
    },
    inside:
      (hasDetector(channel)
        ? element('DetectorSettings', { ID: `Detector:${id}`, ...(gain === undefined ? {} : { Gain: gain }) })
        : '') +
      (bands.length === 0
        ? ''
        : element(
            'LightPath',
            {},
            bands.map(({ kind, filter }) => element(`${kind}FilterRef`, { ID: filter })).join(''),
          )),
  };
}

function hasDetector({ detector, gain }: ChannelInfo): boolean {
  return detector !== undefined || gain !== undefined;
}

function toDetector({ detector }: ChannelInfo, id: string): string {
  return element('Detector', { ID: `Detector:${id}`, ...(detector === undefined ? {} : { Model: detector }) });
}

function toObjective(objective: NonNullable<Instrument['objective']>, index: number): string {
  const { name, magnification, numericalAperture, immersion } = objective;
  const medium = immersion && (IMMERSIONS.find(([pattern]) => pattern.test(immersion))?.[1] ?? 'Other');
  return element('Objective', {
    ID: `Objective:${index}`,
    ...(name === undefined ? {} : { Model: name }),
    ...(medium === undefined ? {} : { Immersion: medium }),
    ...(numericalAperture === undefined ? {} : { LensNA: numericalAperture }),
    ...(magnification === undefined ? {} : { NominalMagnification: magnification }),
  });
}

interface FilterBand {
  kind: 'Excitation' | 'Emission';
  filter: string;
  nm: readonly number[];
}

/** A channel has one wavelength in OME; a band is that of a filter. The schema has excitation before emission. */
function bandsOf({ excitationNm, emissionNm }: ChannelInfo, id: string): FilterBand[] {
  const band = (kind: FilterBand['kind'], nm: ChannelInfo['emissionNm']): FilterBand[] =>
    Array.isArray(nm) ? [{ kind, filter: `Filter:${id}:${kind}`, nm }] : [];
  return [...band('Excitation', excitationNm), ...band('Emission', emissionNm)];
}

function toFilter({ filter, nm: [CutIn, CutOut] }: FilterBand): string {
  const range = { CutIn: CutIn!, CutInUnit: 'nm', CutOut: CutOut!, CutOutUnit: 'nm' };
  return element('Filter', { ID: filter }, element('TransmittanceRange', range));
}
