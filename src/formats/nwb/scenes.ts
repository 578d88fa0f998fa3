/** A series or an image as a scene that can be read. */

import type { SceneInfo } from '../../acquisition.js';
import { AcqError, decodeFailed, unsupported } from '../../errors.js';
import type { Dataset } from '../../hdf5/dataset.js';
import { LIMITS } from '../../io/limits.js';
import { channelsShown, SAMPLE_DISPLAYS } from '../../metadata/colors.js';
import type { WallClock } from '../../metadata/dates.js';
import { channelsNamed, cleanName } from '../../metadata/names.js';
import { defaultStep, makeStep } from '../../metadata/steps.js';
import type { PlaneTarget } from '../../samples/plane-target.js';
import type { SampleType } from '../../samples/types.js';
import { pageScratch } from '../../tiff/scratch.js';
import { ExternalFrames, type OpenBeside } from './external.js';
import { readFacts, readMember, type SeriesFacts } from './facts.js';
import type { Found } from './find.js';
import { layoutOf, type NwbLayout, schemaGuess } from './layout.js';
import { channelName, lengthStep, timeStep } from './metadata.js';

export interface NwbScene {
  /** Date and time are those of the file and filled in later. */
  info: SceneInfo;
  /** Instead of the clock of the file. */
  clock?: WallClock;
  bands: number | undefined;
  /** Sources beside the NWB file. */
  files?: readonly string[];
  /** Bytes that reading a plane takes beside its target. */
  scratchBytes: number;
  read(at: { channel: number; t: number; z: number }, target: PlaneTarget, signal?: AbortSignal): Promise<void>;
}

const RGBA = ['Red', 'Green', 'Blue', 'Alpha'];

/** @throws AcqError when there is nothing to read; its message tells why */
export async function toScene(found: Found, open: OpenBeside): Promise<NwbScene> {
  if (found.kind === 'image') return imageScene(found);
  const data = found.object.child('data');
  const dataset = data?.isDataset ? data.dataset : undefined;
  if (!dataset || dataset.space.empty || dataset.shape.length === 0) return await externalScene(found, open);
  return await arrayScene(found, dataset);
}

async function arrayScene(found: Found, dataset: Dataset): Promise<NwbScene> {
  const { name, type, object } = found;
  dataset.check();
  const warnings: string[] = [];
  const facts = await readFacts(object, warnings);
  const { sampleType, shape } = dataset;
  const layout = layoutOf(shape, facts, /PhotonSeries$/.test(type), sampleType === 'uint8');
  if (layout.guess) warnings.push(layout.guess);
  if (found.kind === 'lines') {
    warnings.push('A time series of two dimensions is served as the lines of a scan: time by pixels.');
  }
  if (dataset.neverWritten) warnings.push('The data were never written; all pixels have the fill value of the file.');
  const size = (axis: number | undefined) => (axis === undefined ? 1 : (shape[axis] as number));
  const sizes = { T: size(layout.t), Z: size(layout.z), Y: size(layout.y), X: size(layout.x) };
  checkSizes(sizes);
  const colours = layout.c === undefined ? [channelName(facts, name)] : RGBA.slice(0, size(layout.c));
  const info = sceneInfo(name, sampleType, colours, sizes, stepsOf(facts, layout, sizes, warnings), warnings);
  return {
    info,
    bands: bandsOf(dataset, layout.y),
    scratchBytes: dataset.scratchBytes,
    read: (at, target, signal) => readArray(dataset, layout, at, target, signal),
  };
}

function readArray(
  dataset: Dataset,
  { x, y, t, z, c }: NwbLayout,
  at: { channel: number; t: number; z: number },
  target: PlaneTarget,
  signal: AbortSignal | undefined,
): Promise<void> {
  const index = dataset.shape.map((_, axis) => (axis === t ? at.t : axis === z ? at.z : axis === c ? at.channel : 0));
  return dataset.readPlane({ row: y, column: x, at: index }, target, signal);
}

function stepsOf(
  facts: SeriesFacts,
  layout: NwbLayout,
  sizes: SceneInfo['sizes'],
  warnings: string[],
): SceneInfo['steps'] {
  const { T, Z, Y, X } = sizes;
  const time = timeStep(facts, layout.lines ? Y : T, layout.lines, warnings);
  return {
    T: layout.lines ? defaultStep('Frames') : time,
    Z: Z > 1 ? lengthStep(facts, 2, Z, warnings) : defaultStep('Planes'),
    Y: layout.lines ? time : lengthStep(facts, 1, Y, warnings),
    X: lengthStep(facts, 0, X, warnings),
  };
}

