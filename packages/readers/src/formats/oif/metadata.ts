import { Notes } from '../../base/notes.js';
import { grouped } from '../../base/wording.js';
import type { OlympusSettings } from '../../io/olympus-settings.js';
import type { SceneInfo, Step } from '../../model/acquisition.js';
import { measuredAxes, resolveAxis } from '../../model/metadata/axes.js';
import { type ChannelDisplay, channelsShown } from '../../model/metadata/colors.js';
import { NO_CLOCK, parseDateTime, toIsoClock, type WallClock } from '../../model/metadata/dates.js';
import { depthRows } from '../../model/metadata/depth-rows.js';
import { toInstrument, toOptics } from '../../model/metadata/instrument.js';
import { channelsNamed } from '../../model/metadata/names.js';
import { defaultStep, fileStep } from '../../model/metadata/steps.js';
import { type FrameTime, timeEvidence } from './frame-times.js';
import { findInstrument, findPinhole } from './instrument.js';
import type { RawMain, RawOifAxis } from './parse.js';
import { axisStep, pixelStep } from './pixel-size.js';
import type { FilePlan } from './plan.js';
import type { PlaneShape } from './planes.js';
import type { ReferenceSet } from './reference.js';

const IMAGE = 'Image Parameters';
const ACQUISITION = 'Acquisition Parameters Common';

/** All that describes a set. */
interface Described {
  main: OlympusSettings;
  raw: RawMain;
  plan: FilePlan;
  /** Of the planes themselves; overrides what the settings say. */
  shape: PlaneShape;
  /** Properties of the first plane. */
  properties: OlympusSettings | undefined;
  /** Channel of the first plane. */
  firstChannel: number;
  /** Of the frames of a series, where they are stored. */
  times: readonly FrameTime[];
  /** One entry per channel of the settings. */
  displays: readonly ChannelDisplay[];
  reference: ReferenceSet;
}

/** Describes the one scene of a set. */
export function toScene(described: Described): SceneInfo {
  const { raw, plan, shape, reference } = described;
  const notes = new Notes();
  notes.addAll(plan.warnings);
  const planned = raw.axes.get(plan.rowAxis)?.maxSize ?? 0;
  if (planned > 1 && planned !== shape.rows) {
    const what = plan.rowAxis === 'T' ? 'lines' : 'rows';
    notes.add(
      `The settings say ${grouped(planned)} ${what}, but the file has ${grouped(shape.rows)}. Showing ${grouped(shape.rows)}.`,
    );
  }
  const clock = parseDateTime(raw.date) ?? NO_CLOCK;
  const T = plan.rowAxis === 'T' ? defaultStep('Frames') : seriesStep(raw.axes.get('T'), plan.T, 'Frames', notes);
  const Z = plan.rowAxis === 'Z' ? defaultStep('Planes') : seriesStep(raw.axes.get('Z'), plan.Z, 'Planes', notes);
  const Y = rowStep(described, notes);
  const X = columnStep(described, notes);
  const rowAxis = depthRows(plan.rowAxis === 'Z', notes);
  const planes = plan.T * plan.Z * plan.channels * plan.lambdas;
  const time = resolveAxis('T', plan.T, timeEvidence(T, described.times, plan.T, planes), notes);
  notes.addAll(reference.warnings);
  return {
    name: '',
    sampleType: shape.layout.sampleType,
    channels: toChannels(described),
    sizes: { T: plan.T, Z: plan.Z, Y: shape.rows, X: shape.layout.width },
    steps: { T: time.step, Z, Y, X },
    ...measuredAxes({ T: time }),
    ...toInstrument({
      ...findInstrument(described.main, described.properties),
      zoom: raw.zoom,
      start: raw.zoom === undefined ? '' : startOf(clock, raw.milliseconds),
    }),
    ...rowAxis,
    date: clock.date,
    time: clock.time,
    reference: reference.info,
    warnings: notes.list(),
  };
}

/** Returns the channels, each once per wavelength. */
function toChannels({ raw, plan, displays, properties, firstChannel }: Described): SceneInfo['channels'] {
  const channels = channelsNamed(channelNames(raw, plan));
  const shown = channelsShown(
    channels,
    channels.map((_, i) => displays[Math.floor(i / plan.lambdas)]),
  );
  // The channels of a wavelength scan differ from what the settings say of their detector.
  if (plan.lambdas > 1) return shown;
  const pinholeUm = findPinhole(properties);
  return shown.map((channel, i) => {
    const pinhole = i === firstChannel ? { pinholeUm } : {};
    return { ...channel, ...toOptics({ ...raw.optics[i], ...pinhole }) };
  });
}

