import type { OpenPlan, PlaneSet } from '../describe.js';
import { PlaneBuilder } from '../planes/plane-builder.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import { planeKey } from './record.js';
import type { SessionPlane } from './types.js';

/** Planes of a session that is being opened: each is in the cache, and counted, before it is decoded. */
export interface HeldPlanes {
  /** The planes to decode, by channel index. */
  builders: ReadonlyMap<number, PlaneBuilder>;
  /** Removes all of them from the cache; planes that are not decoded yet fail with `error`. */
  giveUp: (error: unknown) => void;
}

/** Puts planes into the cache before they are decoded. The caller has made room for them. */
export function holdPlanes(
  cache: PlaneCache,
  sessionId: string,
  kind: SessionPlane['kind'],
  planes: PlaneSet | null,
  { scene, t, z, projection }: Pick<OpenPlan, 'scene' | 't' | 'z' | 'projection'>,
): HeldPlanes {
  const builders = new Map<number, PlaneBuilder>();
  const key = (channelIndex: number) => planeKey(sessionId, { scene, kind, channelIndex, t, z, projection });
  for (const channelIndex of planes?.channelIndices ?? []) {
    const builder = new PlaneBuilder(cache.arena, planes?.rows ?? 0, planes?.columns ?? 0);
    builders.set(channelIndex, builder);
    cache.put(key(channelIndex), planes?.planeBytes ?? 0, builder.plane);
  }
  return {
    builders,
    giveUp: (error) => {
      for (const [channelIndex, builder] of builders) {
        builder.giveUp(error);
        cache.remove(key(channelIndex));
      }
    },
  };
}
