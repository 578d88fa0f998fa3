import { decodeFailed } from '../../base/errors.js';
import { aboutAsync } from '../../base/subject.js';
import { grouped } from '../../base/wording.js';
import type { Acquisition, SceneInfo } from '../../model/acquisition.js';
import { type PlaneTarget, putZeros } from '../../model/samples/plane-target.js';
import type { NdPart, NdScene, NdSet } from './arrange.js';
import { readAs, toStored } from './members.js';

/** Where a plane of a scene is: in a file, or nowhere. */
export interface NdPlace {
  part: NdPart;
  /** The file; `undefined` for one that is missing. */
  name: string | undefined;
  /** As the planes of the file are understood. */
  channel: number;
  t: number;
  z: number;
}

/** Returns where a plane is. @throws RangeError for a channel that the scene does not have */
function placeOf(
  { parts, innerT }: NdScene,
  { files }: NdSet,
  { channel, t, z }: Omit<PlaneInScene, 'scene'>,
): NdPlace {
  let before = 0;
  for (const part of parts) {
    const local = channel - before;
    if (local < part.sizes.C) {
      const name = files.at(part.wave, part.stage, 1 + Math.floor(t / innerT));
      return { part, name, channel: local, t: t % innerT, z };
    }
    before += part.sizes.C;
  }
  throw new RangeError(`no channel ${channel}`);
}

interface PlaneInScene {
  scene: number;
  channel: number;
  t: number;
  z: number;
}

/** Reads a plane. Without a file it is zeros, and so is one that the files of a channel do not have. */
export async function readPlane(
  set: NdSet,
  scene: NdScene,
  address: Omit<PlaneInScene, 'scene'>,
  target: PlaneTarget,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const { part, name, ...place } = placeOf(scene, set, address);
  const { sampleType } = part.scene;
  if (name === undefined || place.z >= part.sizes.Z || place.t >= part.sizes.T) return putZeros(target, sampleType);
  const member = await set.members.open(name);
  await aboutAsync(name, async () => {
    checkShape(member, part, place);
    await member.readPlane({ scene: part.inner, ...toStored(part.reading, place) }, target, signal);
  });
}

/** @throws AcqError `decode_failed` when a file differs from the first one of its channel */
function checkShape(
  member: Acquisition,
  { scene, inner, reading }: NdPart,
  { t, z, channel }: Omit<NdPlace, 'part' | 'name'>,
): void {
  const own = member.info.scenes[inner];
  if (!own) throw decodeFailed(`has no stage position ${grouped(inner + 1)}, unlike the first file of the channel`);
  if (describe(own) !== describe(scene))
    throw decodeFailed(`has planes of ${describe(own)}, but the first file of the channel has ${describe(scene)}`);
  const sizes = readAs(own, reading);
  if (t >= sizes.T || z >= sizes.Z || channel >= sizes.C)
    throw decodeFailed(
      `has ${grouped(sizes.T * sizes.Z * sizes.C)} planes, fewer than the first file of the channel. Copy it again.`,
    );
}

function describe({ sizes: { X, Y }, sampleType }: SceneInfo): string {
  return `${grouped(X)} × ${grouped(Y)} ${sampleType}`;
}
