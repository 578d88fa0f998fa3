import { Notes } from '../../../base/notes.js';
import { shorten } from '../../../base/wording.js';
import type { SceneInfo, Step } from '../../../model/acquisition.js';
import {
  type AxisEvidence,
  measuredAxes,
  type NominalStep,
  type ResolvedAxis,
  warnOfAxis,
} from '../../../model/metadata/axes.js';
import {
  depthsOfRows,
  type PlaneRows,
  type RowSizes,
  resolveNoted,
  timesOfRows,
} from '../../../model/metadata/plane-rows.js';
import { defaultStep, fileStep } from '../../../model/metadata/steps.js';
import { isUncalibrated, unitMeaning } from '../../../model/metadata/units.js';
import { TAG } from '../../../tiff/tags.js';
import type { TiffPage } from '../../../tiff/types.js';
import { isPrintResolution, resolutionUnit } from '../metadata.js';
import { readNumber } from '../parse.js';
import type { ImageJText, ScifioAxis } from './imagej-text.js';

/** Share by which the scale and the resolution of SCIFIO may differ: it rounds the resolution. */
const DIFFERENT = 0.01;
/** Pixel sizes of light microscopes in micrometers: they decide between two units. */
const USUAL = { min: 0.01, max: 100 };
/** SCIFIO writes 10,000 / scale as the resolution, with cm as its unit, whatever the unit of the scale is. */
const SCIFIO_RESOLUTION = 10_000;

/**
 * Returns the steps of an ImageJ stack. X and Y are pixels per `unit` in the resolution tags; newer ImageJ has a unit per
 * axis: a line scan has `yunit=sec`, and one that was turned by 90° `unit=sec`. T is `finterval` in `tunit`; `fps` alone is
 * the rate at which ImageJ plays the stack. SCIFIO has scales and units of its own.
 */
export function imageJSteps(
  page: TiffPage,
  text: ImageJText,
  { rows, ...sizes }: RowSizes & { rows: PlaneRows | undefined },
  notes: Notes,
): Pick<SceneInfo, 'steps' | 'coordinates'> {
  const units = { X: text.xunit ?? text.unit, Y: text.yunit ?? text.unit, Z: text.zunit ?? text.unit };
  const plane = text.isScifio ? scifioPixels(page, text, notes) : pixelSteps(page, units, notes);
  if (!text.isScifio && !units.X && !units.Y) describeLostUnit(page, notes);
  if (plane.X.unit === 'seconds') describeTimeColumns(plane, notes);
  const z = findAxis(text, 'Z');
  const depth = { value: text.spacing || z?.scale, unit: text.spacing ? units.Z : axisUnit(z, units.Z) };
  const spacing = fileStep(depth.value, depth.unit, {
    what: 'ImageJ spacing',
    // ImageJ gives an image without depth the unit of its other axes.
    warnings: sizes.Z > 1 ? notes : new Notes(),
    fallback: 'Planes',
    expect: 'micrometer',
  });
  const section = resolveDepth(spacing, sizes, rows, notes);
  const frame = frameInterval(text, sizes, rows, notes);
  return { steps: { ...plane, Z: section.step, T: frame.step }, ...measuredAxes({ T: frame, Z: section }) };
}

/** Sections have the positions of their labels, which only our own exports have. */
function resolveDepth(step: Step, sizes: RowSizes, rows: PlaneRows | undefined, notes: Notes): ResolvedAxis {
  if (!rows) return { step };
  const isSet = step.unit === 'micrometer';
  const labels = { what: 'positions in the slice labels', set: isSet ? step.step : undefined };
  const evidenceOf = (own: Notes): AxisEvidence => ({
    unit: 'micrometer',
    nominal: isSet ? [{ step: step.step, what: 'ImageJ spacing' }] : [],
    measured: depthsOfRows(rows, sizes, labels, own),
  });
  const resolved = resolveNoted('Z', sizes.Z, evidenceOf, notes);
  return resolved.step.origin === 'default' ? { ...resolved, step } : resolved;
}

/** Says what the resolution tags would mean: ImageJ writes their unit into its description. */
function describeLostUnit(page: TiffPage, notes: Notes): void {
  const [perUnit, tag] = [readNumber(page, TAG.xResolution), resolutionUnit(page)];
  if (!perUnit || tag === undefined || isPrintResolution(perUnit, tag)) return;
  notes.add(
    `The description has no unit, so X and Y are in pixels. By the resolution tags (${show(perUnit)} per ` +
      `${TAG_UNITS[tag] ?? 'another unit'}), a pixel would be ${show(tag / perUnit)} µm wide: enter that in the viewer or pass ` +
      '`calibration` if it is right.',
  );
}

/** Returns the steps of resolution tags that count pixels per a unit in the description. */
export function pixelSteps(
  page: TiffPage,
  units: Record<'X' | 'Y', string | undefined>,
  notes: Notes,
): { X: Step; Y: Step } {
  const perUnit = { X: readNumber(page, TAG.xResolution), Y: readNumber(page, TAG.yResolution) };
  const tag = resolutionUnit(page);
  const first = perUnit.X ? 'X' : 'Y';
  const byTag = tag !== undefined && isLength(units[first]) && prefersTag(perUnit[first], units[first], tag, notes);
  if (byTag === 'none') return { X: defaultStep(), Y: defaultStep() };
  const step = (axis: 'X' | 'Y'): Step => {
    const options = { what: `${axis} scale`, warnings: notes };
    const value = perUnit[axis] ? 1 / perUnit[axis] : undefined;
    if (byTag && value !== undefined && isLength(units[axis])) return fileStep(value * tag, 'um', options);
    return fileStep(value, units[axis], options);
  };
  return { X: step('X'), Y: step('Y') };
}

