import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { notesOf } from '@acquisition-store/readers/base/notes.js';
import { plural } from '@acquisition-store/readers/base/wording.js';
import type { Acquisition, PlaneAddress, SceneInfo } from '@acquisition-store/readers/model/acquisition.js';
import { isCertain } from '@acquisition-store/readers/model/recording.js';
import { viewScene } from '@acquisition-store/readers/model/selection.js';
import type { InputOptions } from '@acquisition-store/readers/open/open-input.js';
import { locateAnywhere, type OpenedAcquisition, openAt } from '../open.js';
import type { Located } from '../paths/locate.js';
import { shortNameOf } from '../paths/recording-names.js';
import { discardingTarget } from './discarded.js';
import { type Finding, findingOf, findingsOf, listed } from './findings.js';
import type { Survey, SurveyChoice, SurveyedPlanes } from './survey.js';
import { thumbnailOf } from './thumbnail.js';

/** Names of files that a survey lists. */
const MAX_FILES = 10_000;
/** Planes that cannot be read and are listed one by one. */
const MAX_PLANES = 10;

export interface SurveyOptions extends SurveyChoice, Pick<InputOptions, 'allowedExtensions'> {
  /** Called with the number of planes that were read. */
  onProgress?: (planes: number) => void;
  /** Files whose whole recording is surveyed: the first one (default), or every one. */
  wholeOf?: 'first' | 'any';
}

/**
 * Says of an acquisition what lists of many show, and what is wrong with it.
 * @throws AcqError of `openAcquisition`
 */
export function surveyFile(path: string, options: SurveyOptions): Promise<Survey> {
  return surveyAt(locateAnywhere(path), options);
}

/**
 * Like `surveyFile`, for an acquisition that `locate` has found.
 * @throws AcqError of `openAt`
 */
export async function surveyAt(located: Located, options: SurveyOptions): Promise<Survey> {
  const { planes, thumbnail, onProgress = () => {} } = options;
  const { opened, contradiction } = await openWhole(located, options);
  try {
    const { acquisition, format } = opened;
    const { info } = acquisition;
    const { named = { scene: 0 }, ...whole } = info;
    // A recording is shown by its beginning, whichever of its files was named.
    const { scene, sceneIndex, start } = info.recording ? viewScene(whole, 0) : viewScene(info, named.scene);
    const failed = await readPlanes(acquisition, planes, onProgress);
    const { sizes, steps } = scene;
    return {
      path: opened.path,
      name: basename(opened.path),
      format: info.format,
      formatName: shortNameOf(format),
      size: opened.size() ?? null,
      modified: modifiedOf(opened.path),
      files: filesOf(acquisition, opened.path),
      date: scene.date,
      time: scene.time,
      ...(info.recording ? { recording: info.recording } : {}),
      ...(scene.instrument ? { instrument: scene.instrument } : {}),
      scenes: info.scenes.length,
      dtype: scene.sampleType,
      channels: scene.channels.map(({ name }) => name),
      sizes,
      steps,
      ...(thumbnail
        ? { thumbnail: await thumbnailOf(acquisition, { scene: sceneIndex, channel: 0, t: start.t, z: start.z }) }
        : {}),
      warnings: notesOf(info.scenes.flatMap(({ warnings }) => warnings)).list(),
      findings: listed([...(contradiction ? [contradiction] : []), ...failed, ...findingsOf(info)]),
    };
  } finally {
    opened.close();
  }
}

/** A file, or its whole recording; with the reason why its files are not shown together, though their names look like it. */
interface OpenedWhole {
  opened: OpenedAcquisition;
  contradiction?: Finding;
}

/** Opens a file; all files of its recording when it is the first of them, which is then surveyed once. */
async function openWhole(
  located: Located,
  { allowedExtensions, wholeOf = 'first', onProgress }: SurveyOptions,
): Promise<OpenedWhole> {
  const allowed = allowedExtensions ? { allowedExtensions } : {};
  const opened = await openAt(located, allowed);
  const { recording } = opened.acquisition.info;
  if (!recording || !isCertain(recording) || (wholeOf === 'first' && recording.part > 0)) return { opened };
  try {
    const whole = await openAt(located, {
      ...allowed,
      parts: 'all',
      onProgress: () => onProgress?.(0),
    });
    opened.close();
    return { opened: whole };
  } catch (error) {
    // Names propose what files contradict, or another file is damaged: then each file is a recording.
    if (error instanceof AcqError && (CONTRADICTIONS.has(error.code) || DAMAGES.has(error.code))) {
      delete opened.acquisition.info.recording;
      const { message } = error;
      const isDamage = DAMAGES.has(error.code);
      return { opened, contradiction: isDamage ? findingOf(error.toRecord()) : { kind: 'inconsistent', message } };
    }
    opened.close();
    throw error;
  }
}

