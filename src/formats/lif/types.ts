import type { SceneInfo } from '../../acquisition.js';
import type { RawImage } from './document.js';
import type { ImageLayout } from './layout.js';
import type { PixelBytes } from './planes.js';

/** One image that can be read. */
export interface LifImage {
  raw: RawImage;
  layout: ImageLayout;
  bytes: PixelBytes;
  /** Time of its project in 100 ns since 1601. */
  saved: bigint | undefined;
}

export interface LifScene {
  info: SceneInfo;
  image: LifImage;
  /** Entry of the axes that are served as scenes. */
  folded: number;
  reference: LifImage | undefined;
}