function isLength(unit: string | undefined): unit is string {
  return unit !== undefined && unitMeaning(unit)?.unit === 'micrometer';
}

/**
 * Tells whether pixels are counted per ResolutionUnit rather than per `unit`, which ImageJ writes without it. Bio-Formats
 * believes the tag, and ImageJ believes its centimeters if the unit is `um`. Returns `none` for a print resolution, which
 * graphics programs set.
 * @param tag micrometers per ResolutionUnit
 */
function prefersTag(perUnit: number | undefined, unit: string, tag: number, notes: Notes): boolean | 'none' {
  const text = unitMeaning(unit)?.factor ?? Number.NaN;
  if (!perUnit || Math.abs(text / tag - 1) < DIFFERENT) return false;
  const says = `The description says that its unit is ${shorten(unit)}, but`;
  const tagName = TAG_UNITS[tag] ?? 'another unit';
  if (isPrintResolution(perUnit, tag)) {
    notes.add(
      `${says} the resolution is that of prints (${show(perUnit)} per ${tagName}), so the pixel size is unknown. ` +
        'Enter it in the viewer or pass `calibration`.',
    );
    return 'none';
  }
  const [byText, byTag] = [text / perUnit, tag / perUnit];
  const chosen = isUsual(byTag) || !isUsual(byText) ? byTag : byText;
  notes.add(
    `${says} ResolutionUnit is ${tagName}: a pixel is ${show(byText)} or ${show(byTag)} µm wide. ` +
      `Showing ${show(chosen)} µm.`,
  );
  return chosen === byTag;
}

const TAG_UNITS: Record<number, string> = { 25400: 'inch', 10000: 'cm', 1000: 'mm', 1: 'µm' };

function isUsual(micrometers: number): boolean {
  return micrometers >= USUAL.min && micrometers <= USUAL.max;
}

function show(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** Warns of an image whose columns are in seconds: the API has the lines of a line scan along Y. */
export function describeTimeColumns({ Y }: { Y: Step }, notes: Notes): void {
  if (Y.unit === 'seconds') {
    notes.add('The file gives both columns and rows in units of time. One of them is probably a position.');
  } else {
    notes.add('The columns are times: this is a line scan with its lines along Y, so X is in seconds.');
  }
}

function scifioPixels(page: TiffPage, text: ImageJText, notes: Notes): { X: Step; Y: Step } {
  const step = (name: 'X' | 'Y', code: number): Step => {
    const axis = findAxis(text, name);
    const perUnit = readNumber(page, code);
    const byTag = perUnit ? SCIFIO_RESOLUTION / perUnit : undefined;
    const scale = axis?.scale ?? byTag;
    const unit = axisUnit(axis, text.unit);
    if (scale !== undefined && scale !== 1 && isUncalibrated(unit)) {
      notes.add(`SCIFIO ${name} scale: ${show(scale)} has no unit; the axis is in pixels.`);
    }
    if (byTag !== undefined && scale !== undefined && Math.abs(byTag / scale - 1) > DIFFERENT) {
      notes.add(
        `SCIFIO ${name} scale: the description says ${show(scale)}, but the resolution ${show(byTag)}. ` +
          `Showing ${show(scale)}.`,
      );
    }
    return fileStep(scale, unit, { what: `SCIFIO ${name} scale`, warnings: notes });
  };
  return { X: step('X', TAG.xResolution), Y: step('Y', TAG.yResolution) };
}

function findAxis({ scifioAxes }: ImageJText, label: string): ScifioAxis | undefined {
  return scifioAxes.find((axis) => axis.label === label);
}

/** Each axis of SCIFIO has a unit. The single one for ImageJ counts where they are missing. */
function axisUnit(axis: ScifioAxis | undefined, fallback: string | undefined): string | undefined {
  return axis?.unit ? axis.unit : fallback;
}

function frameInterval(text: ImageJText, sizes: RowSizes, rows: PlaneRows | undefined, notes: Notes): ResolvedAxis {
  const toNominal = (value: number | undefined, unit: string, what: string): NominalStep[] => {
    // A stack without time may have any interval.
    const warnings = sizes.T > 1 || (value ?? 0) > 0 ? notes : new Notes();
    const step = fileStep(value, unit, { what, warnings, fallback: 'Frames', expect: 'seconds' });
    return step.unit === 'seconds' ? [{ step: step.step, what }] : [];
  };
  const time = findAxis(text, 'Time');
  const nominal = [
    ...toNominal(text.frameInterval, text.tunit || 'sec', 'ImageJ finterval'),
    ...toNominal(time?.scale, time?.unit ?? '', 'SCIFIO Time scale'),
  ];
  const evidenceOf = (own: Notes): AxisEvidence => ({
    unit: 'seconds',
    nominal,
    measured: rows && timesOfRows(rows, sizes, 'times in the slice labels', own),
  });
  const axis = resolveNoted('T', sizes.T, evidenceOf, notes);
  const hasTimes = rows?.time.some(Number.isFinite) ?? false;
  if (nominal.length === 0 && !hasTimes && text.playbackRate !== undefined && sizes.T > 1) {
    return warnOfAxis(
      axis,
      `The file has only a playback rate (fps=${show(text.playbackRate)}), which is not the frame interval, so T is in ` +
        'frames. Enter the interval in the viewer or pass `calibration`.',
      notes,
    );
  }
  return axis;
}
