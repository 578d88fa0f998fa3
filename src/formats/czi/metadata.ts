import type { ChannelInfo, SceneInfo, Step } from '../../acquisition.js';
import { channelsShown } from '../../metadata/colors.js';
import { depthRows } from '../../metadata/depth-rows.js';
import { channelsNamed, cleanName } from '../../metadata/names.js';
import { defaultStep, makeStep } from '../../metadata/steps.js';
import { plural } from '../../wording.js';
import type { Arrangement, CziChannel, CziScene } from './arrange.js';
import { clockOf } from './clock.js';
import { channelDisplay, displayFor } from './display.js';
import type { RawMetadata } from './parse.js';
import { timeStep } from './times.js';

/** A channel of ours: a channel of the file, and the sample of its colour pixels. */
export interface ServedChannel {
  channel: CziChannel;
  sample: number;
}

const COLOURS = ['R', 'G', 'B', 'A'];

export function servedChannels(scene: CziScene): ServedChannel[] {
  return scene.channels.flatMap((channel) =>
    Array.from({ length: channel.type.samples }, (_, sample) => ({ channel, sample })),
  );
}

/** What the file says on the times of a scene. */
export interface SceneTimes {
  /** Ascending starts of the subblocks along T, each once, relative to the first. */
  starts: readonly number[];
  /** Of the time stamps attachment. */
  stamps: readonly number[];
  /** Listed in the metadata. */
  offsets: readonly number[];
}

export function toScene(scene: CziScene, arrangement: Arrangement, raw: RawMetadata, times: SceneTimes): SceneInfo {
  const { rowAxis, extent } = scene;
  const warnings = foldedWarnings(arrangement);
  const lines = rowAxis === 'T';
  const metadata = { ...raw, timeOffsets: times.offsets };
  const facts = { count: extent.T, starts: times.starts, stamps: times.stamps, metadata, lines };
  const time = extent.T > 1 ? timeStep(facts, warnings) : undefined;
  if (lines && !time) warnings.push('The file holds no line period; lines are counted, not timed.');
  const depth = lengthStep(raw.distances.Z ?? raw.scaling.Z, 1) ?? depthStep(raw);
  const clock = clockOf(raw, warnings);
  return {
    name: sceneName(scene, arrangement.severalScenes, raw),
    sampleType: scene.sampleType,
    channels: channelsOf(scene, raw),
    sizes: { T: lines ? 1 : extent.T, Z: rowAxis === 'Z' ? 1 : extent.Z, Y: scene.rows, X: scene.columns },
    steps: {
      T: lines ? defaultStep('Frames') : (time ?? defaultStep('Frames')),
      Z: rowAxis === 'Z' ? defaultStep('Planes') : (depth ?? defaultStep('Planes')),
      Y: rowStep(scene, raw, time, depth, warnings),
      X: lengthStep(raw.distances.X ?? raw.scaling.X, scene.ratio.X) ?? defaultStep(),
    },
    ...depthRows(rowAxis === 'Z', warnings),
    date: clock.date,
    time: clock.time,
    reference: null,
    warnings,
  };
}

function rowStep(
  scene: CziScene,
  raw: RawMetadata,
  time: Step | undefined,
  depth: Step | undefined,
  warnings: string[],
): Step {
  if (scene.rowAxis === 'T') return time ?? defaultStep();
  if (scene.rowAxis === 'Z') return depth ?? defaultStep();
  if (scene.ratio.X !== 1 || scene.ratio.Y !== 1) {
    warnings.push('The image is stored with another number of pixels than it claims; the stored pixels are served.');
  }
  return lengthStep(raw.distances.Y ?? raw.scaling.Y, scene.ratio.Y) ?? defaultStep();
}

/** Metres per pixel of the image, as the step of a stored pixel. */
export function lengthStep(metres: number | undefined, ratio: number): Step | undefined {
  if (metres === undefined) return undefined;
  return makeStep(toMicrometres(metres) / ratio, 'micrometer', ratio === 1 ? 'file' : 'derived');
}

/** Moves the decimal point, where a product would round: 1.6e-6 m is 1.6 µm, not 1.5999999999999999. */
function toMicrometres(metres: number): number {
  const [digits, exponent] = String(metres).split('e');
  return Number(`${digits}e${Number(exponent ?? 0) + 6}`);
}

function depthStep(raw: RawMetadata): Step | undefined {
  return raw.depthIncrement === undefined ? undefined : makeStep(raw.depthIncrement, 'micrometer');
}

function foldedWarnings({ folded }: Arrangement): string[] {
  if (folded.length === 0) return [];
  const list = folded.map(({ letter, entries }) => `${letter} (${plural(entries, 'entry', 'entries')})`).join(', ');
  return [`The file has the dimension ${list}, which is served as scenes: the name of a scene says which entry it is.`];
}

/** The file's own name of the scene, else its number, and the entries of the dimensions that are served as scenes. */
function sceneName(scene: CziScene, severalScenes: boolean, raw: RawMetadata): string {
  const given = scene.s === undefined ? '' : cleanName(raw.sceneNames.get(scene.s));
  const own = given === '' && severalScenes ? `Scene ${(scene.s ?? 0) + 1}` : given;
  return [own, ...scene.folded.map(({ letter, index }) => `${letter}${index}`)].filter((part) => part !== '').join(' ');
}

function channelsOf(scene: CziScene, raw: RawMetadata): ChannelInfo[] {
  const served = servedChannels(scene);
  const named = channelsNamed(served.map((one) => channelName(one, scene, raw)));
  return channelsShown(
    named,
    served.map(({ channel, sample }) => channelDisplay(channel, sample, raw)),
  );
}

/** The name in the image, else the one on the display, else its number in the recording. */
function channelName({ channel, sample }: ServedChannel, scene: CziScene, raw: RawMetadata): string {
  const own = raw.channels[channel.c]?.name || displayFor(channel.c, raw)?.name;
  const name = cleanName(own) || `CH${channel.c + 1}`;
  if (channel.type.samples === 1) return name;
  const colour = COLOURS[sample] as string;
  return scene.channels.length === 1 ? colour : `${name} ${colour}`;
}
