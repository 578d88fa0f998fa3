/** From a located acquisition to decoded planes in the cache. */

import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  describeOpen,
  type OpenDescription,
  type OpenPlan,
  planOpen,
  type ViewChoice,
} from '@acquisition-store/client/answers/describe.js';
import { AcqError, decodeFailed } from '@acquisition-store/readers/base/errors.js';
import { subjectFirst } from '@acquisition-store/readers/base/wording.js';
import { projectionBytes } from '@acquisition-store/readers/model/samples/projection.js';
import { describePossibleRounding, describeRounding } from '@acquisition-store/readers/model/samples/rounding.js';
import { bytesPerElement, type SampleType } from '@acquisition-store/readers/model/samples/types.js';
import type { Decoder, FileState, LeaseOptions, OpenFile, PlaneRequest } from '../decode/types.js';
import type { Who } from '../fair-line.js';
import type { Located } from '../paths/locate.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import { heldBytes } from '../planes/plane-key.js';
import { type Fingerprint, isSameFingerprint } from '../platform-node/file-source.js';
import type { Watch } from '../storage/gate.js';
import { measure, type Timing } from '../waiting.js';
import { addFiles, type Content, type Contents, furtherFiles, noteOpen } from './contents.js';
import { type DecodeSource, decodePlanes, decodeTask, type PlaneTask } from './decode-planes.js';
import { HeldPlanes } from './held-planes.js';
import { toRevision } from './revision.js';
import type { PlaneAddress } from './types.js';

/** Milliseconds to wait after files have changed while they were read, twice as long each time: five attempts. */
const FIRST_PAUSE_MS = 10;
const LAST_PAUSE_MS = 80;
/** Max bytes of a plane in the type of the file that `decode: small` decodes. */
const SMALL_PLANE_BYTES = 256 * 2 ** 20;

export interface OpenContext {
  decoder: Decoder;
  cache: PlaneCache;
  contents: Contents;
  allowedExtensions: readonly string[];
  maxPlaneBytes: number;
  /** Returns how many opens are in progress. */
  opening: () => number;
  /** Sessions go to a store that instances share. */
  isShared?: boolean;
  /** Receives errors that do not fail the open. */
  report: (error: unknown) => void;
}

export interface PlanesRequest {
  /** Id of the session that will claim the planes. */
  sessionId: string;
  owner: string | undefined;
  who: Who;
  located: OpenFile['located'];
  choice: ViewChoice;
  watch: Watch;
  timing?: Timing | undefined;
}

export interface OpenResult {
  located: Located;
  description: OpenDescription;
  plan: OpenPlan;
  /** The session has to `leave` it. */
  content: Content;
  /** `source.revision` */
  revision: string;
  /** Digest of the first bytes of the main file, for other instances. */
  head?: string | undefined;
  /** The planes were decoded. */
  isDecoded: boolean;
}

/** An open whose own work is done. */
interface Attempt extends Omit<OpenResult, 'revision'> {
  /** Planes that others have decoded, or are decoding. */
  held: readonly HeldPlanes[];
  /** Returns nothing when the planes are there, but not the list of files that they are in. */
  revision: () => string | undefined;
}

/**
 * Opens the file and decodes every requested plane into the cache that is not there yet, or leaves nothing there when it
 * fails.
 */
