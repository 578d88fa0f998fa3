import { basename } from 'node:path';
import type { DecodeLease, Decoder, OpenedFile, PlaneMemory, PlaneRequest } from '../decode/types.js';
import { AcqError } from '../errors.js';
import { PlaneBuilder, type StoredPlane } from '../planes/plane-builder.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import type { Watch } from '../storage/gate.js';
import { isSameFingerprint, toPlaneRequest } from './opening.js';
import { findPlanes, placeOf, type SessionRecord } from './record.js';
import type { SessionPlane } from './types.js';

/**
 * Decodes a plane of a session that is not in memory, if the files have not changed. They stay open for a moment, for the
 * next plane. A plane that the open request did not decode can be in files that were not read before: they are
 * remembered.
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
    await decoder.lease({ label: basename(path), keep: leaseName(record), ...watch }, async (lease) => {
      const file = { located: { path }, selection: undefined, scene, allowedExtensions, expected };
      const opened = lease.opened ?? (await lease.open(file));
      checkShape(opened, record, address);
      const request = toPlaneRequest({ scene, ...placeOf(record, address) }, address.kind, address.channelIndex);
      await cache.withScratch(opened.scratchBytes, () =>
        builder.fill({ first: 0, count: rows }, async (memory) => {
          await readPlane(lease, request, memory);
          await checkFiles(lease, record, wasDecoded(record, address));
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

/** Returns the name by which workers keep the files of a session open. */
export function leaseName({ id }: SessionRecord): string {
  return id;
}

/** A file that changed while it was kept open may be unreadable: then the change is what the client has to know. */
async function readPlane(lease: DecodeLease, request: PlaneRequest, memory: PlaneMemory): Promise<void> {
  try {
    await lease.plane(request, memory);
  } catch (error) {
    const { changes } = lease.opened ? await lease.check().catch(() => ({ changes: [] })) : { changes: [] };
    if (changes.length > 0) throw new AcqError('source_changed', changes.join('; '));
    throw error;
  }
}

/** Unchanged files can read differently when another file was added to their folder. */
function checkShape({ view }: OpenedFile, record: SessionRecord, address: SessionPlane): void {
  const { rows, columns } = findPlanes(record, address);
  const image = address.kind === 'channel' ? view.scene : view.scene.reference;
  const { t, z } = placeOf(record, address);
  const fits =
    image?.sizes.Y === rows &&
    image.sizes.X === columns &&
    image.channels.length > address.channelIndex &&
    view.scene.sizes.T > t &&
    view.scene.sizes.Z > z;
  if (!fits) throw new AcqError('source_changed', 'its planes have changed');
}

/** @param isKnown all files of the plane were read before */
async function checkFiles(lease: DecodeLease, { fingerprints: known }: SessionRecord, isKnown: boolean): Promise<void> {
  const { fingerprints, changes } = await lease.check();
  if (changes.length > 0) throw new AcqError('source_changed', changes.join('; '));
  const byPath = new Map(known.map((one) => [one.path, one]));
  for (const one of fingerprints) {
    const before = byPath.get(one.path);
    if (before ? !isSameFingerprint(before, one) : isKnown) {
      throw new AcqError('source_changed', `${basename(one.path)} is new or has changed`);
    }
    if (!before) known.push(one);
  }
}

/** True for a plane that the open request has decoded. */
function wasDecoded(record: SessionRecord, address: SessionPlane): boolean {
  if (!record.isDecoded) return false;
  const { t, z } = placeOf(record, address);
  return address.kind === 'reference' || (t === record.t && z === record.z);
}
