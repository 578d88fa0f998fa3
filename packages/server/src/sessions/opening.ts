/** From a located acquisition to decoded planes in the cache. */

import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describeOpen, type OpenPlan, planOpen, type ViewChoice } from '@acquisition-store/client/answers/describe.js';
import type { OpenDescription } from '@acquisition-store/client/contract/open.js';
import { AcqError, decodeFailed } from '@acquisition-store/readers/base/errors.js';
import { subjectFirst } from '@acquisition-store/readers/base/wording.js';
import { describePossibleRounding, describeRounding } from '@acquisition-store/readers/model/samples/rounding.js';
import { bytesPerElement } from '@acquisition-store/readers/model/samples/types.js';
import type { SceneView } from '@acquisition-store/readers/model/selection.js';
import type { Decoder } from '../decode/types.js';
import type { Who } from '../fair-line.js';
import type { Located, LocateRequest } from '../paths/locate.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import { type Fingerprint, isSameFingerprint } from '../platform-node/file-source.js';
import type { Watch } from '../storage/gate.js';
import type { Timing } from '../waiting.js';
import { addFiles, type Content, type Contents, furtherFiles, HeldPlanes, noteOpen, toRevision } from './contents.js';
import { type DecodeSource, decodePlanes, decodeTask } from './decode-planes.js';
import { heldBytes, projectionScratch } from './plane-order.js';

/** Milliseconds to wait after files have changed while they were read, twice as long each time: five attempts. */
const FIRST_PAUSE_MS = 10;
const LAST_PAUSE_MS = 80;
/** Max bytes of a plane in the type of the file that `decode: small` decodes. */
const SMALL_PLANE_BYTES = 256 * 2 ** 20;

/** One open in progress: what it is done with, and what was asked for. */
interface Opening {
  decoder: Decoder;
  cache: PlaneCache;
  contents: Contents;
  allowedExtensions: readonly string[];
  maxPlaneBytes: number;
  /** Sessions go to a store that instances share. */
  isShared: boolean;
  /** Receives errors that do not fail the open. */
  report: ((error: unknown) => void) | undefined;
  /** Returns whether no other open is in progress. */
  isAlone: () => boolean;
  /** Id of the session that will claim the planes. */
  sessionId: string;
  owner: string | undefined;
  who: Who;
  /** A path on storages that answer is located by the worker. */
  located: Located | LocateRequest;
  choice: ViewChoice;
  watch: Watch;
  timing: Timing | undefined;
}

/** True when a worker has nothing to do. Only then may it find the file too: a busy one must not keep anybody from learning that there is none. */
export function hasIdleWorker({ occupancy }: Decoder): boolean {
  return (occupancy?.idle ?? 0) > 0;
}

/**
 * Opens the file and decodes every requested plane into the cache that is not there yet, or leaves nothing there when it
 * fails.
 * @returns `content`, which the session has to leave; `revision` for `source.revision`; `head`, the digest of the first bytes of the
 * main file, for other instances; `isDecoded` unless planes are decoded when they are first read
 */
export async function openPlanes(opening: Opening) {
  const { located, watch } = opening;
  let change: AcqError | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    try {
      // What others decode may fail with them; then nothing is shared.
      return (await openOnce(opening, true)) ?? (await openOnce(opening, false))!;
    } catch (error) {
      watch.signal.throwIfAborted();
      const isChange = error instanceof AcqError && error.code === 'source_changed';
      if (isChange) change = error;
      if (!change) throw error;
      if (!isChange || pauseMs > LAST_PAUSE_MS) throw stillChanging(basename(located.path), change);
      // Between two writes of a recording that grows, there is time to read.
      await pause(pauseMs, undefined, { signal: watch.signal }).catch(() => watch.signal.throwIfAborted());
    }
  }
}

/** @returns nothing when it shared planes of others that failed */
async function openOnce(opening: Opening, shares: boolean) {
  const { cache, contents, sessionId, timing } = opening;
  const { signal } = opening.watch;
  let content: Content | undefined;
  let held: readonly HeldPlanes[] = [];
  try {
    const attempt = await openWithWorker(opening, shares);
    ({ content, held } = attempt);
    const asked = performance.now();
    // Without a worker: they may be waiting for one.
    const shared = await Promise.allSettled(held.flatMap((planes) => planes.shared));
    if (timing) timing.wait += performance.now() - asked;
    signal.throwIfAborted();
    // Others who read the same may know the files that their planes are in.
    const revision = attempt.revision ?? content.revisions.get(attempt.what);
    if (revision !== undefined && shared.every(({ status }) => status === 'fulfilled')) {
      const { located, plan, isDecoded, head } = attempt;
      const description = await withRoundings(attempt.description, held);
      return { located, description, plan, content, revision, isDecoded, head };
    }
  } catch (error) {
    cache.drop(sessionId);
    if (content) contents.leave(content.id);
    throw error;
  } finally {
    for (const planes of held) planes.release();
  }
  cache.drop(sessionId);
  contents.leave(content.id);
  return undefined;
}