export async function openPlanes(context: OpenContext, request: PlanesRequest): Promise<OpenResult> {
  const { located, watch } = request;
  let change: AcqError | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    try {
      // What others decode may fail with them; then nothing is shared.
      return (await openOnce(context, request, true)) ?? (await openOnce(context, request, false))!;
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
async function openOnce(
  context: OpenContext,
  request: PlanesRequest,
  shares: boolean,
): Promise<OpenResult | undefined> {
  const { cache, contents } = context;
  const { signal } = request.watch;
  let content: Content | undefined;
  let held: readonly HeldPlanes[] = [];
  try {
    const attempt = await openWithWorker(context, request, shares);
    ({ content, held } = attempt);
    // Without a worker: they may be waiting for one.
    const shared = await measure(request.timing, 'wait', () =>
      Promise.allSettled(held.flatMap((planes) => planes.shared)),
    );
    signal.throwIfAborted();
    const revision = attempt.revision();
    if (revision !== undefined && shared.every(({ status }) => status === 'fulfilled')) {
      const { located, plan, isDecoded, head } = attempt;
      const description = await withRoundings(attempt.description, held);
      return { located, description, plan, content, revision, isDecoded, head };
    }
  } catch (error) {
    cache.drop(request.sessionId);
    if (content) contents.leave(content.id);
    throw error;
  } finally {
    for (const planes of held) planes.release();
  }
  cache.drop(request.sessionId);
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

async function openWithWorker(context: OpenContext, request: PlanesRequest, shares: boolean): Promise<Attempt> {
  const { located, choice, watch, timing } = request;
  const asked = performance.now();
  const { decoder, cache, contents, allowedExtensions } = context;
  const name = basename(located.path);
  const leaseOptions: LeaseOptions = { label: name, who: request.who, ...watch };
  const file: OpenFile = {
    located,
    selection: choice.selection,
    interpret: choice.interpret,
    parts: choice.parts,
    allowedExtensions,
    ...(context.isShared ? { head: '' } : {}),
  };
  return decoder.lease(leaseOptions, async (lease) => {
    const start = performance.now();
    if (timing) timing.wait += start - asked;
    const opened = await lease.open(file);
    const openMs = performance.now() - start;
    if (timing) timing.open += openMs;
    const isAlone = context.opening() <= 1;
    const known = { ...file, located: opened.located };
    const source = { decoder, cache, leaseOptions, file: known, lease, opened, openMs, isAlone };
    const content = await contents.enter(opened.located.path, opened, lease);
    try {
      const read = () => readAll(context, request, source, { content, shares });
      return { ...(await measure(timing, 'decode', read)), located: opened.located, head: opened.head };
    } catch (error) {
      contents.leave(content.id);
      throw error;
    }
  });
}

async function readAll(
  context: OpenContext,
  request: PlanesRequest,
  source: DecodeSource,
  { content, shares }: { content: Content; shares: boolean },
): Promise<Omit<Attempt, 'located'>> {
  const { cache, maxPlaneBytes } = context;
  const { opened, lease } = source;
  const { path } = opened.located;
  const wanted = planOpen(opened.view, request.choice, { maxPlaneBytes, name: basename(path) });
  const scratchBytes = opened.scratchBytes + projectionScratch(wanted);
  const plan = fitReference(wanted, (bytes) => cache.fits(bytes, request.owner), scratchBytes);
  const describe = (done: OpenPlan) => describeOpen(opened.view, done, { path, size: opened.size }, request.choice);
  if (isLater(request.choice, source)) {
    const files = unchanged(await lease.close());
    addFiles(content.files, files);
    const possible = describePossibleRounding(opened.view.scene.sampleType);
    const later = possible === undefined ? plan : { ...plan, warnings: [...plan.warnings, possible] };
    return {
      description: describe(later),
      plan,
      content,
      held: [],
      revision: () => toRevision(files),
      isDecoded: false,
    };
  }
  const what = whatIsRead(plan);
  const canShare = shares && (opened.isWhole || content.revisions.has(what) || content.opening.has(what));
  const endOfOpen = noteOpen(content, what);
  try {
    const order = { plan, content, shares: canShare, scratchBytes, describe };
    const { done, description, files, held } = await decodeAll(context, request, source, order);
    const isShared = held.some(({ shared }) => shared.length > 0);
    const isComplete = furtherFiles(content, files).length === 0;
    const own = isShared && !isComplete ? undefined : toRevision(files);
    endOfOpen(isShared ? undefined : own);
    for (const planes of held) planes.publish();
    return {
      description,
      plan: done,
      content,
      held,
      isDecoded: true,
      revision: () => own ?? content.revisions.get(what),
    };
  } catch (error) {
    endOfOpen();
    throw error;
  }
}

/** True when the planes are decoded when they are first read. */
function isLater({ decode }: ViewChoice, { opened }: DecodeSource): boolean {
  if (decode !== 'small') return decode === 'later';
  const { sizes, sampleType } = opened.view.scene;
  return sizes.Y * sizes.X * bytesPerElement(sampleType) > SMALL_PLANE_BYTES;
}

/** Two opens of one content for which this is equal read the same files. */
function whatIsRead({ scene, t, z, projection, planes, reference }: OpenPlan): string {
  const channels = [...planes.channelIndices].sort((a, b) => a - b);
  return JSON.stringify([scene, t, z, projection, channels, reference !== null]);
}

interface DecodeOrder {
  plan: OpenPlan;
  content: Content;
  shares: boolean;
  /** Bytes that the decode takes beside the planes. */
  scratchBytes: number;
  describe: (done: OpenPlan) => OpenDescription;
}

interface Decoded {
  done: OpenPlan;
  description: OpenDescription;
  /** Files that were read here. */
  files: Fingerprint[];
  held: readonly HeldPlanes[];
}

/** Decodes the planes that nobody else has, and closes the files. */
async function decodeAll(
  context: OpenContext,
  request: PlanesRequest,
  source: DecodeSource,
  { plan, content, shares, scratchBytes, describe }: DecodeOrder,
): Promise<Decoded> {
  const { cache } = context;
  // The peak of decoding, not only its result.
  const { owner, sessionId: claimant, watch } = request;
  cache.checkFits(heldBytes(plan.planes, plan.projection) + heldBytes(plan.reference) + scratchBytes, owner);
  const reader = { claimant, owner, signal: watch.signal };
  const home = { cache, reader, content: content.id, shares };
  const planes = new HeldPlanes(home, 'channel', plan.planes, plan);
  const reference = new HeldPlanes(home, 'reference', plan.reference, plan);
  const held = [planes, reference];
  try {
    const missingBytes = planes.missingBytes + reference.missingBytes;
    const scratch = missingBytes > 0 ? scratchBytes : 0;
    await cache.withRoom(missingBytes + scratch, owner, () => {
      for (const each of held) each.hold();
    });
    return await cache.withScratch(scratch, async () => {
      const shared = { ...source, opened: { ...source.opened, scratchBytes } };
      const isShared = held.some(({ shared }) => shared.length > 0);
      const isAll = !isShared && reference.builders.size === 0;
      const { closed, others } = await decodePlanes(shared, toTasks(plan, 'channel', planes), isAll);
      // Planes of others are of the state that their files had when this open began: they must still have it.
      const further = isShared ? furtherFiles(content, source.opened.fingerprints) : [];
      const { done, files } = closed
        ? { done: plan, files: unchanged(closed) }
        : await finish(context, source, { plan, reference, further });
      const read = mergeFingerprints(files, others);
      addFiles(content.files, read);
      return { done, description: describe(done), files: read, held };
    });
  } catch (error) {
    for (const each of held) each.giveUp(error);
    for (const each of held) each.release();
    cache.drop(request.sessionId);
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
  { plan, reference, further }: { plan: OpenPlan; reference: HeldPlanes; further: readonly Fingerprint[] },
): Promise<{ done: OpenPlan; files: Fingerprint[] }> {
  if (reference.builders.size === 0) return { done: plan, files: unchanged(await lease.close(further)) };
  // A reference may break the worker: keep what is known about the files by then.
  const files = unchanged(await lease.check(further));
  try {
    for (const task of toTasks(plan, 'reference', reference)) await decodeTask(lease, task);
  } catch (error) {
    leaseOptions.signal.throwIfAborted();
    context.report(error);
    reference.giveUp(error);
    return { done: withoutReference(plan, skippedReference(error, leaseOptions.label)), files };
  }
  return { done: plan, files: unchanged(await lease.close(further)) };
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

function toTasks(plan: OpenPlan, kind: PlaneAddress['kind'], held: HeldPlanes): PlaneTask[] {
  return [...held.builders].map(([channel, builder]) => ({
    request: toPlaneRequest(plan, kind, channel, builder.sampleType),
    builder,
  }));
}

/** Returns the request to a worker for one plane. */
export function toPlaneRequest(
  { scene, t, z, projection }: Pick<OpenPlan, 'scene' | 't' | 'z' | 'projection'>,
  kind: PlaneAddress['kind'],
  channel: number,
  type: SampleType,
): PlaneRequest {
  if (kind === 'reference') return { kind, scene, channel, type };
  return { kind, scene, channel, t, z, type, ...(projection ? { projection } : {}) };
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

/** Messages of readers already start with the name of a file. */
function skippedReference(error: unknown, name: string): string {
  const reason = error instanceof AcqError ? error.message : subjectFirst(name, 'it cannot be read');
  return `${reason.replace(/\.$/, '')}. The reference image was skipped.`;
}
