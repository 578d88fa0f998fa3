/** One recording as a scene: opened, arranged, described, and read from. */
import type { PlaneAddress, SceneInfo } from '../../acquisition.js';
import { decodeFailed } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { PlaneTarget } from '../../samples/plane-target.js';
import { type Arranged, arrange } from './arrange.js';
import { toScene } from './metadata.js';
import type { Siblings } from './parts.js';
import { readRecordingPlane, readReferencePlane } from './planes.js';
import type { RawFrameProperties } from './properties.js';
import { type Frame, framePropertiesOf, openRecording, type Recording } from './recording.js';
import { findReference, type Reference } from './reference.js';

export interface OirScene {
  info: SceneInfo;
  recording: Recording;
  arranged: Arranged;
  reference: Reference | null;
}

/** @throws AcqError `unsupported_format`, `decode_failed` */
export function openScene(name: string, source: ByteSource, siblings: Siblings, signal?: AbortSignal): OirScene {
  const recording = openRecording(name, source, siblings, signal);
  const arranged = arrange(recording);
  const reference = findReference(recording, arranged, arranged.warnings);
  const known = new Map<Frame, RawFrameProperties | undefined>();
  const propertiesOf = (frame: Frame) => {
    if (!known.has(frame)) known.set(frame, framePropertiesOf(frame));
    return known.get(frame);
  };
  return { info: toScene(recording, arranged, reference?.info ?? null, propertiesOf), recording, arranged, reference };
}

/** @throws AcqError `decode_failed` */
export function readScenePlane(
  scene: OirScene,
  address: PlaneAddress,
  target: PlaneTarget,
  signal?: AbortSignal,
): void {
  readRecordingPlane(scene.recording, scene.arranged, address, target, signal);
}

/** @throws AcqError `decode_failed` */
export function readSceneReference(scene: OirScene, channel: number, target: PlaneTarget, signal?: AbortSignal): void {
  if (!scene.reference) throw decodeFailed(`${scene.recording.name}: holds no reference image`);
  readReferencePlane(scene.recording, scene.reference, channel, target, signal);
}
