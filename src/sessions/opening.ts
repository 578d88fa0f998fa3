/** From a located acquisition to decoded planes in the cache. */
import { basename } from 'node:path';
import type { Decoder, FileState, LeaseOptions, OpenFile, PlaneRequest } from '../decode/types.js';
import { describeOpen, type OpenChoice, type OpenDescription, type OpenPlan, planOpen, setBytes } from '../describe.js';
import { AcqError, decodeFailed } from '../errors.js';
import type { Fingerprint } from '../io/byte-source.js';
import type { Located } from '../paths/locate.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import { projectionBytes } from '../samples/projection.js';
import type { Watch } from '../storage/gate.js';
import { type DecodeSource, decodePlanes, decodeTask, type PlaneTask } from './decode-planes.js';
import { type HeldPlanes, holdPlanes } from './held-planes.js';
import type { SessionPlane } from './types.js';

export interface OpenContext {
  decoder: Decoder;
  cache: PlaneCache;
  allowedExtensions: readonly string[];
  maxPlaneBytes: number;
  /** Receives errors that do not fail the open. */
  report: (error: unknown) => void;
}

export interface PlanesRequest {
  /** Id of the session that will own the planes. */
  sessionId: string;
  located: Located;
  choice: OpenChoice;
  watch: Watch;
}

export interface OpenResult {
  description: OpenDescription;
  plan: OpenPlan;
  fingerprints: Fingerprint[];
}

/** Opens the file and decodes every requested plane into the cache, or leaves nothing there when it fails. */
export async function openPlanes(context: OpenContext, request: PlanesRequest): Promise<OpenResult> {
  const { located, choice, watch } = request;
  const { decoder, cache, allowedExtensions } = context;
  const name = basename(located.path);
  const leaseOptions: LeaseOptions = { label: name, ...watch };
  const file: OpenFile = { located, selection: choice.selection, allowedExtensions };
  try {
    return await decoder.lease(leaseOptions, async (lease) => {
      const start = performance.now();
      const opened = await lease.open(file);
      const openMs = performance.now() - start;
      return decodeAll(context, request, { decoder, cache, leaseOptions, file, lease, opened, openMs });
    });
  } catch (error) {
    if (!(error instanceof AcqError) || error.code !== 'source_changed') throw error;
    throw decodeFailed(
      `${name}: the acquisition changed while it was being read (${error.message}). If it is still being written, open it again when it is complete.`,
    );
  }
}

async function decodeAll(context: OpenContext, request: PlanesRequest, source: DecodeSource): Promise<OpenResult> {
  const { cache } = context;
  const { opened } = source;
  const { maxPlaneBytes } = context;
  const { path } = request.located;
  const wanted = planOpen(opened.view, request.choice, { maxPlaneBytes, name: basename(path) });
  const scratchBytes = opened.scratchBytes + projectionScratch(wanted);
  const plan = fitReference(wanted, cache, scratchBytes);
  if (request.choice.decode === 'later') {
    const fingerprints = unchanged(await source.lease.close());
    const description = describeOpen(opened.view, plan, { path, size: opened.size }, request.choice);
    return { description, plan, fingerprints };
  }
  // Room for the peak of decoding, not only for its result.
  cache.makeRoom(setBytes(plan.planes) + setBytes(plan.reference) + scratchBytes);
  const planes = holdPlanes(cache, request.sessionId, 'channel', plan.planes, plan);
  const reference = holdPlanes(cache, request.sessionId, 'reference', plan.reference, plan);
  try {
    return await cache.withScratch(scratchBytes, async () => {
      const shared = { ...source, opened: { ...opened, scratchBytes } };
      const others = await decodePlanes(shared, toTasks(plan, 'channel', planes));
      const { done, files } = await finish(context, source, plan, reference);
      const fingerprints = mergeFingerprints(files, others);
      const description = describeOpen(opened.view, done, { path, size: opened.size }, request.choice);
      return { description, plan: done, fingerprints };
    });
  } catch (error) {
    planes.giveUp(error);
    reference.giveUp(error);
    throw error;
  }
}

/** Returns the bytes that a projection takes beside its plane. */
export function projectionScratch({ projection, planes }: Pick<OpenPlan, 'projection' | 'planes'>): number {
  return projection ? projectionBytes(projection.method) * planes.rows * planes.columns : 0;
}

/**
 * Decodes the reference, if any, and closes the files.
 * @returns the plan as it was carried out, and the fingerprints of the files, the same as at the open
 */
async function finish(
  context: OpenContext,
  { lease, leaseOptions }: DecodeSource,
  plan: OpenPlan,
  reference: HeldPlanes,
): Promise<{ done: OpenPlan; files: Fingerprint[] }> {
  if (!plan.reference) return { done: plan, files: unchanged(await lease.close()) };
  // A reference may break the worker: keep what is known about the files by then.
  const files = unchanged(await lease.check());
  try {
    for (const task of toTasks(plan, 'reference', reference)) await decodeTask(lease, task);
  } catch (error) {
    leaseOptions.signal.throwIfAborted();
    context.report(error);
    reference.giveUp(error);
    return { done: withoutReference(plan, skippedReference(error, leaseOptions.label)), files };
  }
  return { done: plan, files: unchanged(await lease.close()) };
}

/** Skips a reference that does not fit in memory beside the planes: it must never fail an open. */
function fitReference(plan: OpenPlan, cache: PlaneCache, scratchBytes: number): OpenPlan {
  const required = setBytes(plan.planes) + scratchBytes;
  if (plan.reference === null || cache.fits(required + setBytes(plan.reference)) || !cache.fits(required)) return plan;
  return withoutReference(
    plan,
    'The reference image was skipped: it does not fit in the memory budget (--memory-budget).',
  );
}

function withoutReference(plan: OpenPlan, warning: string): OpenPlan {
  return { ...plan, reference: null, warnings: [...plan.warnings, warning] };
}

function toTasks(plan: OpenPlan, kind: SessionPlane['kind'], held: HeldPlanes): PlaneTask[] {
  return [...held.builders].map(([channel, builder]) => ({ request: toPlaneRequest(plan, kind, channel), builder }));
}

/** Returns the request to a worker for one plane. */
export function toPlaneRequest(
  { scene, t, z, projection }: Pick<OpenPlan, 'scene' | 't' | 'z' | 'projection'>,
  kind: SessionPlane['kind'],
  channel: number,
): PlaneRequest {
  if (kind === 'reference') return { kind, scene, channel };
  return { kind, scene, channel, t, z, ...(projection ? { projection } : {}) };
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
      throw new AcqError('source_changed', `${basename(other.path)} was modified`);
    byPath.set(other.path, other);
  }
  return [...byPath.values()];
}

export function isSameFingerprint(a: Fingerprint, b: Fingerprint): boolean {
  return a.path === b.path && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ino === b.ino;
}

/** Messages of readers already start with the name of a file. */
function skippedReference(error: unknown, name: string): string {
  const reason = error instanceof AcqError ? error.message : `${name}: it cannot be read`;
  return `${reason.replace(/\.$/, '')}. The reference image was skipped.`;
}
