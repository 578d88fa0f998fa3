import type { ChannelView, Pane } from '../model/document.ts';
import type { Samples } from '../model/samples.ts';
import type { PlaneTexture, Renderer } from '../render/types.ts';

interface SharedTexture {
  readonly texture: PlaneTexture;
  users: number;
  /** Timer that releases the texture. */
  releaseTimer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Milliseconds that an unused texture is kept, so that switching to a composite or another tab does not upload it
 * again.
 */
export const KEPT_MS = 3000;

const textures = new WeakMap<Renderer, Map<Samples, SharedTexture>>();

/** Returns a shared texture of a channel, which each user must release; null until the samples are loaded. */
export function holdTexture(renderer: Renderer, pane: Pane, channel: ChannelView): TextureHold | null {
  const data = channel.data.value;
  if (data === null) return null;
  let byData = textures.get(renderer);
  if (byData === undefined) {
    byData = new Map();
    textures.set(renderer, byData);
  }
  let shared = byData.get(data);
  if (shared === undefined) {
    shared = {
      texture: renderer.addPlane(data, pane.shape),
      users: 0,
      releaseTimer: undefined,
    };
    byData.set(data, shared);
  }
  clearTimeout(shared.releaseTimer);
  shared.users += 1;
  return { texture: shared.texture, release: once(() => dropTexture(renderer, data)) };
}

export interface TextureHold {
  readonly texture: PlaneTexture;
  release(): void;
}

function dropTexture(renderer: Renderer, data: Samples): void {
  const byData = textures.get(renderer);
  const shared = byData?.get(data);
  if (shared === undefined) return;
  shared.users -= 1;
  if (shared.users > 0) return;
  shared.releaseTimer = setTimeout(() => {
    shared.texture.release();
    byData?.delete(data);
  }, KEPT_MS);
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}
