import { constants } from 'node:buffer';
import { setMaxListeners } from 'node:events';
import { basename } from 'node:path';
import { checkChoice, toOpenResponse } from '@acquisition-store/client/answers/describe.js';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { planeByteLength } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { Who } from '../fair-line.js';
import { makeId } from '../labelled-id.js';
import { confine, type PathPolicy, shownPath } from '../paths/policy.js';
import { PlaneCache } from '../planes/plane-cache.js';
import { type PinnedPlane, PlaneArena } from '../planes/plane-memory.js';
import type { Watch } from '../storage/gate.js';
import { linkSignals, type Timing } from '../waiting.js';
import { tookTooLong, toStatus, withoutPath } from './answers.js';
import { Contents } from './contents.js';
import { decodeAgain } from './decode-again.js';
import { checkTtl } from './limits.js';
import { listSessions, toLoad } from './listing.js';
import { hasIdleWorker, openPlanes } from './opening.js';
import { orderOwn, type PlaneOrder, shapeOf } from './plane-order.js';
import { ReadingAhead } from './reading-ahead.js';
import { isStack, PROGRAM, readerOf, type SessionRecord, whoOf } from './record.js';
import { SessionRegistry } from './registry.js';
import { createRest } from './rest.js';
import type { SessionServiceOptions } from './service-options.js';
import { Places, withSecondTry } from './shared-sessions.js';
import type { OpenSessionRequest, PlaneAddress, PlaneForm, PlaneShape, SessionApi } from './types.js';

/** Expired sessions are refused at once; their planes are freed at the latest after this time. */
const SWEEP_MS = 15_000;
/** Time that look-ups get to end when the server stops; one that hangs in the system is not waited for. */
const FAREWELL_MS = 1_000;

/**
 * Opens acquisitions in sessions, hands out their planes, and ends them. Knows nothing about HTTP. Every method throws `AcqError`.
 * Where an API is not given, it is v2. Everything else that clients ask for has services of its own, which use this one: `Sources`,
 * `Overviews`, `Following` and `Surveying`.
 */
export class SessionService {
  readonly options: SessionServiceOptions;
  readonly cache: PlaneCache;
  readonly policy: PathPolicy;
  /** Aborts when the server stops. */
  readonly closing: AbortSignal;
  /** Called when a session has ended. */
  readonly onEnd = new Set<(record: SessionRecord, isExpired: boolean) => void>();
  /** Memory beside planes: what answers hold counts here until they have been sent. */
  readonly memory: Pick<PlaneCache, 'reserve' | 'withScratch' | 'onShortage'>;
  private readonly now: () => number;
  private readonly contents = new Contents();
  private readonly places: Places;
  private readonly registry: SessionRegistry;
  /** What ends the use of files that the server keeps. */
  private readonly uses = new WeakMap<SessionRecord, (isTakenBack: boolean) => void>();
  /** Reads ahead for sessions of several planes that a client has read from. */
  private readonly ahead = new WeakMap<SessionRecord, ReadingAhead>();
  private readonly stop = new AbortController();
  private readonly sweeper: NodeJS.Timeout;
  private readonly rest;

  constructor(options: SessionServiceOptions) {
    const { allowedExtensions, roots, report = () => {} } = options;
    // Node cannot send a larger buffer, even if the operator allows it.
    this.options = { ...options, maxPlaneBytes: Math.min(options.maxPlaneBytes, constants.MAX_LENGTH) };
    // Not the wall clock: setting it back would extend sessions.
    this.now = options.now ?? (() => performance.timeOrigin + performance.now());
    this.cache = new PlaneCache(
      options.arena ?? new PlaneArena(options.memoryBudgetBytes),
      options.memoryPerOwnerBytes,
    );
    this.memory = this.cache;
    this.registry = new SessionRegistry(options, this.now, this.free);
    this.policy = { roots, allowedExtensions, platform: process.platform };
    this.places = new Places(this.policy, this.locate, report);
    const isUnused = () => this.registry.opening === 0 && this.registry.counted.length === 0;
    this.rest = createRest(options, this.cache.arena, isUnused);
    this.closing = this.stop.signal;
    // One listener for each open in progress.
    setMaxListeners(0, this.closing);
    this.sweeper = setInterval(() => this.registry.sweep(), SWEEP_MS).unref();
  }

