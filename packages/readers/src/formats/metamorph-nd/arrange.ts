/** Groups the files of a set into scenes: stage positions, and positions inside of files. */

import { AcqError, decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { quoteError } from '../../base/subject.js';
import { asCorrupted, asIncomplete, asInconsistent } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import type { Acquisition, SceneInfo } from '../../model/acquisition.js';
import type { NdFiles } from './files.js';
import { chooseReading, type MemberSizes, type NdMembers, type Reading, readAs } from './members.js';
import type { RawNd } from './parse.js';

/** Files that an open looks into for the shape of their planes; those of further positions are taken to be like the first. */
const MAX_PROBED = 128;
/** Files of a channel at a position that are tried until one can be read. */
const MAX_TRIES = 3;

/** The files of one channel at one position. */
export interface NdPart {
  wave: number;
  stage: number;
  /** Scene of its files. */
  inner: number;
  reading: Reading;
  sizes: MemberSizes;
  /** That scene of the first of its files. */
  scene: SceneInfo;
  /** A file to ask how planes are stored. */
  sample: Acquisition;
}

export interface NdScene {
  stage: number;
  inner: number;
  /** Positions inside of a file. */
  innerScenes: number;
  /** Set if there are images of several sizes or types: they are scenes of their own. */
  shape: string | undefined;
  T: number;
  Z: number;
  /** Time points inside of a file: those of the set are files. */
  innerT: number;
  parts: [NdPart, ...NdPart[]];
  notes: Notes;
}

export interface NdSet {
  nd: RawNd;
  files: NdFiles;
  members: NdMembers;
}

/** A channel at a position, with its first file, or with one of another position that is like it. */
interface Probed {
  wave: number;
  stage: number;
  acquisition: Acquisition;
}

/** @throws AcqError if no file can be read */
export async function arrangeSet(set: NdSet, signal: AbortSignal | undefined): Promise<NdScene[]> {
  const { files } = set;
  const notes = new Notes();
  notes.addAll(files.notes);
  if (!set.nd.hasEnd) {
    notes.add(
      asCorrupted(
        'The .nd has no end (EndFile): it is truncated. Names of channels and positions, the number of time points (T), and whether ' +
          'planes are sections (Z), may be missing.',
      ),
    );
  }
  const probed = await probeFiles(set, notes, signal);
  const byStage = new Map<number, Probed[]>();
  for (const one of probed) {
    const same = byStage.get(one.stage);
    if (same) same.push(one);
    else byStage.set(one.stage, [one]);
  }
  const scenes: NdScene[] = [];
  for (const [stage, own] of byStage) {
    for (const scene of toScenes(stage, own, set, notes)) scenes.push(scene);
    if (scenes.length > LIMITS.scenes) throw decodeFailed(`the set has more than ${grouped(LIMITS.scenes)} scenes`);
  }
  return scenes;
}

/** Opens a file of each channel at each position. What cannot be opened is like the files of the channel at other positions. */
async function probeFiles(set: NdSet, notes: Notes, signal: AbortSignal | undefined): Promise<Probed[]> {
  const { stages, waves } = set.files;
  const found: (Partial<Probed> & Omit<Probed, 'acquisition'>)[] = [];
  const like = new Map<number, Acquisition>();
  const failures: AcqError[] = [];
  for (const stage of stages) {
    for (const wave of waves) {
      signal?.throwIfAborted();
      const acquisition = found.length < MAX_PROBED ? await openFirst(set, wave, stage, failures) : undefined;
      if (acquisition && !like.has(wave)) like.set(wave, acquisition);
      found.push({ wave, stage, ...(acquisition && { acquisition }) });
    }
  }
  for (const error of failures) notes.add(asCorrupted(quoteError('The file cannot be read', error)));
  const probed = found.flatMap(({ wave, stage, acquisition = like.get(wave) }) =>
    acquisition ? [{ wave, stage, acquisition }] : [],
  );
  if (probed.length === 0 && failures[0]) throw failures[0];
  return probed;
}

/** Opens one of the first files of a channel at a position; `undefined` if none can be read. */
async function openFirst(
  { files, members }: NdSet,
  wave: number,
  stage: number,
  failures: AcqError[],
): Promise<Acquisition | undefined> {
  for (const time of files.timesOf(wave, stage).slice(0, MAX_TRIES)) {
    try {
      return await members.open(files.at(wave, stage, time)!);
    } catch (error) {
      if (!(error instanceof AcqError) || error.code === 'capacity_exceeded') throw error;
      failures.push(error);
    }
  }
  return undefined;
}

function toScenes(stage: number, probed: readonly Probed[], set: NdSet, common: Notes): NdScene[] {
  const innerScenes = Math.max(...probed.map(({ acquisition }) => acquisition.info.scenes.length));
  const missing = describeMissing(
    stage,
    probed.map(({ wave }) => wave),
    set,
  );
  const scenes: NdScene[] = [];
  for (let inner = 0; inner < innerScenes; inner++) {
    const groups = new Map<string, NdPart[]>();
    for (const { wave, acquisition } of probed) {
      const scene = acquisition.info.scenes[inner];
      if (!scene) continue;
      const reading = chooseReading(scene, wave, set.nd);
      const part = { wave, stage, inner, reading, sizes: readAs(scene, reading), scene, sample: acquisition };
      const key = shapeOf(scene);
      groups.set(key, [...(groups.get(key) ?? []), part]);
    }
    for (const [shape, parts] of groups) {
      const notes = new Notes();
      notes.addAll(common);
      notes.addAll(missing);
      const [first, ...rest] = parts as [NdPart, ...NdPart[]];
      const sizes = parts.map((part) => part.sizes);
      const [innerT, Z] = [Math.max(...sizes.map(({ T }) => T)), Math.max(...sizes.map((size) => size.Z))];
      const T = innerT * set.files.times;
      if (T > LIMITS.planes)
        throw decodeFailed(`the set has ${grouped(T)} time points; the limit is ${grouped(LIMITS.planes)}`);
      if (groups.size > 1)
        notes.add('Channels have images of different sizes or types: each size is a scene of its own.');
      const scene: NdScene = {
        ...{ stage, inner, innerScenes, T, Z, innerT, notes, parts: [first, ...rest] },
        shape: groups.size > 1 ? shape : undefined,
      };
      describeParts(scene, set);
      scenes.push(scene);
    }
  }
  return scenes;
}

function shapeOf({ sizes: { X, Y }, sampleType }: SceneInfo): string {
  return `${X} × ${Y} ${sampleType}`;
}

/** Notes what the `.nd` says and the files do not have, and which files are missing. */
function describeParts({ parts, Z, innerT, innerScenes, notes }: NdScene, { nd }: NdSet): void {
  const said = nd.doZSeries ? nd.zSteps : nd.doZSeries === false ? 1 : undefined;
  if (said !== undefined && said !== Z)
    notes.add(
      asInconsistent(
        `The .nd says ${plural(said, 'section')} (Z), but the files have ${grouped(Z)}. Showing those of the files.`,
      ),
    );
  if (innerScenes > 1 && nd.doStage !== true)
    notes.add(
      asInconsistent(
        `The .nd says no stage positions, but the planes of its files are at ${grouped(innerScenes)}. Each is a scene.`,
      ),
    );
  if (parts.some(({ reading }) => reading === 'channels are sections'))
    notes.add('The files call their planes channels, but by the .nd they are sections (Z) of one channel.');
  for (const { wave, sizes } of parts) {
    if (sizes.Z === Z && sizes.T === innerT) continue;
    const has =
      sizes.Z < Z
        ? `${plural(sizes.Z, 'section')} of ${grouped(Z)} (Z)`
        : `${grouped(sizes.T)} of ${grouped(innerT)} time points (T)`;
    notes.add(`Channel ${wave} has ${has}. The others are zeros.`);
  }
}

/** Returns what is missing of the files of channels at one position. */
function describeMissing(stage: number, waves: readonly number[], { files }: NdSet): string[] {
  const counts = new Map<number, number>();
  for (const wave of waves)
    for (const time of files.timesOf(wave, stage)) counts.set(time, (counts.get(time) ?? 0) + 1);
  const described: string[] = [];
  const without = files.times - counts.size;
  if (without > 0) {
    described.push(
      asIncomplete(
        `${grouped(without)} of ${plural(files.times, 'time point')} ${without === 1 ? 'has' : 'have'} no file: the recording was stopped, or ` +
          `files were not copied. Showing ${without === 1 ? 'it' : 'them'} as zeros (T).`,
      ),
    );
  }
  const partial = [...counts].filter(([, count]) => count < waves.length).sort(([a], [b]) => a - b);
  const [first] = partial;
  if (first) {
    const missing = partial.reduce((sum, [, count]) => sum + waves.length - count, 0);
    described.push(
      asCorrupted(
        `${plural(missing, 'file')} of the set ${missing === 1 ? 'is' : 'are'} missing, the first of a channel at time point ` +
          `${grouped(first[0])}. Showing ${missing === 1 ? 'its' : 'their'} planes as zeros.`,
      ),
    );
  }
  return described;
}
