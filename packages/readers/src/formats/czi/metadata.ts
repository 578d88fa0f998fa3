import { Notes } from '../../base/notes.js';
import { plural } from '../../base/wording.js';
import type { ChannelInfo, SceneInfo, Step } from '../../model/acquisition.js';
import { measuredAxes, type NominalStep, type ResolvedAxis, resolveAxis } from '../../model/metadata/axes.js';
import { channelsShown } from '../../model/metadata/colors.js';
import { depthRows } from '../../model/metadata/depth-rows.js';
import { toInstrument } from '../../model/metadata/instrument.js';
import { channelsNamed, cleanName } from '../../model/metadata/names.js';
import { defaultStep, makeStep } from '../../model/metadata/steps.js';
import type { CziArrangement, CziChannel, CziScene } from './arrange.js';
import { findRecordingTime, findStart, isZoned, secondsBetween } from './clock.js';
import { channelDisplay, findDisplay } from './display.js';
import type { RawMetadata } from './metadata-xml.js';
import { type TimeFacts, timeEvidence } from './times.js';

/** A channel of a scene: a channel of the file, or one sample of its color pixels. */
export interface ServedChannel {
  channel: CziChannel;
  /** In the order R, G, B, A; 0 for gray. */
  sample: number;
}

const COLORS = ['R', 'G', 'B', 'A'];

/** Returns the channels of a scene in order: each sample of color pixels is one. */
export function servedChannels(scene: CziScene): ServedChannel[] {
  return scene.channels.flatMap((channel) =>
    Array.from({ length: channel.type.samples }, (_, sample) => ({ channel, sample })),
  );
}

/** What the file contains about the times of a scene. */
export type SceneTimes = Pick<TimeFacts, 'starts' | 'stamps'> & {
  /** Time offsets listed in the metadata. */
  offsets: readonly number[];
};

/** Describes a scene, without a reference. */
export function toScene(scene: CziScene, arrangement: CziArrangement, raw: RawMetadata, times: SceneTimes): SceneInfo {
  const { rowAxis, extent, ratio } = scene;
  const notes = new Notes();
  notes.addAll(foldedWarnings(arrangement));
  const time = extent.T > 1 ? findTime(scene, raw, times, notes) : undefined;
  if (rowAxis === 'T' && time?.step.unit !== 'seconds') {
    notes.add(
      'The file does not contain the line period, so the time axis is in pixels. ' +
        'Enter it in the viewer or pass `calibration`.',
    );
  }
  const { clock, warning } = findRecordingTime(raw);
  if (warning !== undefined) notes.add(warning);
  const depth = findDepth(scene, raw, notes);
  const height = lengthStep(raw.distances.Y ?? raw.scaling.Y, ratio.Y);
  if (rowAxis === 'Y' && (ratio.X !== 1 || ratio.Y !== 1)) {
    notes.add(
      'The image is stored with a different number of pixels than the directory says. Showing the stored pixels.',
    );
  }
  return {
    name: sceneName(scene, arrangement.severalScenes, raw),
    sampleType: scene.sampleType,
    channels: toChannels(scene, raw),
    sizes: {
      T: rowAxis === 'T' ? 1 : extent.T,
      Z: rowAxis === 'Z' ? 1 : extent.Z,
      Y: scene.rows,
      X: scene.columns,
    },
    steps: {
      T: (rowAxis === 'T' ? undefined : time?.step) ?? defaultStep('Frames'),
      Z: rowAxis === 'Z' ? defaultStep('Planes') : depth.step,
      Y: rowStep({ T: time?.step, Z: depth.step, Y: height }[rowAxis]),
      X: lengthStep(raw.distances.X ?? raw.scaling.X, ratio.X) ?? defaultStep(),
    },
    ...measuredAxes({
      [rowAxis === 'T' ? 'Y' : 'T']: time,
      [rowAxis === 'Z' ? 'Y' : 'Z']: depth,
    }),
    ...toInstrument({ ...raw.optics.instrument, start: findStart(raw) }),
    ...depthRows(rowAxis === 'Z', notes),
    date: clock.date,
    time: clock.time,
    reference: null,
    warnings: notes.list(),
  };
}

