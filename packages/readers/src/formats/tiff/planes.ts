import { AcqError, decodeFailed } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';
import type { PlaneAddress, SceneInfo } from '../../model/acquisition.js';
import { CutTarget, type PlaneTarget, putZeros, RowsTarget } from '../../model/samples/plane-target.js';
import { bandsOf, isPlain } from '../../tiff/chunk-table.js';
import { pageLabel } from '../../tiff/page-label.js';
import { checkDecodable, readContiguousPlane, readPageSample, readPageSamples } from '../../tiff/read-page.js';
import { pageScratch } from '../../tiff/scratch.js';
import type { PageLayout } from '../../tiff/types.js';
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

/** Reads channels of one plane. Those that are samples of one page are read at the same time. */
export async function readChannels(
  arrangement: Arrangement,
  { scene: index, t, z }: Omit<PlaneAddress, 'channel'>,
  { channels, targets }: { channels: readonly number[]; targets: readonly PlaneTarget[] },
  signal?: AbortSignal,
): Promise<void> {
  const addresses = channels.map((channel) => ({ scene: index, channel, t, z }));
  const scene = arrangement.scenes[index];
  const places =
    scene && addresses.every((address) => isInside(scene, address))
      ? addresses.map((address) => arrangement.locate(address))
      : [];
  if (scene && areOnePage(places) && places[0].dataOffset === undefined) {
    const [{ file, page }] = places;
    for (const target of targets) checkShape(scene, places[0], target);
    const samples = places.map(({ sample }) => sample);
    await readPageSamples(file, page, samples, targets, signal);
    return;
  }
  for (const [i, address] of addresses.entries()) await readPlane(arrangement, address, targets[i]!, signal);
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
  const { file, page, sample, dataOffset, firstRow } = location;
  const whole = firstRow === undefined ? target : new CutTarget(target, firstRow, page.layout.height);
  checkShape(scene, location, target);
  if (dataOffset === undefined) await readPageSample(file, page, sample, whole, signal);
  else await readContiguousPlane(file, page, { sample, dataOffset }, whole, signal);
}

/** @throws AcqError `decode_failed` when a page does not have the shape or type of its scene */
function checkShape(scene: SceneInfo, { file, page, firstRow }: PlaneLocation, target: PlaneTarget): void {
  const { layout } = page;
  const hasRows = firstRow === undefined ? layout.height === target.rows : layout.height >= firstRow + target.rows;
  if (layout.width !== target.columns || !hasRows || layout.sampleType !== scene.sampleType) {
    throw decodeFailed(
      `${pageLabel(page)} has ${grouped(layout.height)} × ${grouped(layout.width)} pixels of type ${layout.sampleType}, ` +
        `but the first page has ${grouped(target.rows)} × ${grouped(target.columns)} of type ${scene.sampleType}`,
    ).about(file.source.name);
  }
}

function isInside(scene: SceneInfo, { channel, t, z }: PlaneAddress): boolean {
  const isBelow = (value: number, size: number) => Number.isInteger(value) && value >= 0 && value < size;
  return isBelow(channel, scene.channels.length) && isBelow(t, scene.sizes.T) && isBelow(z, scene.sizes.Z);
}

/** Returns in how many bands of rows the first plane of a scene can be read: rows, or compressed strips or tiles. */
export function countBands(arrangement: Arrangement, scene: number): number {
  const location = locateFirst(arrangement, scene);
  if (!location || 'piece' in location) return 1;
  return bandsOf(location.page.layout);
}

/** True when the channels of a scene are samples of one compressed page. */
export function isInterleaved(arrangement: Arrangement, scene: number): boolean {
  const layout = sharedLayout(arrangement, scene);
  return layout !== undefined && pageScratch(layout) > 0;
}

/** True when the channels of a scene are samples of one page without compression. */
export function readsOnce(arrangement: Arrangement, scene: number): boolean {
  const layout = sharedLayout(arrangement, scene);
  return layout !== undefined && isPlain(layout);
}

/** Returns the layout of the page that contains all samples of the pixels of a scene. */
function sharedLayout(arrangement: Arrangement, scene: number): PageLayout | undefined {
  if ((arrangement.scenes[scene]?.channels.length ?? 0) < 2) return undefined;
  const places = [0, 1].map((channel) => ifReadable(() => arrangement.locate({ scene, channel, t: 0, z: 0 })));
  return areOnePage(places) ? places[0].page.layout : undefined;
}

function areOnePage(
  places: readonly (PlaneLocation | PlaneStack | undefined)[],
): places is [PlaneLocation, ...PlaneLocation[]] {
  const [first] = places;
  if (!first || 'piece' in first || first.page.layout.planar || first.firstRow !== undefined) return false;
  return places.every(
    (place) =>
      place &&
      !('piece' in place) &&
      place.file === first.file &&
      place.page.ifdOffset === first.page.ifdOffset &&
      place.dataOffset === first.dataOffset,
  );
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
  if (first) checkDecodable(first.page);
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
