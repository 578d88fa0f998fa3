/** Textures of a channel, and which of them shows a view. */
import type { PlaneRegion } from '../analysis/region.ts';
import { regionBetween } from '../analysis/region.ts';
import type { ChannelView, Pane } from '../model/document.ts';
import type { FarPlane, FarRegion } from '../model/far-plane.ts';
import { displayToPlane, type Rect, type Size } from '../model/geometry.ts';
import type { PlaneTexture, Renderer } from '../render/types.ts';
import { layoutOf } from './plane-axes.ts';
import { holdPart, holdTexture, type TextureHold } from './textures.ts';

/** Textures of a whole plane, or of the parts of a far one. */
export interface PictureHolds {
  /** Returns the texture that shows a view best; those that cannot be drawn completely yet only when there is no other. */
  textureFor(view: Rect): PlaneTexture | null;
  /** Resolves when all of them can be drawn. */
  readonly ready: Promise<unknown>;
  release(): void;
}

/** Holds the textures of a channel; null until it is loaded. Reads signals. */
export function holdPictures(renderer: Renderer, pane: Pane, channel: ChannelView): PictureHolds | null {
  const far = channel.far.value;
  if (far) return holdParts(renderer, pane, far);
  const coming = channel.data.value === null ? channel.coming.value : null;
  const hold = coming ? holdPart(renderer, pane, coming) : holdTexture(renderer, pane, channel);
  return hold && { textureFor: () => hold.texture, ready: hold.texture.ready, release: hold.release };
}

function holdParts(renderer: Renderer, pane: Pane, far: FarPlane): PictureHolds {
  const holds = new Map<FarRegion, TextureHold>(far.parts.value.map((part) => [part, holdPart(renderer, pane, part)]));
  return {
    textureFor(view) {
      const part = far.best(regionOf(pane, view), (other) => holds.get(other)?.texture.progress.value === 1);
      return holds.get(part)?.texture ?? null;
    },
    ready: Promise.all([...holds.values()].map(({ texture }) => texture.ready)),
    release() {
      for (const hold of holds.values()) hold.release();
    },
  };
}

/** Asks for what a picture of a view needs, whose size is in device pixels. */
export function lookAt(pane: Pane, channel: ChannelView, view: Rect, { width, height }: Size): void {
  const far = channel.far.value;
  if (!far) return;
  const region = regionOf(pane, view);
  const { transposed } = pane.orientation.value;
  const [rowPixels, columnPixels] = transposed
    ? [width / view.width, height / view.height]
    : [height / view.height, width / view.width];
  far.look(region, {
    rows: rowPixels * (region.rows[1] - region.rows[0]),
    columns: columnPixels * (region.columns[1] - region.columns[0]),
  });
}

/** Returns the samples that a view shows. */
function regionOf(pane: Pane, view: Rect): PlaneRegion {
  const { shape } = pane;
  const layout = layoutOf(pane);
  const corner = (x: number, y: number) => displayToPlane({ x, y }, shape, layout);
  return regionBetween(corner(view.x, view.y), corner(view.x + view.width, view.y + view.height), shape);
}
