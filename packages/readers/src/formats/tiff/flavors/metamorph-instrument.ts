import type { SceneInfo } from '../../../model/acquisition.js';
import { toIsoLocal } from '../../../model/metadata/dates.js';
import { toInstrument } from '../../../model/metadata/instrument.js';
import { toUnit } from '../../../model/metadata/units.js';
import type { PlaneProperties } from './metaseries-text.js';

/** Where the stage was, in micrometers; `undefined` or `NaN` where the file does not say. */
interface Stage {
  x: number | undefined;
  y: number | undefined;
  z: number | undefined;
}

/**
 * Returns the objective (`_MagSetting_`, `_MagNA_`), the stage and the time of a plane.
 * @param seconds since 1970, of the clock of the microscope
 */
export function metamorphInstrument(
  properties: PlaneProperties,
  {
    objective = properties.get('_MagSetting_'),
    stage,
    seconds = Number.NaN,
  }: { objective?: string | undefined; stage: Stage; seconds?: number | undefined },
): Pick<SceneInfo, 'instrument'> {
  const magnification = /(\d+(?:\.\d+)?)\s*x\b/i.exec(objective ?? '')?.[1];
  return toInstrument({
    objective: {
      name: objective,
      magnification: magnification === undefined ? undefined : Number(magnification),
      numericalAperture: readProperty(properties, '_MagNA_'),
    },
    stage,
    start: toIsoLocal(Math.round(1000 * seconds)),
  });
}

/** Returns the stage and focus of a plane, in micrometers. */
export function metaseriesStage(properties: PlaneProperties): Stage {
  return {
    x: readProperty(properties, 'stage-position-x'),
    y: readProperty(properties, 'stage-position-y'),
    z: readProperty(properties, 'z-position'),
  };
}

/** Returns the seconds in a text such as `Exposure: 20 ms`, which MetaMorph writes as the description of a plane. */
export function exposureSeconds(description: string): number | undefined {
  const [, value, unit = ''] = /Exposure:\s*(\d+(?:[.,]\d+)?)\s*(\S{1,4})/i.exec(description) ?? [];
  return value === undefined ? undefined : toUnit('seconds', Number(value.replace(',', '.')), unit);
}

function readProperty(properties: PlaneProperties, name: string): number | undefined {
  const text = properties.get(name)?.trim();
  const value = Number(text);
  return text && Number.isFinite(value) ? value : undefined;
}