  /** Opens an acquisition; resolves when every requested plane is in memory. */
  async open(request: OpenSessionRequest): Promise<OpenResponse> {
    if (request.isWarmUp) return this.openUncounted(request);
    checkChoice(request.options);
    if (request.ttlSeconds !== undefined) checkTtl(request.ttlSeconds, this.options);
    const end = this.registry.beginOpen(request.openedBy ?? PROGRAM, request.owner);
    try {
      return await this.openUncounted(request);
    } finally {
      end();
      this.restSoon();
    }
  }

  private openUncounted(request: OpenSessionRequest): Promise<OpenResponse> {
    const { path, options: choice, picked, signal, api = 'v2', isWarmUp = false, use, timing } = request;
    const { ttlSeconds = this.options.sessionTtlSeconds, openedBy = PROGRAM, owner } = request;
    const sessionId = makeId(request.label);
    const askedAt = Date.now();
    const who = whoOf({ id: sessionId, openedBy, owner });
    const policy = confine(this.policy, request);
    return this.withinTime(shownPath(path, policy), signal, async (within) => {
      const { cache, contents } = this;
      const { decoder, gate, allowedExtensions, maxPlaneBytes, store, report } = this.options;
      const asked = { path, policy, isPicked: picked, isFree: hasIdleWorker(decoder), signal: within, who };
      const { located, plan, content, revision, isDecoded, head, ...opened } = await gate.withAcquisition(
        asked,
        (located, watch) =>
          openPlanes({
            ...{ decoder, cache, contents, allowedExtensions, maxPlaneBytes, isShared: store !== undefined, report },
            ...{ sessionId, owner, who, located, choice, watch, timing, isAlone: () => this.registry.opening <= 1 },
          }),
      );
      const description = use ? withoutPath(opened.description) : opened.description;
      const { scene, t, z, planes, reference, projection } = plan;
      const record: SessionRecord = {
        ...{ id: sessionId, api, path: located.path, scene, t, z, planes, reference, revision, description },
        ...{ content: content.id, fingerprints: content.files },
        ...(projection ? { projection } : {}),
        isDecoded,
        isWarmUp,
        openedBy: { kind: openedBy.kind, origin: openedBy.origin },
        ...(owner === undefined ? {} : { owner }),
        ...(head === undefined ? {} : { head }),
        ...(use ? { isUpload: true } : {}),
        ...{ askedAt, openedAt: this.now(), ttlSeconds },
        // Its life begins when the registry has it.
        expiresAt: 0,
      };
      await this.registry.add(record, within);
      if (use) this.uses.set(record, use());
      else if (!isWarmUp) gate.noteOpened(located);
      return toOpenResponse(description, sessionId, revision);
    });
  }

  /**
   * Checks that a regular file is at a path, whatever its name. Does not reveal whether there is one outside the roots.
   * @throws AcqError `path_not_found`, `path_not_allowed`, `path_not_readable`, `request_validation_failed`,
   * `storage_unavailable`
   */
  async checkFile(request: Omit<OpenSessionRequest, 'options'>): Promise<void> {
    const { path, picked, signal, openedBy = PROGRAM, owner } = request;
    const policy = confine(this.policy, request);
    const who = whoOf({ id: '', openedBy, owner });
    await this.withinTime(shownPath(path, policy), signal, (within) =>
      this.options.gate.lookups.run({ kind: 'file', path, policy, isPicked: picked }, within, who),
    );
  }

  /**
   * True for a session of this owner whose file is in the folders of the owner, and for one that does not exist. Asks the
   * store, so that the other methods know the session of another instance: called once for each request.
   * @throws AcqError `session_store_unavailable`
   */
  async belongsTo(sessionId: string, owner: string | undefined, folders?: readonly string[]): Promise<boolean> {
    const record = await this.registry.enter(sessionId);
    if (record === undefined) return true;
    return record.owner === owner && (record.elsewhere === undefined || this.places.allows(record, folders));
  }

  /** Keeps a session from being ended for others, until the returned function is called. */
  hold(sessionId: string): () => void {
    return this.registry.hold(sessionId);
  }

  /** Finds a session for another service. @throws AcqError `session_not_found` */
  find(sessionId: string, api?: SessionApi): SessionRecord {
    return this.registry.find(sessionId, api);
  }