const CONTRADICTIONS: ReadonlySet<string> = new Set(['request_validation_failed', 'companion_missing']);
/** Codes of another file that cannot be read: the one that was named could be. */
const DAMAGES: ReadonlySet<string> = new Set(['decode_failed', 'unsupported_format', 'path_not_readable']);

function modifiedOf(path: string): number | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? Math.floor(stats.mtimeMs) : null;
}

function filesOf(acquisition: Acquisition, path: string): string[] | null {
  const files = acquisition.files?.() ?? [basename(path)];
  if (typeof files === 'string') return null;
  const names: string[] = [];
  for (const name of files) {
    if (names.length >= MAX_FILES) return null;
    names.push(join(dirname(path), name));
  }
  return names;
}

async function readPlanes(
  acquisition: Acquisition,
  which: SurveyedPlanes,
  onProgress: (planes: number) => void,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const told = new Set<string>();
  let failed = 0;
  let done = 0;
  const { scenes } = acquisition.info;
  for (const address of addressesOf(acquisition, which)) {
    const { sizes } = scenes[address.scene]!;
    done++;
    onProgress(done);
    try {
      acquisition.checkScene?.(address.scene);
      await acquisition.readPlane(address, discardingTarget(sizes.Y, sizes.X));
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      // Most often for the same reason as the plane before.
      if (told.size === told.add(error.message).size) continue;
      failed++;
      if (failed <= MAX_PLANES) findings.push(planeFinding(error, address, scenes.length > 1));
    }
  }
  const more = failed - MAX_PLANES;
  if (more > 0) findings.push({ kind: 'corrupted', message: `${plural(more, 'more plane')} cannot be read.` });
  return findings;
}

function planeFinding(error: AcqError, { scene, channel, t, z }: PlaneAddress, hasScenes: boolean): Finding {
  const at = `${hasScenes ? `S = ${scene}, ` : ''}T = ${t}, Z = ${z}, C = ${channel}`;
  const { kind, message } = findingOf(error.toRecord());
  return { kind, message: `The plane at ${at} cannot be read: ${message}` };
}

/** The ends of a file lie at the first plane of its first scene and the last one of its last scene. */
function* addressesOf({ info }: Acquisition, which: SurveyedPlanes): Generator<PlaneAddress> {
  const { scenes, recording } = info;
  if (which === 'none') return;
  if (which === 'ends' && recording) yield* spread(scenes, 2 * recording.parts);
  else if (which === 'ends') {
    const scene = scenes.length - 1;
    const { sizes, channels } = scenes[scene]!;
    const last = { scene, channel: channels.length - 1, t: sizes.T - 1, z: sizes.Z - 1 };
    yield { scene: 0, channel: 0, t: 0, z: 0 };
    if (last.scene + last.channel + last.t + last.z > 0) yield last;
  } else yield* everyPlane(scenes);
}

function* everyPlane(scenes: readonly SceneInfo[]): Generator<PlaneAddress> {
  for (const [scene, { sizes, channels }] of scenes.entries()) {
    for (let t = 0; t < sizes.T; t++)
      for (let z = 0; z < sizes.Z; z++)
        for (let channel = 0; channel < channels.length; channel++) yield { scene, channel, t, z };
  }
}

/** Yields planes at equal distances, the first and the last included: of files of equal length, the ends of each. */
function* spread(scenes: readonly SceneInfo[], count: number): Generator<PlaneAddress> {
  const total = scenes.reduce((sum, { sizes, channels }) => sum + sizes.T * sizes.Z * channels.length, 0);
  const wanted = Math.min(count, total);
  let index = 0;
  let told = 0;
  for (const address of everyPlane(scenes)) {
    const next = wanted === 1 ? 0 : Math.round((told * (total - 1)) / (wanted - 1));
    if (index++ !== next) continue;
    yield address;
    if (++told === wanted) return;
  }
}
