import type { PlaneAddress, SceneInfo } from '../../acquisition.js';
import { AcqError, decodeFailed } from '../../errors.js';
import { type PlaneTarget, putZeros, RowsTarget } from '../../samples/plane-target.js';
import { pageLabel } from '../../tiff/page-label.js';
import { checkDecodable, readContiguousPlane, readPageSample } from '../../tiff/read-page.js';
import { pageScratch } from '../../tiff/scratch.js';
import type { Arrangement, PlaneLocation, PlaneStack } from './arrangement.js';

/** Reads the plane at `address` into `target`. A plane that was never written is filled with zeros. */
export async function readPlane(
  arrangement: Arrangement,
  address: PlaneAddress,
  target: PlaneTarget,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const scene = arrangement.scenes[address.scene];
  if (!scene || !isInside(scene, address)) throw new RangeError(`no plane ${JSON.stringify(address)}`);
  const location = arrangement.locate(address);
  if (!location || !('piece' in location)) return await readPage(scene, location, target, signal);
  const { pieces, pieceRows } = location;
  for (let i = 0; i < pieces; i++) {
    await readPage(scene, location.piece(i), new RowsTarget(target, i * pieceRows, pieceRows), signal);
  }
}

async function readPage(
  scene: SceneInfo,
  location: PlaneLocation | undefined,
  target: PlaneTarget,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!location) {
    putZeros(target, scene.sampleType);
    return;
  }
  const { file, page, sample, dataOffset } = location;
  const { layout } = page;
  if (layout.width !== target.columns || layout.height !== target.rows || layout.sampleType !== scene.sampleType) {
    throw decodeFailed(
      `${pageLabel(file, page)}: has ${layout.height} × ${layout.width} pixels of type ${layout.sampleType}, ` +
        `but the first page has ${target.rows} × ${target.columns} of type ${scene.sampleType}`,
    );
  }
  if (dataOffset === undefined) await readPageSample(file, page, sample, target, signal);
  else await readContiguousPlane(file, page, { sample, dataOffset }, target, signal);
}

function isInside(scene: SceneInfo, { channel, t, z }: PlaneAddress): boolean {
  const isBelow = (value: number, size: number) => Number.isInteger(value) && value >= 0 && value < size;
  return isBelow(channel, scene.channels.length) && isBelow(t, scene.sizes.T) && isBelow(z, scene.sizes.Z);
}

/** Returns in how many bands of rows the first plane of a scene can be read: rows, or compressed strips or tiles. */
export function countBands(arrangement: Arrangement, scene: number): number {
  const location = locateFirst(arrangement, scene);
  if (!location || 'piece' in location) return 1;
  const { height, chunkHeight, compression, predictor } = location.page.layout;
  return compression === 1 && predictor === 1 ? height : Math.ceil(height / chunkHeight);
}

/** True when the channels of a scene are samples of one compressed page. */
export function isInterleaved(arrangement: Arrangement, scene: number): boolean {
  if ((arrangement.scenes[scene]?.channels.length ?? 0) < 2) return false;
  const [first, second] = [0, 1].map((channel) => ifReadable(() => arrangement.locate({ scene, channel, t: 0, z: 0 })));
  if (!first || !second || 'piece' in first || 'piece' in second) return false;
  const { layout, ifdOffset } = first.page;
  const isOnePage = first.file === second.file && ifdOffset === second.page.ifdOffset;
  return isOnePage && !layout.planar && pageScratch(layout) > 0;
}

/** Returns the bytes that decoding the first plane of a scene takes beside its target. */
export function scratchBytes(arrangement: Arrangement, scene: number): number {
  const first = ifReadable(() => firstPage(arrangement, scene));
  return first ? pageScratch(first.page.layout) : 0;
}

/**
 * Checks without reading pixels that the first plane of a scene can be decoded.
 * @throws AcqError `unsupported_format` with the message that reading the plane would have
 */
export function checkScene(arrangement: Arrangement, scene: number): void {
  const first = ifReadable(() => firstPage(arrangement, scene));
  if (first) checkDecodable(first.file, first.page);
}

function firstPage(arrangement: Arrangement, scene: number): PlaneLocation | undefined {
  const location = locateFirst(arrangement, scene);
  return location && 'piece' in location ? location.piece(0) : location;
}

function locateFirst(arrangement: Arrangement, scene: number): PlaneLocation | PlaneStack | undefined {
  return ifReadable(() => arrangement.locate({ scene, channel: 0, t: 0, z: 0 }));
}

/** Returns `undefined` if the first plane cannot be read: other planes may be readable. */
function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}