function findTime(scene: CziScene, raw: RawMetadata, times: SceneTimes, notes: Notes): ResolvedAxis {
  const metadata = { ...raw, timeOffsets: times.offsets };
  const lines = scene.rowAxis === 'T';
  const count = scene.extent.T;
  const evidence = timeEvidence({ ...times, count, metadata, lines });
  const axis = resolveAxis(lines ? 'Y' : 'T', count, evidence, notes);
  const start = findStart(raw);
  const isKnown = isZoned(start) && isZoned(raw.timeStart);
  if (axis.coordinates && isKnown) axis.coordinates.first = secondsBetween(start, raw.timeStart);
  return axis;
}

/** The step of Z, which the file may have three times: as scaling, as an interval, and as a list of positions. */
function findDepth({ extent, origin }: CziScene, raw: RawMetadata, notes: Notes): ResolvedAxis {
  const nominal: NominalStep[] = [];
  const scaling = raw.distances.Z ?? raw.scaling.Z;
  if (scaling !== undefined) nominal.push({ step: toMicrometers(scaling), what: 'the scaling' });
  if (raw.depthIncrement !== undefined) nominal.push({ step: raw.depthIncrement, what: '`Z/Positions`' });
  const at = raw.depthOffsets.slice(origin.Z, origin.Z + extent.Z);
  const measured = at.length === extent.Z ? { at, what: 'Z positions' } : undefined;
  return resolveAxis('Z', extent.Z, { unit: 'micrometer', nominal, measured }, notes);
}

function rowStep(step: Step | undefined): Step {
  return step === undefined || step.origin === 'default' ? defaultStep() : step;
}

/**
 * Converts meters per pixel of the image to the step of a stored pixel.
 * @param ratio stored pixels per pixel of the image
 */
export function lengthStep(meters: number | undefined, ratio = 1): Step | undefined {
  if (meters === undefined) return undefined;
  return makeStep(toMicrometers(meters) / ratio, 'micrometer', ratio === 1 ? 'file' : 'derived');
}

/** Moves the decimal point. A product would round: 1.6e-6 m is 1.6 µm, not 1.5999999999999999. */
function toMicrometers(meters: number): number {
  const [digits, exponent] = String(meters).split('e');
  return Number(`${digits}e${Number(exponent ?? 0) + 6}`);
}

function foldedWarnings({ folded }: CziArrangement): string[] {
  if (folded.length === 0) return [];
  const list = folded.map(({ letter, entries }) => `${letter} (${plural(entries, 'entry', 'entries')})`).join(', ');
  return [
    folded.length === 1
      ? `The file also has the dimension ${list}. Each entry is shown as a separate scene.`
      : `The file also has the dimensions ${list}. Each combination of entries is shown as a separate scene.`,
  ];
}

/** Returns the name of the scene in the file, else its number, and its indices along the dimensions that became scenes. */
function sceneName(scene: CziScene, severalScenes: boolean, raw: RawMetadata): string {
  const given = scene.s === undefined ? '' : cleanName(raw.sceneNames.get(scene.s));
  const name = given === '' && severalScenes ? `Scene ${(scene.s ?? 0) + 1}` : given;
  return [name, ...scene.folded.map(({ letter, index }) => `${letter}${index}`)]
    .filter((part) => part !== '')
    .join(' ');
}

function toChannels(scene: CziScene, raw: RawMetadata): ChannelInfo[] {
  const served = servedChannels(scene);
  const named = channelsNamed(served.map((channel) => channelName(channel, scene, raw)));
  const shown = channelsShown(
    named,
    served.map(({ channel, sample }) => channelDisplay(channel, sample, raw)),
  );
  return shown.map((info, i) => ({ ...info, ...raw.optics.channels[served[i]!.channel.c] }));
}

/** Returns the name in the image, else the one of the display setting, else the number in the recording. */
function channelName({ channel, sample }: ServedChannel, scene: CziScene, raw: RawMetadata): string {
  const given = raw.channels[channel.c]?.name || findDisplay(channel.c, raw)?.name;
  const name = cleanName(given) || `CH${channel.c + 1}`;
  if (channel.type.samples === 1) return name;
  const color = COLORS[sample]!;
  return scene.channels.length === 1 ? color : `${name} ${color}`;
}
