import type { JsonObject } from '../../base/json.js';
import { Notes } from '../../base/notes.js';
import type { ChannelInfo, SceneInfo, Step } from '../../model/acquisition.js';
import { measuredAxes, resolveAxis } from '../../model/metadata/axes.js';
import { channelsShown, SAMPLE_DISPLAYS } from '../../model/metadata/colors.js';
import { NO_CLOCK, parseDateTime } from '../../model/metadata/dates.js';
import { toInstrument, toOptics } from '../../model/metadata/instrument.js';
import { spreadIndices } from '../../model/metadata/intervals.js';
import { toNumber } from '../../model/metadata/micro-manager.js';
import { channelsNamed } from '../../model/metadata/names.js';
import { defaultStep, makeStep } from '../../model/metadata/steps.js';
import { orderVolumes } from '../../model/metadata/volume-order.js';
import { imageAt, type NdtiffScene } from './arrange.js';
import { type ImageMetadata, imagesAlong, MAX_ORDERED, toText } from './images.js';

/** Times are milliseconds in most files. */
const TIME_QUANTUM = 0.001;

/** What the scenes of a set share. */
export interface SetMetadata {
  summary: JsonObject;
  images: ImageMetadata;
  /** How many pixels at full size one pixel is wide; 2, 4, … for a reduced level. */
  reduction: number;
  /** Number of scenes. */
  scenes: number;
}

/** Frames of one line each are the lines of a scan. */
export function areLines({ height, T }: Pick<NdtiffScene, 'height' | 'T'>): boolean {
  return height === 1 && T.length > 1;
}

export function toSceneInfo(scene: NdtiffScene, set: SetMetadata): SceneInfo {
  const notes = new Notes();
  notes.addAll(scene.notes);
  const first = set.images.of(scene.first);
  const isLines = areLines(scene);
  const time = resolveTime(scene, set, isLines ? 'Y' : 'T', notes);
  const depth = resolveDepth(scene, set, notes);
  const pixel = pixelStep(first, set);
  const started = toText(first['Time']) || toText(set.summary['StartTime']) || toText(set.summary['DateAndTime']);
  return {
    name: scene.name,
    sampleType: scene.form.sampleType,
    channels: toChannels(scene, set),
    sizes: {
      ...{ T: isLines ? 1 : scene.T.length, Z: scene.Z.length },
      ...{ Y: isLines ? scene.T.length : scene.height, X: scene.width },
    },
    steps: {
      T: isLines ? defaultStep('Frames') : time.step,
      Z: depth.step,
      Y: isLines ? toLineStep(time.step) : pixel,
      X: pixel,
    },
    ...measuredAxes(isLines ? { Y: time, Z: depth } : { T: time, Z: depth }),
    ...instrumentOf(first),
    // The zone is cut off: `2022-08-23 09:11:45 -`.
    ...(parseDateTime(started.replace(/\s+[-+]\d*\s*$/, '')) ?? NO_CLOCK),
    reference: null,
    warnings: notes.list(),
  };
}

/** Returns the planes in columns; `undefined` for a line scan, whose images have no rows of their own. */
export function planesInColumns(scene: NdtiffScene): number | undefined {
  const { T, Z, C, form } = scene;
  return areLines(scene) ? undefined : T.length * Z.length * C.length * form.samples;
}

/** Orders the sections of each time point by the positions of the first channel, where those show that it is needed. */
export function inOrderOfDepth(scene: NdtiffScene, { images, summary, scenes }: SetMetadata): NdtiffScene {
  const [T, Z] = [scene.T.length, scene.Z.length];
  const max = imagesAlong(scenes);
  if (areLines(scene) || Z > max) return scene;
  const planned = toNumber(summary['z-step_um']);
  const { order, warnings } = orderVolumes({
    ...{ T, Z, times: spreadIndices(T, max), what: 'positions of the images' },
    at: (t, z) => {
      const image = images.of(scene.images.at({ scene: 0, channel: 0, t, z }));
      return toNumber(image['ZPositionUm'] ?? image['ZPosition_um_Intended']);
    },
    set: planned === undefined ? undefined : Math.abs(planned),
    max: Math.floor(MAX_ORDERED / scenes),
  });
  scene.notes.addAll(warnings);
  return order ? { ...scene, order } : scene;
}

function toLineStep(step: Step): Step {
  return step.unit === 'seconds' ? step : defaultStep();
}