function channelNames(raw: RawMain, plan: FilePlan): (string | undefined)[] {
  const names: (string | undefined)[] = [];
  for (let c = 0; c < plan.channels; c++) {
    const name = raw.channelNames[c] || undefined;
    for (let l = 0; l < plan.lambdas; l++) {
      names.push(plan.lambdas === 1 ? name : `${name ?? `CH${c + 1}`} ${wavelength(raw.axes.get('L'), l)}`);
    }
  }
  return names;
}

function wavelength(axis: RawOifAxis | undefined, index: number): string {
  const spacing = axis && axisSpacing(axis);
  if (axis?.start === undefined || spacing === undefined) return `λ${index + 1}`;
  return `${Number((axis.start + spacing * index).toFixed(3))} nm`;
}

/** Returns the distance between neighbors along an axis, in the file's unit. */
function axisSpacing(axis: RawOifAxis): number | undefined {
  if (axis.start !== undefined && axis.end !== undefined && axis.maxSize > 1) {
    const spacing = Math.abs(axis.end - axis.start) / (axis.maxSize - 1);
    if (spacing > 0) return spacing;
  }
  return axis.interval === undefined || axis.interval === 0 ? undefined : Math.abs(axis.interval);
}

function seriesStep(axis: RawOifAxis | undefined, size: number, fallback: 'Frames' | 'Planes', notes: Notes): Step {
  if (!axis || size <= 1) return defaultStep(fallback);
  const expect = fallback === 'Frames' ? 'seconds' : 'micrometer';
  return fileStep(axisSpacing(axis), axis.unit, {
    what: `${axis.code} step`,
    warnings: notes,
    fallback,
    expect,
    origin: 'file',
  });
}

function rowStep(described: Described, notes: Notes): Step {
  const { raw, plan, properties, main } = described;
  if (plan.rowAxis === 'T') return linePeriod(described, notes);
  if (plan.rowAxis === 'Z') {
    const axis = raw.axes.get('Z');
    return axis
      ? fileStep(axisSpacing(axis), axis.unit, { what: 'Y step', warnings: notes, expect: 'micrometer' })
      : defaultStep('Pixels');
  }
  return pixelStep(properties, main, 'Height', notes) ?? axisStep(raw.axes.get('Y'), 'Y step', notes);
}

/**
 * Returns the line period: the height of a pixel in ms where the properties have one, else the spacing of the T axis
 * (both include any rest between lines), else the time that scanning a line takes.
 */
function linePeriod({ raw, shape, properties, main }: Described, notes: Notes): Step {
  // A value that cannot be used is not worth a warning while there is another one.
  const options = { what: 'line period', warnings: new Notes(), expect: 'seconds' } as const;
  const height = fileStep(
    properties?.number(IMAGE, 'HeightConvertValue'),
    properties?.text(IMAGE, 'HeightUnit'),
    options,
  );
  if (height.origin === 'file') return height;
  const axis = raw.axes.get('T');
  const spacing = axis && shape.rows > 1 ? fileStep(axisSpacing(axis), axis.unit, options) : undefined;
  const line = properties?.number(ACQUISITION, 'Time Per Line') ?? main.number(ACQUISITION, 'Time Per Line');
  const scan = fileStep(line, 'us', options);
  if (spacing?.origin === 'file') {
    if (scan.origin === 'file' && Math.abs(spacing.step / scan.step - 1) > 0.01) {
      notes.add(
        `The time axis says ${spacing.step} s per line, but scanning a line takes ${scan.step} s. Showing ${spacing.step} s.`,
      );
    }
    return { ...spacing, origin: 'derived' };
  }
  if (scan.origin === 'file') return scan;
  notes.add(
    'The settings do not contain the line period, so the time axis is in pixels. Enter it in the viewer or pass `calibration`.',
  );
  return defaultStep('Pixels');
}

function columnStep({ raw, properties, main }: Described, notes: Notes): Step {
  return pixelStep(properties, main, 'Width', notes) ?? axisStep(raw.axes.get('X'), 'X step', notes);
}

function startOf(clock: WallClock, milliseconds = 0): string {
  const hasFraction = clock.time !== '' && Number.isInteger(milliseconds) && milliseconds > 0 && milliseconds < 1000;
  return toIsoClock(clock) + (hasFraction ? `.${String(milliseconds).padStart(3, '0')}` : '');
}
