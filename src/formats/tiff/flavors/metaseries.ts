import type { SceneInfo, Step } from '../../../acquisition.js';
import { NO_CLOCK, parseDateTime, type WallClock } from '../../../metadata/dates.js';
import { channelsNamed } from '../../../metadata/names.js';
import { defaultStep, fileStep, makeStep } from '../../../metadata/steps.js';
import type { Notes } from '../../../notes.js';
import type { TiffPage } from '../../../tiff/types.js';
import type { Arrangement, Flavor, FlavorContext } from '../arrangement.js';
import { sampleChannels } from '../metadata.js';
import { readDescription } from '../parse.js';
import { isMetaSeries, type PlaneProperties, parseMetaSeries } from './metaseries-text.js';

/** MetaSeries TIFF (MetaMorph 7.5 and later, MetaXpress): pages with XML as description. See `docs/formats/metamorph-stk.md`. */
export const metaseriesFlavor: Flavor = {
  id: 'metaseries',
  label: 'MetaSeries TIFF',
  detect: ({ page }) => isMetaSeries(readDescription(page)),
  arrange: async (context) => arrangePages(context),
};

function arrangePages(context: FlavorContext): Arrangement {
  const { file, page, notes } = context;
  const { layout } = page;
  const properties = readProperties(page);
  const zStep = file.pageCount > 1 ? zDistance(properties, readProperties(file.page(1))) : undefined;
  const isStack = zStep !== undefined;
  const scene: SceneInfo = {
    name: '',
    sampleType: layout.sampleType,
    channels: layout.samplesPerPixel > 1 ? sampleChannels(layout) : channelsNamed([metaseriesChannel(properties)]),
    sizes: {
      T: isStack ? 1 : file.pageCount,
      Z: isStack ? file.pageCount : 1,
      Y: layout.height,
      X: layout.width,
    },
    steps: {
      T: defaultStep('Frames'),
      Z: makeStep(zStep ?? Number.NaN, 'micrometer', 'derived') ?? defaultStep('Planes'),
      ...metaseriesSteps(properties, notes),
    },
    ...(metaseriesClock(properties) ?? NO_CLOCK),
    reference: null,
    warnings: [],
  };
  return {
    scenes: [scene],
    locate: ({ channel, t, z }) => ({ file, page: file.page(isStack ? z : t), sample: channel }),
  };
}

function readProperties(page: TiffPage): PlaneProperties {
  return parseMetaSeries(readDescription(page));
}

/** Returns the micrometers between the stage positions of two planes, or `undefined` if they are at one height. */
function zDistance(first: PlaneProperties, second: PlaneProperties): number | undefined {
  const distance = Math.abs(Number(second.get('z-position')) - Number(first.get('z-position')));
  return distance > 0 ? distance : undefined;
}

/** Returns the pixel size, unless the calibration is switched off. */
export function metaseriesSteps(properties: PlaneProperties, notes: Notes): { Y: Step; X: Step } {
  if (properties.get('spatial-calibration-state')?.toLowerCase() === 'off')
    return { Y: defaultStep(), X: defaultStep() };
  const units = properties.get('spatial-calibration-units');
  const step = (axis: 'x' | 'y') => {
    const value = properties.get(`spatial-calibration-${axis}`);
    return fileStep(value === undefined ? undefined : Number(value), units, {
      what: `spatial-calibration-${axis}`,
      warnings: notes,
      expect: 'micrometer',
    });
  };
  return { Y: step('y'), X: step('x') };
}

/** Returns the local time (`20110517 12:33:30.123`) or, if it is missing, the modification time of the plane. */
export function metaseriesClock(properties: PlaneProperties): WallClock | undefined {
  return (
    parseDateTime(properties.get('acquisition-time-local') ?? '') ??
    parseDateTime(properties.get('modification-time-local') ?? '')
  );
}

/** Returns the name of the illumination setting or, if it is missing, the wavelength. */
export function metaseriesChannel(properties: PlaneProperties): string | undefined {
  const wavelength = Number(properties.get('wavelength'));
  return properties.get('_IllumSetting_') || (wavelength > 0 ? `${wavelength} nm` : undefined);
}