/** Adds what the planes lost when they became float32. */
async function withRoundings(description: OpenDescription, held: readonly HeldPlanes[]): Promise<OpenDescription> {
  const [planes, reference] = await Promise.all(held.map((each) => each.rounding()));
  const warnings = [
    ...(planes ? [describeRounding(planes)] : []),
    ...(reference ? [describeRounding(reference, 'Some samples of the reference image')] : []),
  ];
  return warnings.length > 0 ? { ...description, warnings: [...description.warnings, ...warnings] } : description;
}

function stillChanging(name: string, { message }: AcqError): AcqError {
  return decodeFailed(
    `the acquisition changed while it was being read (${message}). If it is still being written, open it again when it is complete.`,
  ).about(name);
}

/** Opens the file with a worker, which decodes the planes that nobody else has. Those of others may still be on their way. */
async function openWithWorker(opening: Opening, shares: boolean) {
  const { located, choice, watch, timing, who, decoder, cache, contents, allowedExtensions } = opening;
  const asked = performance.now();
  const name = basename(located.path);
  const leaseOptions = { label: name, who, ...watch };
  const file = {
    located,
    selection: choice.selection,
    interpret: choice.interpret,
    parts: choice.parts,
    allowedExtensions,
    ...(opening.isShared ? { head: '' } : {}),
  };
  return decoder.lease(leaseOptions, async (lease) => {
    const start = performance.now();
    if (timing) timing.wait += start - asked;
    const opened = await lease.open(file);
    const openMs = performance.now() - start;
    if (timing) timing.open += openMs;
    const isAlone = opening.isAlone();
    const known = { ...file, located: opened.located };
    const source = { decoder, cache, leaseOptions, file: known, lease, opened, openMs, isAlone };
    const content = await contents.enter(opened.located.path, opened, lease);
    const begun = performance.now();
    try {
      const read = await readAll(opening, source, { content, shares });
      return { ...read, content, located: opened.located, head: opened.head };
    } catch (error) {
      contents.leave(content.id);
      throw error;
    } finally {
      if (timing) timing.decode += performance.now() - begun;
    }
  });
}

async function readAll(
  opening: Opening,
  given: DecodeSource,
  { content, shares }: { content: Content; shares: boolean },
) {
  const { cache, choice, maxPlaneBytes, owner } = opening;
  const { view, size, located, isWhole } = given.opened;
  const { path } = located;
  const wanted = planOpen(view, choice, basename(path), maxPlaneBytes);
  const scratchBytes = given.opened.scratchBytes + projectionScratch(wanted);
  const source = { ...given, opened: { ...given.opened, scratchBytes } };
  const plan = fitReference(wanted, (bytes) => cache.fits(bytes, owner), scratchBytes);
  const describe = (done: OpenPlan) => describeOpen(view, done, { path, size }, choice);
  const what = whatIsRead(plan);
  if (isLater(choice, view)) {
    const files = await source.lease.close();
    addFiles(content.files, files);
    const possible = describePossibleRounding(view.scene.sampleType);
    const later = possible === undefined ? plan : { ...plan, warnings: [...plan.warnings, possible] };
    return { description: describe(later), plan, held: [], what, revision: toRevision(files), isDecoded: false };
  }
  const description = describe(plan);
  const canShare = shares && (isWhole || content.revisions.has(what) || content.opening.has(what));
  const endOfOpen = noteOpen(content, what);
  try {
    const { done, files, held } = await decodeAll(opening, source, { plan, content, shares: canShare });
    const isShared = held.some(({ shared }) => shared.length > 0);
    const isComplete = furtherFiles(content, files).length === 0;
    const revision = isShared && !isComplete ? undefined : toRevision(files);
    endOfOpen(isShared ? undefined : revision);
    for (const planes of held) planes.publish();
    const told = done === plan ? description : describe(done);
    return { description: told, plan: done, held, what, revision, isDecoded: true };
  } catch (error) {
    endOfOpen();
    throw error;
  }
}

/** True when the planes are decoded when they are first read. */
function isLater({ decode }: ViewChoice, { scene: { sizes, sampleType } }: SceneView): boolean {
  if (decode !== 'small') return decode === 'later';
  return sizes.Y * sizes.X * bytesPerElement(sampleType) > SMALL_PLANE_BYTES;
}

