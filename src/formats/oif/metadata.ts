import type { SceneInfo, Step } from '../../acquisition.js';
import type { Ini } from '../../io/ini.js';
import { NO_CLOCK, parseDateTime } from '../../metadata/dates.js';
import { depthRows } from '../../metadata/depth-rows.js';
import { channelsNamed } from '../../metadata/names.js';
import { defaultStep, fileStep } from '../../metadata/steps.js';
import type { PageLayout } from '../../tiff/types.js';
import type { RawAxis, RawMain } from './parse.js';
import type { PlanePlan } from './plan.js';

const IMAGE = 'Image Parameters';
const ACQUISITION = 'Acquisition Parameters Common';

/**
 * A scene from the settings. `pty` are the properties of the first plane; `rows` is the true number of rows of a plane,
 * which wins over what the settings announce.
 */
export function toScene(
  raw: RawMain,
  plan: PlanePlan,
  layout: PageLayout,
  rows: number,
  pty: Ini | undefined,
  main: Ini,
): SceneInfo {
  const warnings = [...plan.warnings];
  const announced = raw.axes.get(plan.rowAxis)?.maxSize ?? 0;
  if (announced > 1 && announced !== rows) {
    const what = plan.rowAxis === 'T' ? 'lines' : 'rows';
    warnings.push(`The settings announce ${announced} ${what}, the file holds ${rows}; all ${rows} are served.`);
  }
  const clock = parseDateTime(raw.date) ?? NO_CLOCK;
  return {
    name: '',
    sampleType: layout.sampleType,
    channels: channelsNamed(channelNames(raw, plan)),
    sizes: { T: plan.T, Z: plan.Z, Y: rows, X: layout.width },
    steps: {
      T: plan.rowAxis === 'T' ? defaultStep('Frames') : seriesStep(raw.axes.get('T'), plan.T, 'Frames', warnings),
      Z: plan.rowAxis === 'Z' ? defaultStep('Planes') : seriesStep(raw.axes.get('Z'), plan.Z, 'Planes', warnings),
      Y: rowStep(raw, plan, rows, pty, main, warnings),
      X: columnStep(raw, pty, main, warnings),
    },
    ...depthRows(plan.rowAxis === 'Z', warnings),
    date: clock.date,
    time: clock.time,
    reference: null,
    warnings,
  };
}

/** Channels, each once per wavelength when the scan went through several. */
function channelNames(raw: RawMain, plan: PlanePlan): (string | undefined)[] {
  const names: (string | undefined)[] = [];
  for (let c = 0; c < plan.channels; c++) {
    const own = raw.channelNames[c] || undefined;
    for (let l = 0; l < plan.lambdas; l++) {
      names.push(plan.lambdas === 1 ? own : `${own ?? `CH${c + 1}`} ${wavelength(raw.axes.get('L'), l)}`);
    }
  }
  return names;
}

function wavelength(axis: RawAxis | undefined, index: number): string {
  const spacing = axis && spacingOf(axis);
  if (axis?.start === undefined || spacing === undefined) return `λ${index + 1}`;
  return `${Number((axis.start + spacing * index).toFixed(3))} nm`;
}

/** Distance between neighbours along an axis, in the file's unit. */
function spacingOf(axis: RawAxis): number | undefined {
  if (axis.start !== undefined && axis.end !== undefined && axis.maxSize > 1) {
    const spacing = Math.abs(axis.end - axis.start) / (axis.maxSize - 1);
    if (spacing > 0) return spacing;
  }
  return axis.interval === undefined || axis.interval === 0 ? undefined : Math.abs(axis.interval);
}

function seriesStep(axis: RawAxis | undefined, size: number, fallback: 'Frames' | 'Planes', warnings: string[]): Step {
  if (!axis || size <= 1) return defaultStep(fallback);
  const expect = fallback === 'Frames' ? 'seconds' : 'micrometer';
  return fileStep(spacingOf(axis), axis.unit, {
    what: `${axis.code} step`,
    warnings,
    fallback,
    expect,
    origin: 'file',
  });
}

