/** One recording as a scene: opened, arranged and described. */

import { decodeFailed } from '../../base/errors.js';
import { about } from '../../base/subject.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Siblings } from '../../io/folder.js';
import type { PlaneAddress, SceneInfo } from '../../model/acquisition.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import { type Arranged, arrange } from './arrange.js';
import { toScene } from './metadata.js';
import { readRecordingPlane, readReferencePlane } from './planes.js';
import type { RawFrameProperties } from './properties.js';
import { type Frame, openRecording, type Recording, readFrameProperties } from './recording.js';
import { findReference, type OirReference } from './reference.js';

export interface OirScene {
  info: SceneInfo;
  recording: Recording;
  arranged: Arranged;
  reference: OirReference | undefined;
}

/**
 * @param siblings the folder, or the folder of an archive, that contains the file
 * @throws AcqError `unsupported_format`, `decode_failed`
 */
export function openScene(source: ByteSource, name: string, siblings: Siblings, signal?: AbortSignal): OirScene {
  const recording = about(source.name, () => openRecording(source, name, siblings, signal));
  return about(mainFile(recording), () => describe(recording));
}

function describe(recording: Recording): OirScene {
  const arranged = arrange(recording);
  const reference = findReference(recording, arranged);
  const known = new Map<Frame, RawFrameProperties | undefined>();
  const propertiesOf = (frame: Frame) => {
    if (!known.has(frame)) known.set(frame, readFrameProperties(frame));
    return known.get(frame);
  };
  return {
    info: toScene(recording, arranged, reference, propertiesOf),
    recording,
    arranged,
    reference: reference.image,
  };
}

/** Returns the name of the file that the others continue. */
function mainFile({ files }: Recording): string {
  return files[0]!.source.name;
}

/** @throws AcqError `decode_failed`, `companion_missing` */
export function readScenePlane(
  scene: OirScene,
  address: PlaneAddress,
  target: PlaneTarget,
  signal?: AbortSignal,
): void {
  const { recording, arranged } = scene;
  about(mainFile(recording), () => readRecordingPlane(recording, arranged, address, target, signal));
}

/** @throws AcqError `decode_failed`, `companion_missing` */
export function readSceneReference(scene: OirScene, channel: number, target: PlaneTarget, signal?: AbortSignal): void {
  const { recording, reference } = scene;
  about(mainFile(recording), () => {
    if (!reference) throw decodeFailed('has no reference image');
    readReferencePlane(recording, reference, channel, target, signal);
  });
}