/** PixelSize is that of the camera's pixels at this magnification; 0 when it was never calibrated. */
function pixelStep(image: JsonObject, { summary, reduction }: SetMetadata): Step {
  const found = [image['PixelSizeUm'], image['PixelSize_um'], summary['PixelSize_um'], summary['PixelSizeUm']];
  const size = found.map(toNumber).find((value) => value !== undefined && value > 0);
  const step = makeStep((size ?? Number.NaN) * reduction, 'micrometer', reduction > 1 ? 'derived' : 'file');
  return step ?? defaultStep();
}

function resolveTime(scene: NdtiffScene, set: SetMetadata, axis: 'T' | 'Y', notes: Notes) {
  const { T } = scene;
  const indices = spreadIndices(T.length, imagesAlong(set.scenes));
  const at = new Float64Array(T.length).fill(Number.NaN);
  if (T.length > 1) {
    for (const t of indices) {
      const elapsed = toNumber(set.images.of(imageAt(scene, { channel: 0, t, z: 0 }))['ElapsedTime-ms']);
      if (elapsed !== undefined) at[t] = elapsed / 1000;
    }
  }
  const interval = toNumber(set.summary['Interval_ms']);
  const evidence = {
    unit: 'seconds' as const,
    nominal: interval === undefined ? [] : [{ step: interval / 1000, what: 'Interval_ms' }],
    measured: {
      ...{ at, what: 'time stamps (ElapsedTime-ms)', quantum: TIME_QUANTUM },
      isSample: indices.length < T.length,
      planes: planesInColumns(scene),
    },
  };
  return resolveAxis(axis, T.length, evidence, notes);
}

/** Positions by the driver of the stage (ZPositionUm) count before those that were asked for. */
function resolveDepth(scene: NdtiffScene, set: SetMetadata, notes: Notes) {
  const { Z } = scene;
  const indices = spreadIndices(Z.length, imagesAlong(set.scenes));
  const planes = Z.length > 1 ? indices.map((z) => set.images.of(imageAt(scene, { channel: 0, t: 0, z }))) : [];
  const key = ['ZPositionUm', 'ZPosition_um_Intended'].find((name) =>
    planes.some((plane) => toNumber(plane[name]) !== undefined),
  );
  const at = new Float64Array(Z.length).fill(Number.NaN);
  if (key !== undefined) for (const [i, z] of indices.entries()) at[z] = toNumber(planes[i]![key]) ?? Number.NaN;
  const planned = toNumber(set.summary['z-step_um']);
  const evidence = {
    unit: 'micrometer' as const,
    nominal: planned === undefined ? [] : [{ step: Math.abs(planned), what: 'z-step_um' }],
    measured: {
      ...{ at, what: `positions (${key ?? 'ZPositionUm'})` },
      isSample: indices.length < Z.length,
      planes: planesInColumns(scene),
    },
  };
  return resolveAxis('Z', Z.length, evidence, notes);
}

/** A channel is a label, or a number whose name is in the metadata of its images. */
function toChannels(scene: NdtiffScene, { images }: SetMetadata): ChannelInfo[] {
  const { samples } = scene.form;
  const found = scene.C.map((value, channel) => {
    const metadata = images.of(scene.firstOfChannel[channel]);
    const name = typeof value === 'string' ? value : toText(metadata['Channel']);
    return { name, optics: opticsOf(metadata) };
  });
  if (samples === 1) {
    const named = channelsNamed(found.map(({ name }) => (name === 'Default' ? '' : name)));
    return named.map((channel, i) => ({ ...channel, ...found[i]!.optics }));
  }
  const colors = found.flatMap(({ name }) => ['R', 'G', 'B'].map((sample) => `${name} ${sample}`.trim()));
  const displays = found.flatMap(() => SAMPLE_DISPLAYS.slice(0, samples));
  return channelsShown(channelsNamed(colors), displays);
}

function opticsOf(image: JsonObject) {
  const exposure = toNumber(image['Exposure']);
  return toOptics({
    exposureSeconds: exposure === undefined ? undefined : exposure / 1000,
    detector: toText(image['Camera']) || toText(image['Core-Camera']),
  });
}

function instrumentOf(image: JsonObject) {
  return toInstrument({
    objective: { name: toText(image['Objective-Label']) },
    stage: {
      x: toNumber(image['XPositionUm'] ?? image['XPosition_um_Intended']),
      y: toNumber(image['YPositionUm'] ?? image['YPosition_um_Intended']),
      z: toNumber(image['ZPositionUm'] ?? image['ZPosition_um_Intended']),
    },
  });
}
