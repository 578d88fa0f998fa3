import type { SceneInfo } from '../../model/acquisition.js';
import type { ImageLayout } from './layout.js';
import type { RawLifImage } from './parse.js';
import type { PixelBytes } from './pixel-bytes.js';

/** An image whose pixels can be read. */
export interface LifImage {
  raw: RawLifImage;
  layout: ImageLayout;
  bytes: PixelBytes;
  /** Time at which its project was saved, in 100 ns since 1601. */
  saved: bigint | undefined;
}

/** An image, or one part of it: a tile, a rotation. */
export interface LifScene {
  info: SceneInfo;
  image: LifImage;
  /** Index of the part along the axes that become scenes. */
  part: number;
  /** The frame that the line of a line scan was drawn on. */
  reference: LifImage | undefined;
}