  /** Returns whose work the work of a session is. @throws AcqError `session_not_found` */
  who(sessionId: string, api?: SessionApi): Who {
    return whoOf(this.registry.find(sessionId, api));
  }

  /** Returns the channels of a session in the order of its open request. */
  channelOrder(sessionId: string, api: SessionApi): readonly number[] {
    return this.registry.find(sessionId, api).planes.channelIndices;
  }

  status(sessionId: string) {
    return toStatus(this.registry.find(sessionId), this.now());
  }

  /** Returns the open response of a session again. */
  acquisition(sessionId: string): OpenResponse {
    const { description, revision } = this.registry.find(sessionId);
    return toOpenResponse(description, sessionId, revision);
  }

  /** Restarts the time to live. */
  async renew(sessionId: string) {
    return toStatus(await this.registry.renew(sessionId), this.now());
  }

  async delete(sessionId: string, api?: SessionApi) {
    await this.registry.remove(sessionId, api);
    return { ok: true, sessionId, deleted: true } as const;
  }

  /** True until a session of any API has ended or expired. Does not ask the store. */
  readonly isOpen = (sessionId: string) => this.registry.has(sessionId);

  /** Returns what the service has to do at this moment. */
  load() {
    return toLoad(this.cache, this.registry.counted.length, this.options.decoder.occupancy);
  }

  /** Lists the open sessions of all clients that this instance knows. */
  list() {
    this.registry.sweep();
    return listSessions(this.registry.records, this.cache);
  }

  /** Ends a session of any client. Returns false when it has ended already. */
  endAny(sessionId: string): Promise<boolean> {
    return this.registry.removeAny(sessionId);
  }

  /** Ends a session that no client learns of: an upload that it used can be opened again. */
  async takeBack(sessionId: string): Promise<void> {
    await this.registry.removeAny(sessionId, true);
  }

  /**
   * Returns the shape of a plane without decoding it, and the type that it is sent as.
   * @throws AcqError like `read`, but for errors of the file
   */
  planeShape(address: PlaneAddress, form: PlaneForm = 'served'): PlaneShape {
    return shapeOf(this.registry.find(address.sessionId, address.api), address, form);
  }

  /**
   * Returns a plane like `read`, but only one that is in memory: then nobody waits, and no client needs to be watched.
   * @throws AcqError like `read`, but for errors of the file
   */
  take(address: PlaneAddress, form: PlaneForm): PinnedPlane | undefined {
    const record = this.registry.find(address.sessionId, address.api);
    const { key } = orderOwn(record, address, form, this.options.maxPlaneBytes);
    const plane = this.cache.take(key, readerOf(record));
    const ahead = plane && isStack(record) ? this.aheadOf(record) : undefined;
    ahead?.note(address, form);
    ahead?.start();
    return plane;
  }

  /**
   * Returns a plane, decoded again if it was dropped from memory. It stays valid until the caller releases it, even when
   * the session ends, and counts against the memory budget until then.
   * @param timing learns where the time goes
   * @throws AcqError `session_not_found`, `channel_not_found`, `reference_channel_not_found`, `selection_out_of_range`,
   * `source_changed`, …; `request_validation_failed` when a projection is asked for in the type of the file
   */
  async read(address: PlaneAddress, form: PlaneForm, signal?: AbortSignal, timing?: Timing): Promise<PinnedPlane> {
    const record = this.registry.find(address.sessionId, address.api);
    const order = orderOwn(record, address, form, this.options.maxPlaneBytes);
    const ahead = isStack(record) ? this.aheadOf(record) : undefined;
    ahead?.note(address, form);
    const plane = await this.readOrder(record, order, signal, timing);
    ahead?.start();
    return plane;
  }

  /** Returns a plane that was ordered, like `read`. Claims it before anything is awaited. */
  readOrder(
    record: SessionRecord,
    order: PlaneOrder,
    signal: AbortSignal | undefined,
    timing?: Timing,
  ): Promise<PinnedPlane> {
    const again = (stop: AbortSignal) =>
      this.watched(record, stop, (watch) => decodeAgain(this, record, order, { watch, timing }));
    return this.cache.read(order.key, planeByteLength(order), again, readerOf(record, signal));
  }

