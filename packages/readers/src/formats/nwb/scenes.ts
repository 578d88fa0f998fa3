/** Builds a scene from a series or an image of the file. */

import { decodeFailed, unsupported } from '../../base/errors.js';
import { Notes } from '../../base/notes.js';
import { grouped } from '../../base/wording.js';
import type { Dataset } from '../../hdf5/dataset.js';
import { checkSizes } from '../../hdf5/dataset-planes.js';
import type { Siblings } from '../../io/folder.js';
import type { SceneInfo } from '../../model/acquisition.js';
import { measuredAxes } from '../../model/metadata/axes.js';
import { channelsShown, SAMPLE_DISPLAYS } from '../../model/metadata/colors.js';
import type { WallClock } from '../../model/metadata/dates.js';
import { channelsNamed, cleanName } from '../../model/metadata/names.js';
import { defaultStep, makeStep } from '../../model/metadata/steps.js';
import type { SampleType } from '../../model/samples/types.js';
import { readFacts, type SeriesFacts } from './facts.js';
import { withInstrument } from './instrument.js';
import { layoutOf, schemaGuess } from './layout.js';
import { readMember } from './members.js';
import { channelName, describeConversion, lengthStep, resolveTime } from './metadata.js';
import type { NwbItem } from './parse.js';
import { externalPlanes, type NwbPlanes, seriesPlanes } from './planes.js';

export interface NwbScene {
  /** Without date and time, which the file has once for all scenes. */
  info: SceneInfo;
  /** Replaces the date and time of the file. */
  clock?: WallClock;
  /** Seconds from the reference of the file to the first entry; NaN or missing where they are not known. */
  first?: number | undefined;
  planes: NwbPlanes;
}

/** The files beside the NWB file. */
export type Beside = Pick<Siblings, 'openAnyCase'>;

const RGBA = ['Red', 'Green', 'Blue', 'Alpha'];

/** Builds the scene of an item. @throws AcqError that says why the item cannot be read */
export async function toScene(item: NwbItem, beside: Beside): Promise<NwbScene> {
  if (item.kind === 'image') return imageScene(item);
  const data = item.object.child('data');
  const dataset = data?.isDataset ? data.dataset : undefined;
  if (!dataset || dataset.space.empty || dataset.shape.length === 0) return await externalScene(item, beside);
  return await arrayScene(item, dataset);
}

async function arrayScene({ kind, name, type, object }: NwbItem, dataset: Dataset): Promise<NwbScene> {
  dataset.check();
  const notes = new Notes();
  const facts = await readFacts(object, notes);
  const { sampleType, shape } = dataset;
  const layout = layoutOf(shape, facts, /PhotonSeries$/.test(type), sampleType === 'uint8');
  if (layout.guess) notes.add(layout.guess);
  if (kind === 'lines')
    notes.add('The time series has two dimensions. They were assumed to be time and the pixels of a line.');
  if (dataset.neverWritten) notes.add('The data were never written. All pixels have the fill value of the file.');
  const size = (axis: number | undefined) => (axis === undefined ? 1 : shape[axis]!);
  const sizes = { T: size(layout.t), Z: size(layout.z), Y: size(layout.y), X: size(layout.x) };
  checkSizes(sizes);
  const channels = layout.c === undefined ? [channelName(facts, name)] : RGBA.slice(0, size(layout.c));
  const { axes, first } = axesOf(facts, layout.lines, sizes, notes);
  return {
    info: withInstrument(sceneInfo(name, sampleType, channels, sizes, axes, notes), facts.takenWith),
    first,
    planes: seriesPlanes(dataset, layout),
  };
}

/** What a scene says of its axes. */
type SceneAxes = Pick<SceneInfo, 'steps' | 'coordinates'>;

function axesOf(facts: SeriesFacts, lines: boolean, sizes: SceneInfo['sizes'], notes: Notes) {
  const { T, Z, Y, X } = sizes;
  const time = resolveTime(facts, lines ? Y : T, lines, notes);
  const conversion = describeConversion(facts);
  if (conversion !== undefined) notes.add(conversion);
  const axes: SceneAxes = {
    steps: {
      T: lines ? defaultStep('Frames') : time.step,
      Z: Z > 1 ? lengthStep(facts, 2, Z, notes) : defaultStep('Planes'),
      Y: lines ? time.step : lengthStep(facts, 1, Y, notes),
      X: lengthStep(facts, 0, X, notes),
    },
    ...measuredAxes({ [lines ? 'Y' : 'T']: time }),
  };
  return { axes, first: time.first };
}

/** GrayscaleImage (x, y), RGBImage (x, y, 3), RGBAImage (x, y, 4). */
function imageScene({ name, object }: NwbItem): NwbScene {
  const { dataset } = object;
  dataset.check();
  const [X = 0, Y = 0, samples = 1] = dataset.shape;
  const rank = dataset.shape.length;
  if (rank < 2 || rank > 3 || dataset.space.empty || samples > RGBA.length) {
    throw unsupported(
      `the dataset has the shape ${dataset.shape.map(grouped).join(' × ')}, which is not that of an image`,
    );
  }
  const sizes = { T: 1, Z: 1, Y, X };
  checkSizes(sizes);
  // Pixels per centimeter.
  const step = makeStep(1e4 / (object.number('resolution') ?? 0), 'micrometer') ?? defaultStep();
  const steps = { T: defaultStep('Frames'), Z: defaultStep('Planes'), Y: step, X: step };
  const channels = samples === 1 ? [name.split('/').at(-1) ?? name] : RGBA.slice(0, samples);
  const notes = new Notes();
  notes.add(schemaGuess(X, Y));
  return {
    info: sceneInfo(name, dataset.sampleType, channels, sizes, { steps }, notes),
    planes: seriesPlanes(dataset, { x: 0, y: 1, c: rank === 3 ? 2 : undefined, t: undefined, z: undefined }),
  };
}

async function externalScene({ object, name }: NwbItem, beside: Beside): Promise<NwbScene> {
  const names = (await readMember(object, 'external_file'))?.texts ?? [];
  if (names.length === 0) throw decodeFailed('the series has no data');
  // Few files have frames elsewhere, and pages load what reads TIFFs only then.
  const { ExternalFrames } = await import('./external.js');
  const frames = new ExternalFrames(names, (file) => beside.openAnyCase(file), object.file.name);
  const notes = new Notes();
  notes.addAll(frames.warnings);
  const facts = await readFacts(object, notes);
  const { layout } = frames;
  const sizes = { T: frames.frames, Z: 1, Y: layout.height, X: layout.width };
  checkSizes(sizes);
  const { axes, first } = axesOf(facts, false, sizes, notes);
  const samples = layout.samplesPerPixel;
  const channels =
    samples === 1 ? [channelName(facts, name)] : Array.from({ length: samples }, (_, i) => RGBA[i] ?? '');
  return {
    info: withInstrument(sceneInfo(name, layout.sampleType, channels, sizes, axes, notes), facts.takenWith),
    first,
    planes: externalPlanes(frames),
  };
}

function sceneInfo(
  name: string,
  sampleType: SampleType,
  channels: readonly string[],
  sizes: SceneInfo['sizes'],
  axes: SceneAxes,
  notes: Notes,
): SceneInfo {
  const named = channelsNamed(channels);
  const isColor = channels.length >= 3 && channels.every((channel, i) => channel === RGBA[i]);
  return {
    name: cleanName(name),
    sampleType,
    channels: isColor ? channelsShown(named, SAMPLE_DISPLAYS) : named,
    sizes,
    ...axes,
    date: '',
    time: '',
    reference: null,
    warnings: notes.list(),
  };
}
