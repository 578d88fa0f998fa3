/** Opens the scenes of a recording: shapes, descriptions, reference images. */

import { decodeFailed } from '../../base/errors.js';
import type { NamedPlane, SceneInfo } from '../../model/acquisition.js';
import { planeOfFile, type ScenePlan } from './arrange.js';
import type { MemberFiles } from './files.js';
import { toScene } from './metadata.js';
import type { RawScan } from './parse.js';
import { findMissing, probeShape, type SceneShape, statedShape } from './planes.js';
import { openReference, type ReferenceImage } from './reference.js';

/** Scenes whose files are opened with the recording; the shapes of the others are assumed to be as the XML says. */
const MAX_PROBED = 256;

export interface BrukerScene {
  info: SceneInfo;
  plan: ScenePlan;
  shape: SceneShape;
  reference: ReferenceImage | undefined;
}

/** @throws AcqError `decode_failed`, `unsupported_format`, `companion_missing` when no scene can be read */
export function openScenes(
  files: MemberFiles,
  scan: RawScan,
  plans: readonly ScenePlan[],
  signal: AbortSignal | undefined,
): BrukerScene[] {
  const probed = probeShapes(files, scan, plans, signal);
  const like = probed.find(({ shape }) => shape !== undefined)?.shape;
  if (!like) throw nothingReadable(files, plans, probed);
  const scenes: BrukerScene[] = [];
  for (const [i, plan] of plans.entries()) {
    signal?.throwIfAborted();
    const source = { plan, scan, files };
    const { shape = statedShape(source, like), problem } = probed[i] ?? {};
    if (!shape) continue;
    const sameAs = i < MAX_PROBED ? undefined : scenes[0]?.reference;
    const reference = plan.kind === 'lines' ? openReference(source, sameAs) : undefined;
    scenes.push({ info: toScene(source, shape, reference, problem), plan, shape, reference: reference?.image });
  }
  return scenes;
}

/** Lists the XML, the images that it names, and the reference images, as the folder spells them. */
export function* listFiles(files: MemberFiles, scenes: readonly BrukerScene[]): Generator<string> {
  yield files.xmlName;
  for (const { plan, reference } of scenes) {
    const images = plan.sequences.flatMap(({ frames }) => frames.flatMap((frame) => frame.files));
    for (const { file } of [...images, ...(reference?.places ?? [])]) {
      const name = files.find(file);
      if (name !== undefined) yield name;
    }
  }
}

/** Finds the first plane of a file. */
export function findPlane(scenes: readonly BrukerScene[], file: string): NamedPlane | undefined {
  for (const [scene, { plan }] of scenes.entries()) {
    const plane = planeOfFile(plan, file);
    if (plane) return { scene, ...plane };
  }
  return undefined;
}

interface ProbedShape {
  shape?: SceneShape | undefined;
  problem?: Error;
}

/** Reads the shapes of the first scenes. Corrupted files of one scene must not prevent opening the others. */
function probeShapes(
  files: MemberFiles,
  scan: RawScan,
  plans: readonly ScenePlan[],
  signal: AbortSignal | undefined,
): ProbedShape[] {
  const probed: ProbedShape[] = [];
  let readable = false;
  for (const [i, plan] of plans.entries()) {
    signal?.throwIfAborted();
    if (i >= MAX_PROBED && readable) break;
    try {
      const shape = probeShape({ plan, scan, files });
      probed.push({ shape });
      readable ||= shape !== undefined;
    } catch (error) {
      probed.push({ problem: error as Error });
    }
  }
  return probed;
}

/** Returns why no scene can be read: a corrupted file, else that all files are missing. */
function nothingReadable(files: MemberFiles, plans: readonly ScenePlan[], probed: readonly ProbedShape[]): Error {
  const problem = probed.find((scene) => scene.problem !== undefined)?.problem;
  if (problem) return problem;
  const [file] = plans.flatMap((plan) => findMissing({ plan, files }).names);
  if (file !== undefined) return files.allMissing(file);
  return decodeFailed('the XML does not name any image file');
}
