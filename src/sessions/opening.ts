/** From an admitted path to decoded planes in the cache. */
import { basename } from 'node:path';
import type { Decoder, FileState, LeaseOptions, OpenFile, PlaneRequest } from '../decode/types.js';
import { describeOpen, type OpenChoice, type OpenDescription, type OpenPlan, planOpen, setBytes } from '../describe.js';
import { AcqError, decodeFailed } from '../errors.js';
import type { Fingerprint } from '../io/byte-source.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import type { Watch } from '../storage/gate.js';
import { type DecodeSource, decodePlanes, decodeTask, type PlaneTask } from './decode-planes.js';
import { type HeldPlanes, holdPlanes } from './held-planes.js';
import type { SessionPlane } from './types.js';

export interface OpenContext {
  decoder: Decoder;
  cache: PlaneCache;
  allowedExtensions: readonly string[];
  maxPlaneBytes: number;
  /** Learns of errors that do not fail the open. */
  report: (error: unknown) => void;
}

export interface PlanesRequest {
  /** Of the session to come: the planes are kept under it. */
  sessionId: string;
  /** Real absolute path. */
  path: string;
  /** Real absolute path of the file that was named, when `path` is the acquisition that this file belongs to. */
  part: string | undefined;
  choice: OpenChoice;
  watch: Watch;
}

export interface OpenResult {
  description: OpenDescription;
  plan: OpenPlan;
  fingerprints: Fingerprint[];
}

/** Opens the file and decodes every plane asked for into the cache. Leaves nothing there when it fails. */
export async function openPlanes(context: OpenContext, request: PlanesRequest): Promise<OpenResult> {
  const { path, part, choice, watch } = request;
  const { decoder, cache, allowedExtensions } = context;
  const leaseOptions: LeaseOptions = { label: basename(path), ...watch };
  const file: OpenFile = {
    path,
    ...(part === undefined ? {} : { part }),
    selection: choice.selection,
    allowedExtensions,
  };
  try {
    return await decoder.lease(leaseOptions, async (lease) => {
      const opened = await lease.open(file);
      if (opened.path !== path)
        throw new AcqError('path_not_allowed', `${basename(path)}: was replaced by a link while it was opened`);
      return decodeAll(context, request, { decoder, cache, leaseOptions, file, lease, opened });
    });
  } catch (error) {
    if (!(error instanceof AcqError) || error.code !== 'source_changed') throw error;
    throw decodeFailed(
      `${basename(path)}: the acquisition changed while it was read (${error.message}). If it is still being written, open it again when it is complete.`,
    );
  }
}

async function decodeAll(context: OpenContext, request: PlanesRequest, source: DecodeSource): Promise<OpenResult> {
  const { cache } = context;
  const { opened } = source;
  const { maxPlaneBytes } = context;
  const plan = planOpen(opened.view, request.choice, { maxPlaneBytes, name: basename(opened.path) });
  leaveOutReferenceBeyond(cache, plan, opened.scratchBytes);
  // The peak of the decode, not its result alone.
  cache.makeRoom(setBytes(plan.planes) + setBytes(plan.reference) + opened.scratchBytes);
  const planes = holdPlanes(cache, request.sessionId, 'channel', plan.planes);
  const reference = holdPlanes(cache, request.sessionId, 'reference', plan.reference);
  try {
    return await cache.withScratch(opened.scratchBytes, async () => {
      const others = await decodePlanes(source, toTasks(plan, 'channel', planes));
      const own = await finish(context, source, plan, reference);
      const fingerprints = mergeFingerprints(own, others);
      const facts = { path: opened.path, size: opened.size };
      return { description: describeOpen(opened.view, plan, facts, request.choice), plan, fingerprints };
    });
  } catch (error) {
    planes.giveUp(error);
    reference.giveUp(error);
    throw error;
  }
}

/** Decodes the reference, if any, and closes the files. @returns their fingerprints, the same as at the open */
async function finish(
  context: OpenContext,
  { lease, leaseOptions, opened }: DecodeSource,
  plan: OpenPlan,
  reference: HeldPlanes,
): Promise<Fingerprint[]> {
  if (!plan.reference) return unchanged(await lease.close());
  // A reference may break the worker: what is known of the files by then is kept.
  const before = unchanged(await lease.check());
  try {
    for (const task of toTasks(plan, 'reference', reference)) await decodeTask(lease, task);
  } catch (error) {
    leaseOptions.signal.throwIfAborted();
    context.report(error);
    reference.giveUp(error);
    plan.reference = null;
    plan.warnings.push(skippedReference(error, basename(opened.path)));
    return before;
  }
  return unchanged(await lease.close());
}

/** The reference never fails an open: not by its size either. */
function leaveOutReferenceBeyond(cache: PlaneCache, plan: OpenPlan, scratchBytes: number): void {
  const needed = setBytes(plan.planes) + scratchBytes;
  if (plan.reference === null || cache.fits(needed + setBytes(plan.reference)) || !cache.fits(needed)) return;
  plan.reference = null;
  plan.warnings.push('The reference image was skipped: it does not fit in the memory budget (--memory-budget).');
}

function toTasks(plan: OpenPlan, kind: SessionPlane['kind'], held: HeldPlanes): PlaneTask[] {
  return [...held.builders].map(([channel, builder]) => ({ request: toPlaneRequest(plan, kind, channel), builder }));
}

/** What a worker is asked for one plane. */
export function toPlaneRequest(
  { scene, t, z }: Pick<OpenPlan, 'scene' | 't' | 'z'>,
  kind: SessionPlane['kind'],
  channel: number,
): PlaneRequest {
  return kind === 'channel' ? { kind, scene, channel, t, z } : { kind, scene, channel };
}

function unchanged({ fingerprints, changes }: FileState): Fingerprint[] {
  if (changes.length > 0) throw new AcqError('source_changed', changes.join('; '));
  return fingerprints;
}

/** @throws AcqError `source_changed` when two workers saw different files */
function mergeFingerprints(own: readonly Fingerprint[], others: readonly Fingerprint[]): Fingerprint[] {
  const byPath = new Map(own.map((one) => [one.path, one]));
  for (const other of others) {
    const known = byPath.get(other.path);
    if (known && !isSameFingerprint(known, other))
      throw new AcqError('source_changed', `${basename(other.path)} was written to`);
    byPath.set(other.path, other);
  }
  return [...byPath.values()];
}

export function isSameFingerprint(a: Fingerprint, b: Fingerprint): boolean {
  return a.path === b.path && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ino === b.ino;
}

/** Messages of readers start with the name of a file. */
function skippedReference(error: unknown, name: string): string {
  const reason = error instanceof AcqError ? error.message : `${name}: it cannot be read`;
  return `${reason.replace(/\.$/, '')}. The reference image was skipped.`;
}
