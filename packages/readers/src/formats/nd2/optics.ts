/** Finds the microscope and the optics of the channels in the metadata of the first frame. Pure. */
import { toIsoUtc } from '../../model/metadata/dates.js';
import type { FoundInstrument, FoundOptics } from '../../model/metadata/instrument.js';
import { positive, type VariantLevel } from './variant.js';

/** Julian day number of 1970-01-01 00:00 UTC. */
const UNIX_EPOCH = 2440587.5;
const DAY = 86_400_000;

/** @param tree `SLxPictureMetadata` */
export function parseInstrument(tree: VariantLevel): FoundInstrument {
  const [setting] = tree.level('sPicturePlanes', 'sSampleSetting')?.levels() ?? [];
  const lens = setting?.level('pObjectiveSetting');
  const name = tree.text('wsObjectiveName') || lens?.text('wsObjectiveName');
  const started = positive(tree.number('dTimeAbsolute'));
  return {
    microscope:
      setting?.text('pDeviceSetting', 'm_sMicroscopePhysFullName') ||
      setting?.text('pDeviceSetting', 'm_sMicroscopeFullName'),
    objective: {
      name,
      magnification:
        positive(tree.number('dObjectiveMag')) ?? positive(lens?.number('dObjectiveMag')) ?? magnificationIn(name),
      numericalAperture: positive(tree.number('dObjectiveNA')) ?? positive(lens?.number('dObjectiveNA')),
    },
    zoom: tree.number('dZoom'),
    stage: { x: tree.number('dXPos'), y: tree.number('dYPos'), z: tree.number('dZPos') },
    start: toIsoUtc(started === undefined ? undefined : (started - UNIX_EPOCH) * DAY),
  };
}

/** `Plan Apo λ 60x`: the magnification of some lenses is only in their names. */
function magnificationIn(name: string | undefined): number | undefined {
  const digits = /(?:^|\s)(\d{1,4}(?:\.\d{1,3})?)\s?x\b/i.exec(name ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * @param plane one of `sPicturePlanes/sPlaneNew`
 * @param settings `sPicturePlanes/sSampleSetting`: what the planes of one exposure have in common
 */
export function parsePlaneOptics(plane: VariantLevel, settings: VariantLevel | undefined): FoundOptics {
  const probe = plane.level('pFluorescentProbe');
  const filters = plane.level('pFilterPath', 'm_pFilter')?.levels() ?? [];
  const spectra = (name: string) => [probe, ...filters].map((part) => peaksOf(part?.level(name)));
  const emission = spectra('m_EmissionSpectrum').find((peaks) => peaks.length > 0)?.[0];
  const excitation = spectra('m_ExcitationSpectrum').find((peaks) => peaks.length > 0) ?? [];
  const setting = settings?.levels()[plane.number('uiSampleIndex') ?? 0];
  const exposure = setting?.number('dExposureTime');
  const laser = laserInUse(setting?.level('pDeviceSetting'), emission);
  return {
    fluorophore: probe?.text('m_sName'),
    // A filter block lists the lines of all lasers that it lets through, or one for which it was made.
    excitationNm:
      laser?.wavelength ??
      excitation.filter((peak) => emission === undefined || peak < emission).at(-1) ??
      excitation[0],
    emissionNm: emission,
    laserPower: laser?.power,
    exposureSeconds: exposure === undefined ? undefined : exposure / 1000,
    detector: setting?.text('pCameraSetting', 'CameraUserName'),
    pinholeUm: plane.number('dPinholeDiameter'),
  };
}

/**
 * Returns the line that was on, in nm, and its power in percent. Of several, no one knows which excites the channel; and a
 * line may stay on for a channel that shows no fluorescence.
 */
function laserInUse(
  devices: VariantLevel | undefined,
  emission = 0,
): { wavelength: number; power: number | undefined } | undefined {
  const used: string[] = [];
  for (const { name, value } of devices?.entries ?? []) {
    if (value !== true && value !== 1) continue;
    const line = /^m_bMultiLaserLineUsed(\d{1,3}-\d{1,3})$/.exec(name)?.[1];
    if (line !== undefined) used.push(line);
  }
  const [line, ...others] = used;
  if (line === undefined || others.length > 0) return undefined;
  const wavelength = positive(devices?.number(`m_uiMultiLaserLineWavelength${line}`));
  if (wavelength === undefined || wavelength >= emission) return undefined;
  const power = devices?.number(`m_dMultiLaserLinePower${line}`);
  return { wavelength, power: power !== undefined && power <= 100 ? power : undefined };
}

/** Returns the wavelengths of a spectrum in nm, shortest first. */
function peaksOf(spectrum: VariantLevel | undefined): number[] {
  const points = spectrum?.level('pPoint')?.levels() ?? [];
  const peaks = points.flatMap((point) => positive(point.number('dWavelength')) ?? []);
  return peaks.sort((a, b) => a - b);
}
