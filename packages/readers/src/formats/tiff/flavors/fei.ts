import { Notes } from '../../../base/notes.js';
import { grouped } from '../../../base/wording.js';
import { type OlympusSettings, parseSettingsText } from '../../../io/olympus-settings.js';
import type { SceneInfo, Step } from '../../../model/acquisition.js';
import { parseDateTime, type WallClock } from '../../../model/metadata/dates.js';
import { fileStep } from '../../../model/metadata/steps.js';
import type { TiffPage } from '../../../tiff/types.js';
import type { FlavorContext, FlavorReader } from '../arrangement.js';
import { readText } from '../parse.js';
import { genericFlavor } from './generic.js';
import { FEI_SETTINGS } from './signs.js';

/** Real settings are about 10 KB. */
const MAX_SETTINGS_BYTES = 2 ** 20;

/** FEI and Thermo Fisher electron microscopes: plain pages with pixel size and date in a text. */
export const feiFlavor: FlavorReader = {
  arrange: async (context) => {
    const arrangement = await genericFlavor.arrange(context);
    const settings = readSettings(context.page);
    const [first, ...others] = arrangement?.scenes ?? [];
    if (!arrangement || !first || !settings) return arrangement;
    return { ...arrangement, scenes: [applySettings(first, settings, context), ...others] };
  },
};

/** Returns `undefined` if neither tag contains INI sections. */
function readSettings(page: TiffPage): OlympusSettings | undefined {
  for (const code of FEI_SETTINGS) {
    const length = page.tags.get(code)?.byteLength ?? 0;
    if (length === 0 || length > MAX_SETTINGS_BYTES) continue;
    const settings = parseSettingsText(readText(page, code));
    if (settings.blocks.length > 0) return settings;
  }
  return undefined;
}

function applySettings(scene: SceneInfo, settings: OlympusSettings, { page }: FlavorContext): SceneInfo {
  const notes = new Notes();
  notes.addAll(scene.warnings);
  const steps = { ...scene.steps, ...pixelSteps(settings, page, notes) };
  return { ...scene, ...readClock(settings, scene, notes), steps, warnings: notes.list() };
}

function pixelSteps(settings: OlympusSettings, { layout }: TiffPage, notes: Notes): { X?: Step; Y?: Step } {
  const section = findScanSection(settings);
  if (section === undefined) return {};
  // A program that resizes the image keeps the text, so the pixel size is unknown then.
  const columns = settings.number('Image', 'ResolutionX');
  if (columns !== undefined && columns !== layout.width) {
    notes.add(
      `The microscope recorded ${grouped(columns)} pixels per row, but the image has ${grouped(layout.width)}; the pixel size was ignored.`,
    );
    return {};
  }
  const X = pixelStep(settings, section, 'PixelWidth', notes);
  const Y = pixelStep(settings, section, 'PixelHeight', notes);
  return { ...(X ? { X } : {}), ...(Y ? { Y } : {}) };
}

/** Returns `Scan`, or the scan of the beam in use (`EScan`, `IScan`). Pictures of the chamber camera have neither. */
function findScanSection(settings: OlympusSettings): string | undefined {
  const inUse = settings.text('Beam', 'Scan');
  const candidates = ['Scan', ...(inUse === undefined ? [] : [inUse])];
  return candidates.find((section) => settings.text(section, 'PixelWidth') !== undefined);
}

/** Reads a pixel size, which is in meters. */
function pixelStep(settings: OlympusSettings, section: string, key: string, notes: Notes): Step | undefined {
  const step = fileStep(settings.number(section, key), 'm', { what: key, warnings: notes, expect: 'micrometer' });
  return step.origin === 'file' ? step : undefined;
}

/**
 * Reads `Date=03/12/2019`, `Time=10:22:13 AM`, written in the language of the computer. The month comes first unless the
 * date of the TIFF, or a month above 12, shows that the day does. `AM` and `PM` go with the US order; otherwise a note
 * says that the date is ambiguous.
 */
function readClock(settings: OlympusSettings, { date, time }: WallClock, notes: Notes): WallClock {
  const day = settings.text('User', 'Date') ?? '';
  const hour = settings.text('User', 'Time') ?? '';
  const text = `${day} ${hour}`;
  const read = (order: 'mdy' | 'dmy') => parseDateTime(text, order) ?? parseDateTime(day, order);
  const [monthFirst, dayFirst] = [read('mdy'), read('dmy')];
  const clock = dayFirst?.date === date ? dayFirst : (monthFirst ?? dayFirst);
  const isAmbiguous = monthFirst && dayFirst && monthFirst.date !== dayFirst.date && clock?.date !== date;
  if (isAmbiguous && !/[ap]m\s*$/i.test(hour))
    notes.add(`The recording date ${day.slice(0, 40)} is ambiguous; the month was assumed to come first.`);
  return clock ?? { date, time };
}
