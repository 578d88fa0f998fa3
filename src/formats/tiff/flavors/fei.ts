import type { SceneInfo, Step } from '../../../acquisition.js';
import { parseSettingsText, type Settings } from '../../../io/olympus-settings.js';
import { parseDateTime, type WallClock } from '../../../metadata/dates.js';
import { fileStep } from '../../../metadata/steps.js';
import type { TiffPage } from '../../../tiff/types.js';
import type { Flavor, FlavorContext } from '../arrangement.js';
import { textOf } from '../soft-tags.js';
import { genericFlavor } from './generic.js';

/** FEI_HELIOS and FEI_SFEG: settings of the microscope as INI text. Newer software keeps something else in the second. */
const SETTINGS = [34682, 34680];
/** Real texts have some 10 KB. */
const SETTINGS_BYTES = 2 ** 20;

/** FEI and Thermo Fisher electron microscopes: plain pages with pixel size and date in a text. */
export const feiFlavor: Flavor = {
  id: 'fei',
  label: 'FEI/Thermo Fisher SEM',
  detect: ({ page }) => SETTINGS.some((code) => page.tags.has(code)),
  arrange: async (context) => {
    const arrangement = await genericFlavor.arrange(context);
    const settings = settingsOf(context.page);
    const [first, ...others] = arrangement?.scenes ?? [];
    if (!arrangement || !first || !settings) return arrangement;
    return { ...arrangement, scenes: [describe(first, settings, context), ...others] };
  },
};

/** `undefined` when neither tag holds sections. */
function settingsOf(page: TiffPage): Settings | undefined {
  for (const code of SETTINGS) {
    const length = page.tags.get(code)?.byteLength ?? 0;
    if (length === 0 || length > SETTINGS_BYTES) continue;
    const settings = parseSettingsText(textOf(page, code));
    if (settings.blocks.length > 0) return settings;
  }
  return undefined;
}

function describe(scene: SceneInfo, settings: Settings, { page }: FlavorContext): SceneInfo {
  const warnings = [...scene.warnings];
  const section = scanSection(settings);
  const steps = { ...scene.steps };
  if (section !== undefined && isWhole(settings, page, warnings)) {
    steps.X = pixelStep(settings, section, 'PixelWidth', warnings) ?? steps.X;
    steps.Y = pixelStep(settings, section, 'PixelHeight', warnings) ?? steps.Y;
  }
  return { ...scene, ...clockOf(settings, scene, warnings), steps, warnings };
}

/** `[Scan]`; else the scan of the beam in use (`[EScan]`, `[IScan]`). Pictures of the chamber camera have neither. */
function scanSection(settings: Settings): string | undefined {
  const inUse = settings.text('Beam', 'Scan');
  const candidates = ['Scan', ...(inUse === undefined ? [] : [inUse])];
  return candidates.find((section) => settings.text(section, 'PixelWidth') !== undefined);
}

/** The text stays when a program resizes the image: then nobody knows how large its pixels are. */
function isWhole(settings: Settings, { layout }: TiffPage, warnings: string[]): boolean {
  const columns = settings.number('Image', 'ResolutionX');
  if (columns === undefined || columns === layout.width) return true;
  warnings.push(
    `The microscope recorded ${columns} pixels per row, but the image has ${layout.width}; the pixel size was ignored.`,
  );
  return false;
}

/** In meters. */
function pixelStep(settings: Settings, section: string, key: string, warnings: string[]): Step | undefined {
  const step = fileStep(settings.number(section, key), 'm', { what: key, warnings, expect: 'micrometer' });
  return step.origin === 'file' ? step : undefined;
}

/**
 * `Date=03/12/2019`, `Time=10:22:13 AM` in the language of the computer: US order, unless the date of the TIFF, or a
 * month above 12, says otherwise. `AM` and `PM` go with the US order; where nothing decides, a warning says so.
 */
function clockOf(settings: Settings, { date, time }: WallClock, warnings: string[]): WallClock {
  const day = settings.text('User', 'Date') ?? '';
  const hour = settings.text('User', 'Time') ?? '';
  const text = `${day} ${hour}`;
  const read = (order: 'mdy' | 'dmy') => parseDateTime(text, order) ?? parseDateTime(day, order);
  const [monthFirst, dayFirst] = [read('mdy'), read('dmy')];
  const own = dayFirst?.date === date ? dayFirst : (monthFirst ?? dayFirst);
  const isOpen = monthFirst && dayFirst && monthFirst.date !== dayFirst.date && own?.date !== date;
  if (isOpen && !/[ap]m\s*$/i.test(hour))
    warnings.push(`The recording date ${day.slice(0, 40)} is ambiguous; the month was assumed to come first.`);
  return own ?? { date, time };
}
