import type { PlaneAddress, SceneInfo } from '../../acquisition.js';
import { decodeFailed } from '../../errors.js';
import { type PlaneTarget, putZeros, RowsTarget } from '../../samples/plane-target.js';
import { pageLabel } from '../../tiff/page-label.js';
import { readContiguousPlane, readPageSample } from '../../tiff/read-page.js';
import type { Arrangement, PlaneLocation } from './arrangement.js';

/** Reads the plane that `arrangement` says is at `address`; a plane that was never written is zeros. */
export async function readArranged(
  arrangement: Arrangement,
  address: PlaneAddress,
  target: PlaneTarget,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const scene = arrangement.scenes[address.scene];
  if (!scene || !isInside(scene, address)) throw new RangeError(`no plane ${JSON.stringify(address)}`);
  const place = arrangement.locate(address);
  if (place && 'piece' in place) {
    for (let i = 0; i < place.pieces; i++) {
      await readLocated(scene, place.piece(i), new RowsTarget(target, i * place.pieceRows, place.pieceRows), signal);
    }
    return;
  }
  await readLocated(scene, place, target, signal);
}

async function readLocated(
  scene: SceneInfo,
  place: PlaneLocation | undefined,
  target: PlaneTarget,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!place) {
    putZeros(target, scene.sampleType);
    return;
  }
  const { file, page, sample, dataOffset } = place;
  const { layout } = page;
  if (layout.width !== target.columns || layout.height !== target.rows || layout.sampleType !== scene.sampleType) {
    throw decodeFailed(
      `${pageLabel(file, page)}: is ${layout.height}×${layout.width} ${layout.sampleType}, ` +
        `unlike the other pages, which are ${target.rows}×${target.columns} ${scene.sampleType}`,
    );
  }
  if (dataOffset === undefined) await readPageSample(file, page, sample, target, signal);
  else await readContiguousPlane(file, page, sample, dataOffset, target, signal);
}

function isInside(scene: SceneInfo, { channel, t, z }: PlaneAddress): boolean {
  const below = (value: number, size: number) => Number.isInteger(value) && value >= 0 && value < size;
  return below(channel, scene.channels.length) && below(t, scene.sizes.T) && below(z, scene.sizes.Z);
}
