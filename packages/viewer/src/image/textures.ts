import type { ChannelView, Pane } from '../model/document.ts';
import type { FarRegion } from '../model/far-plane.ts';
import type { Samples } from '../model/samples.ts';
import { type Cells, isCells } from '../render/cells.ts';
import type { PlaneTexture, Renderer } from '../render/types.ts';
import { shownSamples } from './smoothed.ts';

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

/** Bytes of samples above which unused textures are released at once: playing leaves dozens of them a second. */
const MAX_UNUSED_BYTES = 128 << 20;

type TextureSource = Samples | Cells;

const textures = new WeakMap<Renderer, Map<TextureSource, SharedTexture>>();

/** Returns a shared texture of a channel, which each user must release; null until the samples are loaded. */
export function holdTexture(renderer: Renderer, pane: Pane, channel: ChannelView): TextureHold | null {
  const data = shownSamples(pane, channel);
  return data && hold(renderer, data, () => renderer.addPlane(data, pane.shape));
}

/** Returns a shared texture of a part of a plane, which each user must release. */
export function holdPart(renderer: Renderer, pane: Pane, { data, shape, rows, columns }: FarRegion): TextureHold {
  return hold(renderer, data, () => renderer.addPlane(data, shape, { plane: pane.shape, rows, columns }));
}

function hold(renderer: Renderer, data: TextureSource, create: () => PlaneTexture): TextureHold {
  let byData = textures.get(renderer);
  if (byData === undefined) {
    byData = new Map();
    textures.set(renderer, byData);
  }
  let shared = byData.get(data);
  if (shared === undefined) {
    shared = { texture: create(), users: 0, releaseTimer: undefined };
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

function dropTexture(renderer: Renderer, data: TextureSource): void {
  const byData = textures.get(renderer);
  const shared = byData?.get(data);
  if (shared === undefined) return;
  shared.users -= 1;
  if (shared.users > 0) return;
  shared.releaseTimer = setTimeout(() => {
    shared.texture.release();
    byData?.delete(data);
  }, KEPT_MS);
  // The map is in the order of the last use.
  byData?.delete(data);
  byData?.set(data, shared);
  if (byData) releaseUnused(byData);
}

/** Releases the oldest unused textures while all of them together are too large. */
function releaseUnused(byData: Map<TextureSource, SharedTexture>): void {
  const unused = [...byData].filter(([, { users }]) => users === 0);
  let bytes = unused.reduce((sum, [data]) => sum + bytesOf(data), 0);
  for (const [data, { texture, releaseTimer }] of unused.slice(0, -1)) {
    if (bytes <= MAX_UNUSED_BYTES) return;
    clearTimeout(releaseTimer);
    texture.release();
    byData.delete(data);
    bytes -= bytesOf(data);
  }
}

/** Cells have four numbers. */
function bytesOf(data: TextureSource): number {
  return isCells(data) ? 16 * data.mean.length : data.byteLength;
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}
