import { basename } from 'node:path';
import type { DecodeLease, Decoder, OpenedFile } from '../decode/types.js';
import { AcqError } from '../errors.js';
import { PlaneBuilder, type StoredPlane } from '../planes/plane-builder.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import type { Watch } from '../storage/gate.js';
import { isSameFingerprint, toPlaneRequest } from './opening.js';
import { findPlanes, type SessionRecord } from './record.js';
import type { SessionPlane } from './types.js';

/**
 * Decodes a plane of a session that is no longer in memory, if the files have not changed.
 * @throws AcqError `source_changed`, and the errors of an open
 */
export async function decodeAgain(
  { decoder, cache, allowedExtensions }: { decoder: Decoder; cache: PlaneCache; allowedExtensions: readonly string[] },
  record: SessionRecord,
  address: SessionPlane,
  watch: Watch,
): Promise<StoredPlane> {
  const { path, fingerprints: expected, scene } = record;
  const { rows, columns } = findPlanes(record, address);
  const builder = new PlaneBuilder(cache.arena, rows, columns);
  try {
    await decoder.lease({ label: basename(path), ...watch }, async (lease) => {
      const opened = await lease.open({ located: { path }, selection: undefined, scene, allowedExtensions, expected });
      checkShape(opened, record, address);
      const request = toPlaneRequest(record, address.kind, address.channelIndex);
      await cache.withScratch(opened.scratchBytes, () =>
        builder.fill({ first: 0, count: rows }, async (memory) => {
          await lease.plane(request, memory);
          await checkFiles(lease, record);
        }),
      );
    });
    return await builder.plane;
  } catch (error) {
    if (!(error instanceof AcqError) || error.code !== 'source_changed') throw error;
    const message = `${basename(path)}: the acquisition changed since it was opened (${error.message}). Open it again.`;
    throw new AcqError('source_changed', message, { cause: error });
  }
}

/** Unchanged files can read differently when another file was added to their folder. */
function checkShape({ view }: OpenedFile, record: SessionRecord, address: SessionPlane): void {
  const { rows, columns } = findPlanes(record, address);
  const image = address.kind === 'channel' ? view.scene : view.scene.reference;
  const { t, z } = record;
  const fits =
    image?.sizes.Y === rows &&
    image.sizes.X === columns &&
    image.channels.length > address.channelIndex &&
    view.scene.sizes.T > t &&
    view.scene.sizes.Z > z;
  if (!fits) throw new AcqError('source_changed', 'its planes have changed');
}

async function checkFiles(lease: DecodeLease, { fingerprints: expected }: SessionRecord): Promise<void> {
  const { fingerprints, changes } = await lease.close();
  if (changes.length > 0) throw new AcqError('source_changed', changes.join('; '));
  const added = fingerprints.find((one) => !expected.some((known) => isSameFingerprint(known, one)));
  if (added) throw new AcqError('source_changed', `${basename(added.path)} is new or has changed`);
}