/** GrayscaleImage (x, y), RGBImage (x, y, 3), RGBAImage (x, y, 4). */
function imageScene({ name, object }: Found): NwbScene {
  const { dataset } = object;
  dataset.check();
  const [X = 0, Y = 0, samples = 1] = dataset.shape;
  const rank = dataset.shape.length;
  if (rank < 2 || rank > 3 || dataset.space.empty || samples > RGBA.length) {
    throw unsupported(`its shape is ${dataset.shape.join(' × ')}, which is no image`);
  }
  const sizes = { T: 1, Z: 1, Y, X };
  checkSizes(sizes);
  // Pixels per centimetre.
  const step = makeStep(1e4 / (object.number('resolution') ?? 0), 'micrometer') ?? defaultStep();
  const steps = { T: defaultStep('Frames'), Z: defaultStep('Planes'), Y: step, X: step };
  const channels = samples === 1 ? [name.split('/').at(-1) ?? name] : RGBA.slice(0, samples);
  return {
    info: sceneInfo(name, dataset.sampleType, channels, sizes, steps, [schemaGuess(X, Y)]),
    bands: bandsOf(dataset, 1),
    scratchBytes: dataset.scratchBytes,
    read: (at, target, signal) =>
      dataset.readPlane({ row: 1, column: 0, at: [0, 0, at.channel].slice(0, rank) }, target, signal),
  };
}

async function externalScene(found: Found, open: OpenBeside): Promise<NwbScene> {
  const { object, name } = found;
  const names = (await readMember(object, 'external_file'))?.texts ?? [];
  if (names.length === 0) throw decodeFailed('it has no data');
  const frames = new ExternalFrames(names, open, object.file.name);
  const warnings = [...frames.warnings];
  const facts = await readFacts(object, warnings);
  const { layout } = frames;
  const sizes = { T: frames.frames, Z: 1, Y: layout.height, X: layout.width };
  checkSizes(sizes);
  const steps = {
    T: timeStep(facts, sizes.T, false, warnings),
    Z: defaultStep('Planes'),
    Y: lengthStep(facts, 1, sizes.Y, warnings),
    X: lengthStep(facts, 0, sizes.X, warnings),
  };
  const samples = layout.samplesPerPixel;
  const channels =
    samples === 1 ? [channelName(facts, name)] : Array.from({ length: samples }, (_, i) => RGBA[i] ?? '');
  return {
    info: sceneInfo(name, layout.sampleType, channels, sizes, steps, warnings),
    bands: undefined,
    files: frames.sources,
    scratchBytes: pageScratch(layout),
    read: (at, target, signal) => frames.read(at.t, at.channel, target, signal),
  };
}

function sceneInfo(
  name: string,
  sampleType: SampleType,
  channels: readonly string[],
  sizes: SceneInfo['sizes'],
  steps: SceneInfo['steps'],
  warnings: string[],
): SceneInfo {
  const named = channelsNamed(channels);
  const isColor = channels.length >= 3 && channels.every((channel, i) => channel === RGBA[i]);
  return {
    name: cleanName(name),
    sampleType,
    channels: isColor ? channelsShown(named, SAMPLE_DISPLAYS) : named,
    sizes,
    steps,
    date: '',
    time: '',
    reference: null,
    warnings,
  };
}

/** Bands that a plane is best decoded in. */
export function bandsOf(dataset: Dataset, row: number): number | undefined {
  const rows = dataset.bandRows(row);
  return rows === undefined ? undefined : Math.ceil((dataset.shape[row] as number) / rows);
}

/** @throws AcqError `plane_too_large`, `decode_failed` */
export function checkSizes({ T, Z, Y, X }: SceneInfo['sizes']): void {
  if (X > LIMITS.planeSide || Y > LIMITS.planeSide || X * Y > LIMITS.planePixels) {
    throw new AcqError('plane_too_large', `it claims ${Y} × ${X} pixels, more than can be read`);
  }
  if (T * Z > LIMITS.planes) throw decodeFailed(`it claims ${T * Z} planes, more than any real file`);
}