/**
 * Y of a frame is µm. Of a line scan it is the period of the lines: the height of a pixel in ms where the properties
 * say so, else the spacing of the T axis (both hold any rest between lines), else the time that scanning a line takes.
 */
function rowStep(
  raw: RawMain,
  plan: PlanePlan,
  rows: number,
  pty: Ini | undefined,
  main: Ini,
  warnings: string[],
): Step {
  const what = plan.rowAxis === 'T' ? 'line period' : 'Y step';
  if (plan.rowAxis === 'T') {
    const options = { what, warnings: [] as string[], expect: 'seconds' } as const;
    const height = fileStep(pty?.number(IMAGE, 'HeightConvertValue'), pty?.text(IMAGE, 'HeightUnit'), options);
    if (height.origin === 'file') return height;
    const axis = raw.axes.get('T');
    const spacing = axis && rows > 1 ? fileStep(spacingOf(axis), axis.unit, options) : undefined;
    const line = pty?.number(ACQUISITION, 'Time Per Line') ?? main.number(ACQUISITION, 'Time Per Line');
    const scan = fileStep(line, 'us', options);
    if (spacing?.origin === 'file') {
      if (scan.origin === 'file' && Math.abs(spacing.step / scan.step - 1) > 0.01) {
        warnings.push(
          `Lines start every ${spacing.step} s by the time axis, and take ${scan.step} s to scan; the former is served.`,
        );
      }
      return { ...spacing, origin: 'derived' };
    }
    if (scan.origin === 'file') return scan;
    warnings.push('The settings hold no line period; lines are counted, not timed.');
    return defaultStep('Pixels');
  }
  if (plan.rowAxis === 'Z') {
    const axis = raw.axes.get('Z');
    return axis
      ? fileStep(spacingOf(axis), axis.unit, { what, warnings, expect: 'micrometer' })
      : defaultStep('Pixels');
  }
  return pixelStep(pty, main, 'Height', warnings) ?? axisStep(raw.axes.get('Y'), what, warnings);
}

function columnStep(raw: RawMain, pty: Ini | undefined, main: Ini, warnings: string[]): Step {
  return pixelStep(pty, main, 'Width', warnings) ?? axisStep(raw.axes.get('X'), 'X step', warnings);
}

/** The size of a pixel that the properties of the plane state, else those of the full frame. */
export function pixelStep(
  pty: Ini | undefined,
  main: Ini | undefined,
  side: 'Width' | 'Height',
  warnings: string[],
): Step | undefined {
  for (const [ini, section] of [
    [pty, IMAGE],
    [main, 'Reference Image Parameter'],
  ] as const) {
    const value = ini?.number(section, `${side}ConvertValue`);
    const unit = ini?.text(section, `${side}Unit`);
    if (value === undefined || unit === undefined) continue;
    const step = fileStep(value, mendUnit(unit), { what: `${side} of a pixel`, warnings, expect: 'micrometer' });
    if (step.origin === 'file') return step;
  }
  return undefined;
}

/** A `µ` that went through a wrong code page comes out as a question mark. */
function mendUnit(unit: string): string {
  return /^.m$/.test(unit) && /[^\w]/.test(unit) ? 'um' : unit;
}

/** Extent over size: what the settings state of an axis when no pixel size is stored. */
function axisStep(axis: RawAxis | undefined, what: string, warnings: string[]): Step {
  if (axis?.start === undefined || axis.end === undefined || axis.maxSize < 1) return defaultStep('Pixels');
  const value = Math.abs(axis.end - axis.start) / axis.maxSize;
  const step = fileStep(value, mendUnit(axis.unit), { what, warnings, expect: 'micrometer' });
  return step.origin === 'file' ? { ...step, origin: 'derived' } : step;
}