  private aheadOf(record: SessionRecord): ReadingAhead {
    const known = this.ahead.get(record);
    if (known) return known;
    const { cache, isOpen } = this;
    const { decoder, maxPlaneBytes } = this.options;
    const decode = (order: PlaneOrder, signal: AbortSignal) =>
      this.watched(record, signal, (watch) => decodeAgain(this, record, order, { watch, isAhead: true }));
    const ahead = new ReadingAhead(record, { cache, decoder, maxPlaneBytes, isOpen, decode });
    this.ahead.set(record, ahead);
    return ahead;
  }

  /** Runs `work` with a file of a session within the time limit of an open, and watches whether the storage answers. */
  watched<T>(record: SessionRecord, signal: AbortSignal | undefined, work: (watch: Watch) => Promise<T>): Promise<T> {
    const { path } = record;
    return this.withinTime(path, signal, async (within) => {
      const run = () => this.options.gate.watch(path, within, work);
      if (record.elsewhere === undefined) return run();
      await this.enterPlace(record, within);
      return withSecondTry(run, within);
    });
  }

  /**
   * Makes sure that the files of a session may be looked at here.
   * @throws AcqError `session_not_found`, `source_changed`, …
   */
  async enter(sessionId: string): Promise<void> {
    const record = this.registry.find(sessionId);
    await this.withinTime(record.path, undefined, (within) => this.enterPlace(record, within));
  }

  /** Finds the file of a session of another instance, if it may be read here. */
  private async enterPlace(record: SessionRecord, within: AbortSignal): Promise<void> {
    if (record.elsewhere === undefined) return;
    await this.registry.shared?.loadFiles(record);
    await this.options.gate.locate(record.path, this.places.policyOf(record), false, within, whoOf(record));
  }

  private readonly locate = (record: SessionRecord, policy: PathPolicy) =>
    this.withinTime(record.path, undefined, (within) =>
      this.options.gate.locate(record.path, policy, false, within, whoOf(record)),
    );

  /** Finds out whether a session has ended; see `SessionRegistry.check`. */
  check(record: SessionRecord, mayAsk: boolean): Promise<void> {
    return this.registry.check(record, mayAsk);
  }

  /** Puts off what nobody waits for: a client has asked for something, or has got it. */
  noteClient(): void {
    this.options.decoder.noteClient?.();
  }

  /** Gives memory back after a while, unless a client has something open by then. */
  restSoon(): void {
    this.rest.begin('client');
  }

  /**
   * Resolves when files can be opened.
   * @throws AcqError `capacity_exceeded`, `internal_error` when nothing can be decoded
   */
  ready(): Promise<void> {
    return this.options.decoder.ready();
  }

  /**
   * Ends every session and stops all decoding, workers included.
   * @returns whether every thread has ended: a thread stuck in a system call has not, and keeps the process alive
   */
  async close(): Promise<boolean> {
    clearInterval(this.sweeper);
    this.rest.stop();
    this.stop.abort(new AcqError('capacity_exceeded', 'The server is stopping.'));
    await this.registry.close();
    const { decoder, gate } = this.options;
    const ended = await Promise.all([decoder.close(), gate.close(FAREWELL_MS)]);
    this.cache.arena.close();
    return ended.every(Boolean);
  }

  private async withinTime<T>(
    path: string,
    signal: AbortSignal | undefined,
    work: (within: AbortSignal) => Promise<T>,
  ) {
    const seconds = this.options.openTimeoutSeconds;
    const { signal: within, abort, unlink } = linkSignals([signal, this.closing]);
    const timer = setTimeout(() => abort(tookTooLong(basename(path), seconds)), seconds * 1000);
    try {
      within.throwIfAborted();
      return await work(within);
    } finally {
      clearTimeout(timer);
      unlink();
    }
  }

  private readonly free = (record: SessionRecord, isTakenBack: boolean): void => {
    this.uses.get(record)?.(isTakenBack);
    for (const tell of this.onEnd) tell(record, this.now() >= record.expiresAt);
    this.ahead.get(record)?.end();
    this.ahead.delete(record);
    this.cache.drop(record.id);
    const isUnused = this.contents.leave(record.content) || record.elsewhere !== undefined;
    if (isUnused) this.options.decoder.letGo(record.content);
    this.rest.begin(record.isWarmUp ? 'warm-up' : 'client');
  };
}
