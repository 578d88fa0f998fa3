import { basename } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { SceneInfo } from '@acquisition-store/readers/model/acquisition.js';
import type { DecodeLease, OpenedFile, PlaneMemory, PlaneRequest } from '../decode/types.js';
import { notNeeded } from '../planes/claims.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import { type PinnedPlane, PlaneBuilder } from '../planes/plane-memory.js';
import { type Fingerprint, isSameFingerprint } from '../platform-node/file-source.js';
import type { Watch } from '../storage/gate.js';
import { measure, type Timing } from '../waiting.js';
import type { PlaneOrder } from './plane-order.js';
import { type SessionRecord, whoOf } from './record.js';
import type { SessionServiceOptions } from './service-options.js';

/** What files are read with again: a part of the service of sessions. */
export interface DecodeContext {
  options: Pick<SessionServiceOptions, 'decoder' | 'allowedExtensions'>;
  cache: PlaneCache;
}

/** How a file of a session is read. */
export interface Reading {
  watch: Watch;
  timing?: Timing | undefined;
  /** Nobody has asked for the plane: it waits for no worker and for no memory, and takes none of others. */
  isAhead?: boolean | undefined;
}

/**
 * Decodes a plane of a session that is not in memory, if the files have not changed. They stay open for a moment, for the
 * next plane. A plane that the open request did not decode can be in files that were not read before: they are
 * remembered.
 * @throws AcqError `source_changed`, and the errors of an open
 */
export async function decodeAgain(
  context: DecodeContext,
  record: SessionRecord,
  order: PlaneOrder,
  { watch, timing, isAhead }: Reading,
): Promise<PinnedPlane> {
  const { cache } = context;
  const { request, rows, columns, sampleType, isKnown } = order;
  const builder = new PlaneBuilder(cache.arena, rows, columns, sampleType);
  await withFile(context, record, { scene: request.scene, watch, timing, isAhead }, async (lease, opened) => {
    checkShape(opened, order);
    const scratchBytes = opened.scratchBytes + order.scratchBytes;
    if (isAhead && !cache.hasRoom(scratchBytes)) throw notNeeded();
    await cache.withScratch(scratchBytes, () =>
      builder.fill({ first: 0, count: rows }, async (memory) => {
        await measure(timing, 'decode', () => readPlane(lease, request, memory, record.fingerprints));
        await checkFiles(lease, record, isKnown);
      }),
    );
  });
  return builder.plane;
}

/** Returns what opens the file of a session as it was opened first. */
export function fileAgain(
  { path, fingerprints, description }: SessionRecord,
  scene: number,
  { allowedExtensions }: DecodeContext['options'],
) {
  const { interpret, parts } = description;
  return {
    located: { path },
    selection: undefined,
    interpret,
    parts,
    scene,
    allowedExtensions,
    expected: fingerprints,
  };
}

/**
 * Runs `work` with the file of a session, opened again unless it is still open. `work` must end with `checkFiles`.
 * @throws AcqError `source_changed` with a message that says what to do, and the errors of an open
 */
export async function withFile<T>(
  { options }: DecodeContext,
  record: SessionRecord,
  { scene, watch, timing, isAhead }: Reading & { scene: number },
  work: (lease: DecodeLease, opened: OpenedFile) => Promise<T>,
): Promise<T> {
  const { path, head } = record;
  const start = performance.now();
  try {
    const asked = { label: basename(path), keep: record.content, who: whoOf(record), ...watch };
    const use = async (lease: DecodeLease) => {
      if (timing) timing.wait += performance.now() - start;
      const file = { ...fileAgain(record, scene, options), ...(head === undefined ? {} : { head }) };
      const opened = lease.opened ?? (await measure(timing, 'open', () => lease.open(file)));
      return work(lease, opened.view.sceneIndex === scene ? opened : await lease.view(scene));
    };
    const { decoder } = options;
    const used = isAhead ? decoder.tryLease(asked, use) : decoder.lease(asked, use);
    if (!used) throw notNeeded();
    return await used;
  } catch (error) {
    if (!(error instanceof AcqError) || error.code !== 'source_changed') throw error;
    const message = `the acquisition changed since it was opened (${error.message}). Open it again.`;
    throw new AcqError('source_changed', message, { subject: basename(path), cause: error });
  }
}

/** A file that changed while it was kept open may be unreadable: then the change is what the client has to know. */
async function readPlane(
  lease: DecodeLease,
  request: PlaneRequest,
  memory: PlaneMemory,
  known: readonly Fingerprint[],
): Promise<void> {
  try {
    await lease.plane(request, memory);
  } catch (error) {
    const found = lease.opened && (await lease.check(known).catch((failure: unknown) => failure));
    throw found instanceof AcqError && found.code === 'source_changed' ? found : error;
  }
}

/** Unchanged files can read differently when another file was added to their folder. */
export function checkShape(
  { view: { scene } }: OpenedFile,
  { request, image: { rows, columns, sampleType } }: PlaneOrder,
): void {
  const image = request.kind === 'channel' ? scene : scene.reference;
  const fits =
    image?.sizes.Y === rows &&
    image.sizes.X === columns &&
    image.channels.length > request.channel &&
    (sampleType === undefined || image.sampleType === sampleType) &&
    (request.kind === 'reference' || hasPlaces(scene, request));
  if (!fits) throw new AcqError('source_changed', 'its planes have changed');
}

/** A projection needs all planes that it was made of, and no others. */
function hasPlaces({ sizes }: SceneInfo, { t, z, projection }: Extract<PlaneRequest, { kind: 'channel' }>): boolean {
  const isComplete = projection === undefined || sizes[projection.along] === projection.size;
  return sizes.T > t && sizes.Z > z && isComplete;
}

/** True when all files of a recording were opened: one more would move the planes of the others. */
function hasAllParts(
  known: readonly Fingerprint[],
  { parts, source: { recording } }: SessionRecord['description'],
): boolean {
  if (parts !== 'all' || !recording) return false;
  const opened = known.filter(({ path, isAbsent }) => !isAbsent && basename(path) !== recording.master);
  return opened.length >= recording.parts;
}

/**
 * Compares the files with those that were read before.
 * @param isKnown no other files are expected
 * @throws AcqError `source_changed`
 */
export async function checkFiles(
  lease: DecodeLease,
  { fingerprints: known, description }: SessionRecord,
  isKnown: boolean,
): Promise<void> {
  const isWhole = isKnown || hasAllParts(known, description);
  const fingerprints = await lease.check();
  const byPath = new Map(known.map((one) => [one.path, one]));
  for (const one of fingerprints) {
    const before = byPath.get(one.path);
    if (before ? !isSameFingerprint(before, one) : isWhole) {
      throw new AcqError('source_changed', `${basename(one.path)} is new or has changed`);
    }
    if (!before) known.push(one);
    // From now on, this machine knows the file itself.
    else if (before.isElsewhere) known[known.indexOf(before)] = one;
  }
}
