import type { ChannelView, Pane } from '../model/document.ts';
import type { PlaneTexture, Renderer } from '../render/renderer.ts';

interface Held {
  readonly texture: PlaneTexture;
  users: number;
  /** Timer of its release. */
  leaving: ReturnType<typeof setTimeout> | undefined;
}

/** What nobody draws is kept so long: a composite in place of its channels, or another tab, need not upload it again. */
export const KEPT_MS = 3000;

const textures = new WeakMap<Renderer, Map<Float32Array, Held>>();

/** Prepares the samples of a channel once, however many draw them; each user releases what it holds. Null until they are loaded. */
export function holdTexture(renderer: Renderer, pane: Pane, channel: ChannelView): TextureHold | null {
  const data = channel.data.value;
  if (data === null) return null;
  let known = textures.get(renderer);
  if (known === undefined) {
    known = new Map();
    textures.set(renderer, known);
  }
  let held = known.get(data);
  if (held === undefined) {
    held = { texture: renderer.addPlane(data as Float32Array<ArrayBuffer>, pane.shape), users: 0, leaving: undefined };
    known.set(data, held);
  }
  clearTimeout(held.leaving);
  held.users += 1;
  return { texture: held.texture, release: once(() => letGo(renderer, data)) };
}

export interface TextureHold {
  readonly texture: PlaneTexture;
  release(): void;
}

function letGo(renderer: Renderer, data: Float32Array): void {
  const known = textures.get(renderer);
  const held = known?.get(data);
  if (held === undefined) return;
  held.users -= 1;
  if (held.users > 0) return;
  held.leaving = setTimeout(() => {
    held.texture.release();
    known?.delete(data);
  }, KEPT_MS);
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}
