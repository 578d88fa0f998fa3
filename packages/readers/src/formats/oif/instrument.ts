/** The microscope of a set, from its settings and the properties of its first plane. */

import type { OlympusSettings } from '../../io/olympus-settings.js';
import { withoutNoise } from '../../model/metadata/float32.js';
import type { FoundInstrument } from '../../model/metadata/instrument.js';

const ACQUISITION = 'Acquisition Parameters Common';
/** The software writes this where it does not know a value, as for the working distance of most objectives. */
const UNKNOWN = 9999;
/** No immersion medium allows more. */
const MAX_APERTURE = 2;
/** In µm: FluoView microscopes open their pinhole from 50 to 800. */
const PINHOLES = { min: 10, max: 2000 };

/** @param properties of the first plane: only they name the objective */
export function findInstrument(main: OlympusSettings, properties: OlympusSettings | undefined): FoundInstrument {
  const stated = (key: string) => {
    const value = properties?.number(ACQUISITION, key);
    return value === UNKNOWN ? undefined : value;
  };
  const aperture = stated('ObjectiveLens NAValue');
  const system = main.text('Version Info', 'SystemName') || main.text(ACQUISITION, 'Acquisition Device');
  return {
    microscope: system,
    objective: {
      // Names are padded into columns: `LUMPLFL    60X W/IR  NA:0.90`.
      name: properties?.text(ACQUISITION, 'ObjectiveLens Name')?.replace(/\s+/g, ' '),
      magnification: stated('Magnification'),
      numericalAperture: aperture !== undefined && aperture <= MAX_APERTURE ? aperture : undefined,
    },
    pixelDwellSeconds: seconds(stated('Time Per Pixel')),
    linePeriodSeconds: seconds(stated('Time Per Line')),
    bidirectional: isBidirectional(main.text(ACQUISITION, 'ScanDirection')),
  };
}

/** Returns the diameter of the pinhole in µm, for the channel of the plane. The software writes nm, without a unit. */
export function findPinhole(properties: OlympusSettings | undefined): number | undefined {
  const micrometers = (properties?.number(ACQUISITION, 'PinholeDiameter') ?? 0) / 1000;
  return micrometers >= PINHOLES.min && micrometers <= PINHOLES.max ? micrometers : undefined;
}

/** From microseconds, without the digits that a division adds. */
function seconds(microseconds: number | undefined): number | undefined {
  return microseconds === undefined ? undefined : withoutNoise(microseconds / 1e6);
}

/** `Oneway` or `Roundtrip`. */
function isBidirectional(direction = ''): boolean | undefined {
  if (/^one-?way/i.test(direction)) return false;
  return /^round/i.test(direction) ? true : undefined;
}