/** Two opens of one content for which this is equal read the same files. */
function whatIsRead({ scene, t, z, projection, planes, reference }: OpenPlan): string {
  const channels = [...planes.channelIndices].sort((a, b) => a - b);
  return JSON.stringify([scene, t, z, projection, channels, reference !== null]);
}

/**
 * Decodes the planes that nobody else has, and closes the files.
 * @returns the plan as it was carried out, the fingerprints of the files that were read here, and the planes
 */
async function decodeAll(
  opening: Opening,
  source: DecodeSource,
  { plan, content, shares }: { plan: OpenPlan; content: Content; shares: boolean },
) {
  const { cache, owner, sessionId: claimant, watch } = opening;
  const { scratchBytes, fingerprints } = source.opened;
  // The peak of decoding, not only its result.
  cache.checkFits(heldBytes(plan.planes, plan.projection) + heldBytes(plan.reference) + scratchBytes, owner);
  const home = { cache, reader: { claimant, owner, signal: watch.signal }, content, shares };
  const planes = new HeldPlanes(home, 'channel', plan);
  const reference = new HeldPlanes(home, 'reference', plan);
  const held = [planes, reference];
  try {
    const missingBytes = planes.missingBytes + reference.missingBytes;
    const scratch = missingBytes > 0 ? scratchBytes : 0;
    await cache.withRoom(missingBytes + scratch, owner, () => {
      for (const each of held) each.hold();
    });
    return await cache.withScratch(scratch, async () => {
      const isShared = held.some(({ shared }) => shared.length > 0);
      const isAll = !isShared && reference.tasks.length === 0;
      const { closed, others } = await decodePlanes(source, planes.tasks, isAll);
      // Planes of others are of the state that their files had when this open began: they must still have it.
      const further = isShared ? furtherFiles(content, fingerprints) : [];
      const { done, files } = closed
        ? { done: plan, files: closed }
        : await finish(opening, source, { plan, reference, further });
      const read = mergeFingerprints(files, others);
      addFiles(content.files, read);
      return { done, files: read, held };
    });
  } catch (error) {
    for (const each of held) each.giveUp(error);
    for (const each of held) each.release();
    cache.drop(claimant);
    throw error;
  }
}

/**
 * Decodes the reference, if any, and closes the files.
 * @returns the plan as it was carried out, and the fingerprints of the files, the same as at the open
 */
async function finish(
  { report }: Opening,
  { lease, leaseOptions }: DecodeSource,
  { plan, reference, further }: { plan: OpenPlan; reference: HeldPlanes; further: readonly Fingerprint[] },
): Promise<{ done: OpenPlan; files: Fingerprint[] }> {
  if (reference.tasks.length === 0) return { done: plan, files: await lease.close(further) };
  // A reference may break the worker: keep what is known about the files by then.
  const files = await lease.check(further);
  try {
    for (const task of reference.tasks) await decodeTask(lease, task);
  } catch (error) {
    leaseOptions.signal.throwIfAborted();
    report?.(error);
    reference.giveUp(error);
    return { done: withoutReference(plan, skippedReference(error, leaseOptions.label)), files };
  }
  return { done: plan, files: await lease.close(further) };
}

/** Skips a reference that does not fit in memory beside the planes: it must never fail an open. */
function fitReference(plan: OpenPlan, fits: (bytes: number) => boolean, scratchBytes: number): OpenPlan {
  const required = heldBytes(plan.planes, plan.projection) + scratchBytes;
  if (plan.reference === null || fits(required + heldBytes(plan.reference)) || !fits(required)) return plan;
  return withoutReference(
    plan,
    'The reference image was skipped: it does not fit in the memory budget (--memory-budget).',
  );
}

function withoutReference(plan: OpenPlan, warning: string): OpenPlan {
  return { ...plan, reference: null, warnings: [...plan.warnings, warning] };
}

/** @throws AcqError `source_changed` when two workers saw different files */
function mergeFingerprints(own: readonly Fingerprint[], others: readonly Fingerprint[]): Fingerprint[] {
  const byPath = new Map(own.map((one) => [one.path, one]));
  for (const other of others) {
    const known = byPath.get(other.path);
    if (known && !isSameFingerprint(known, other))
      throw new AcqError('source_changed', `${basename(other.path)} was modified`);
    byPath.set(other.path, other);
  }
  return [...byPath.values()];
}

/** Messages of readers already start with the name of a file. */
function skippedReference(error: unknown, name: string): string {
  const reason = error instanceof AcqError ? error.message : subjectFirst(name, 'it cannot be read');
  return `${reason.replace(/\.$/, '')}. The reference image was skipped.`;
}
