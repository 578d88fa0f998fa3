import type { SceneInfo, Step } from '../../../acquisition.js';
import { NO_CLOCK, parseDateTime, type WallClock } from '../../../metadata/dates.js';
import { channelsNamed } from '../../../metadata/names.js';
import { defaultStep, fileStep, makeStep } from '../../../metadata/steps.js';
import type { TiffPage } from '../../../tiff/types.js';
import type { Arrangement, Flavor, FlavorContext } from '../arrangement.js';
import { sampleChannels } from '../channels.js';
import { textOf } from '../soft-tags.js';
import { isMetaSeries, type PlaneProperties, parseMetaSeries } from './metaseries-text.js';

const IMAGE_DESCRIPTION = 270;

/** MetaSeries TIFF (MetaMorph 7.5 and later, MetaXpress): pages with XML descriptions. See `docs/formats/metamorph-stk.md`. */
export const metaseriesFlavor: Flavor = {
  id: 'metaseries',
  label: 'MetaSeries TIFF',
  detect: ({ page }) => isMetaSeries(textOf(page, IMAGE_DESCRIPTION)),
  arrange: async (context) => arrangePages(context),
};

function arrangePages(context: FlavorContext): Arrangement {
  const { file, page, warnings } = context;
  const { layout } = page;
  const properties = propertiesOf(page);
  const zStep = file.pageCount > 1 ? zDistance(properties, propertiesOf(file.page(1))) : undefined;
  const stacked = zStep !== undefined;
  const scene: SceneInfo = {
    name: '',
    sampleType: layout.sampleType,
    channels: layout.samplesPerPixel > 1 ? sampleChannels(layout) : channelsNamed([illuminationOf(properties)]),
    sizes: {
      T: stacked ? 1 : file.pageCount,
      Z: stacked ? file.pageCount : 1,
      Y: layout.height,
      X: layout.width,
    },
    steps: {
      T: defaultStep('Frames'),
      Z: makeStep(zStep ?? Number.NaN, 'micrometer', 'derived') ?? defaultStep('Planes'),
      ...metaseriesSteps(properties, warnings),
    },
    ...(metaseriesClock(properties) ?? NO_CLOCK),
    reference: null,
    warnings: [],
  };
  return {
    scenes: [scene],
    locate: ({ channel, t, z }) => ({ file, page: file.page(stacked ? z : t), sample: channel }),
  };
}

function propertiesOf(page: TiffPage): PlaneProperties {
  return parseMetaSeries(textOf(page, IMAGE_DESCRIPTION));
}

/** Micrometers between the stage positions of two planes; `undefined` when they are at one height. */
function zDistance(first: PlaneProperties, second: PlaneProperties): number | undefined {
  const distance = Math.abs(Number(second.get('z-position')) - Number(first.get('z-position')));
  return distance > 0 ? distance : undefined;
}

/** Pixel size, unless the calibration is switched off. */
export function metaseriesSteps(properties: PlaneProperties, warnings: string[]): { Y: Step; X: Step } {
  if (properties.get('spatial-calibration-state')?.toLowerCase() === 'off')
    return { Y: defaultStep(), X: defaultStep() };
  const units = properties.get('spatial-calibration-units');
  const step = (axis: 'x' | 'y') => {
    const value = properties.get(`spatial-calibration-${axis}`);
    return fileStep(value === undefined ? undefined : Number(value), units, {
      what: `spatial-calibration-${axis}`,
      warnings,
      expect: 'micrometer',
    });
  };
  return { Y: step('y'), X: step('x') };
}

/** Local time when stated (`20110517 12:33:30.123`), else the modification time of the plane. */
export function metaseriesClock(properties: PlaneProperties): WallClock | undefined {
  return (
    parseDateTime(properties.get('acquisition-time-local') ?? '') ??
    parseDateTime(properties.get('modification-time-local') ?? '')
  );
}

/** Name of the illumination setting, else the wavelength. */
function illuminationOf(properties: PlaneProperties): string | undefined {
  const wavelength = Number(properties.get('wavelength'));
  return properties.get('_IllumSetting_') || (wavelength > 0 ? `${wavelength} nm` : undefined);
}
