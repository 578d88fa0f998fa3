/** Reads when each plane of a set was taken, and at which depth: its properties lie beside its TIFF. */

import type { OlympusSettings } from '../../io/olympus-settings.js';
import type { PlaneColumns } from '../../model/acquisition.js';
import { collectColumns } from '../../model/metadata/plane-columns.js';
import { inUnit, unitMeaning } from '../../model/metadata/units.js';
import type { FluoViewSet } from './fluoview-set.js';
import { axisSection, findTime, readProperties } from './frame-times.js';
import type { RawMain } from './parse.js';
import type { FilePlan } from './plan.js';

/** Each frame costs reading a file; its channels have the same values, unless they are wavelengths. */
export function readColumns(set: FluoViewSet, raw: RawMain, plan: FilePlan): PlaneColumns {
  const { T, Z, channels, lambdas, rowAxis } = plan;
  const shape = { sizes: { T, Z }, channels: { length: channels * lambdas } };
  const valuesAt = ({ t, z, channel }: { t: number; z: number; channel: number }) => {
    const properties = readProperties(set, plan, { t, z, lambda: channel % lambdas });
    const milliseconds = properties && rowAxis !== 'T' ? findTime(properties, raw) : undefined;
    return {
      time: milliseconds === undefined ? undefined : milliseconds / 1000,
      z: properties && rowAxis !== 'Z' ? findDepth(properties, raw) : undefined,
    };
  };
  return collectColumns(shape, valuesAt, lambdas === 1 ? channels : 1);
}

/** Returns the position of the drive in micrometers. How that of a piezo adds to it is not known. */
function findDepth(properties: OlympusSettings, raw: RawMain): number | undefined {
  const section = axisSection(raw, 'Z');
  const value = properties.number(section, 'AbsPositionValue');
  const unit = unitMeaning(properties.text(section, 'AbsPositionUnitName') ?? '');
  if (value === undefined || unit?.unit !== 'micrometer') return undefined;
  return (properties.number(section, 'Piezo AbsPositionValue') ?? 0) === 0 ? inUnit(value, unit) : undefined;
}
