import { constants } from 'node:buffer';
import { setMaxListeners } from 'node:events';
import { basename } from 'node:path';
import { checkChoice, toOpenResponse } from '@acquisition-store/client/answers/describe.js';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import type { DeleteResult, SessionStatus } from '@acquisition-store/client/contract/session.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { OverviewGrid } from '@acquisition-store/readers/derive/analysis/overview.js';
import type { AcquisitionInfo } from '@acquisition-store/readers/model/acquisition.js';
import type { PlaneTable, TablePart } from '@acquisition-store/readers/model/metadata/plane-table.js';
import { planeByteLength } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { Who } from '../fair-line.js';
import { makeId } from '../labelled-id.js';
import type { Load } from '../metrics.js';
import { confine, type PathPolicy, shownPath } from '../paths/policy.js';
import { type PinnedPlane, PlaneCache } from '../planes/plane-cache.js';
import { PlaneArena } from '../planes/plane-memory.js';
import type { Watch } from '../storage/gate.js';
import { linkSignals } from '../waiting.js';
import { tookTooLong, toStatus, withoutPath } from './answers.js';
import { Contents } from './contents.js';
import { decodeAgain } from './decode-again.js';
import { holdOverview, isFar, isWholeOverview, keepOverview, overviewKey, readOverview } from './far-overview.js';
import { Following } from './following.js';
import { checkTtl } from './limits.js';
import { listSessions, toLoad } from './listing.js';
import { type OpenContext, openPlanes } from './opening.js';
import { orderOwn, orderSource, type PlaneOrder, shapeOf } from './plane-order.js';
import { readInfo, readMetadata, readPlaneTable } from './read-facts.js';
import { ReadingAhead } from './reading-ahead.js';
import { isStack, PROGRAM, readerOf, type SessionRecord, whoOf } from './record.js';
import { reducePlane } from './reduced-plane.js';
import { SessionRegistry } from './registry.js';
import { Rest } from './rest.js';
import type { SessionServiceOptions } from './service-options.js';
import { Places, withSecondTry } from './shared-sessions.js';
import { createSurveying } from './surveying.js';
import type {
  Follower,
  OpenSessionRequest,
  PlaneAddress,
  PlaneForm,
  PlaneShape,
  ReadOptions,
  SessionApi,
  SessionList,
  SessionService,
} from './types.js';

/** Expired sessions are refused at once; their planes are freed at the latest after this time. */
const SWEEP_MS = 15_000;
/** Time that look-ups get to end when the server stops; one that hangs in the system is not waited for. */
const FAREWELL_MS = 1_000;

export function createSessionService(options: SessionServiceOptions): SessionService {
  return new Sessions(options);
}

class Sessions implements SessionService {
  private readonly options: SessionServiceOptions;
  private readonly now: () => number;
  private readonly cache: PlaneCache;
  readonly memory: SessionService['memory'];
  private readonly contents = new Contents();
  private readonly context: OpenContext;
  private readonly policy: PathPolicy;
  private readonly places: Places;
  private readonly registry: SessionRegistry;
  /** Nobody before somebody follows a session. */
  private following: Following | undefined;
  private readonly ahead: ReadingAhead;
  private readonly infos = new WeakMap<SessionRecord, Promise<AcquisitionInfo>>();
  private readonly closing = new AbortController();
  private readonly sweeper: NodeJS.Timeout;
  private readonly rest: Rest;
  readonly survey: SessionService['survey'];

  constructor(options: SessionServiceOptions) {
    const { decoder, allowedExtensions, roots } = options;
    // Node cannot send a larger buffer, even if the operator allows it.
    const maxPlaneBytes = Math.min(options.maxPlaneBytes, constants.MAX_LENGTH);
    this.options = { ...options, maxPlaneBytes };
    // Not the wall clock: setting it back would extend sessions.
    this.now = options.now ?? (() => performance.timeOrigin + performance.now());
    this.cache = new PlaneCache(
      options.arena ?? new PlaneArena(options.memoryBudgetBytes),
      options.memoryPerOwnerBytes,
    );
    this.memory = this.cache;
    const report = options.report ?? (() => {});
    this.registry = new SessionRegistry(options, this.now, this.free);
    const planes = { cache: this.cache, contents: this.contents, allowedExtensions, maxPlaneBytes };
    const isShared = options.store !== undefined;
    this.context = { decoder, ...planes, isShared, opening: () => this.registry.opening, report };
    const decode = (record: SessionRecord, order: PlaneOrder, signal: AbortSignal) =>
      this.watched(record, signal, (watch) => decodeAgain(this.context, record, order, { watch, isAhead: true }));
    const occupancy = () => decoder.occupancy;
    this.ahead = new ReadingAhead({ cache: this.cache, maxPlaneBytes, occupancy, isOpen: this.isOpen, decode });
    this.policy = { roots, allowedExtensions, platform: process.platform };
    this.places = new Places(this.policy, this.locate, report);
    const isUnused = () => this.registry.opening === 0 && this.registry.counted.length === 0;
    this.rest = new Rest(options, this.cache.arena, isUnused);
    const onEnd = () => this.rest.begin('client');
    this.survey = createSurveying({ ...options, policy: this.policy, closing: this.closing.signal, onEnd });
    // One listener for each open in progress.
    setMaxListeners(0, this.closing.signal);
    this.sweeper = setInterval(() => this.registry.sweep(), SWEEP_MS).unref();
  }

  async open(request: OpenSessionRequest): Promise<OpenResponse> {
    if (request.isWarmUp) return this.openUncounted(request);
    checkChoice(request.options);
    if (request.ttlSeconds !== undefined) checkTtl(request.ttlSeconds, this.options);
    const end = this.registry.beginOpen(request.openedBy ?? PROGRAM, request.owner);
    try {
      return await this.openUncounted(request);
    } finally {
      end();
      this.rest.begin('client');
    }
  }

  private openUncounted(request: OpenSessionRequest): Promise<OpenResponse> {
    const { path, options: choice, picked, signal, api = 'v2', isWarmUp = false, use } = request;
    const { ttlSeconds = this.options.sessionTtlSeconds, openedBy = PROGRAM, owner } = request;
    const sessionId = makeId(request.label);
    const askedAt = Date.now();
    const who = whoOf({ id: sessionId, openedBy, owner });
    const policy = confine(this.policy, request);
    return this.withinTime(shownPath(path, policy), signal, async (within) => {
      // A worker that is busy must not keep somebody from learning that there is no such file.
      const isFree = (this.options.decoder.occupancy?.idle ?? 0) > 0;
      const asked = { path, policy, isPicked: picked, isFree, signal: within, who };
      const { located, plan, content, revision, isDecoded, head, ...opened } = await this.options.gate.withAcquisition(
        asked,
        (located, watch) =>
          openPlanes(this.context, { sessionId, owner, who, located, choice, watch, timing: request.timing }),
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
        ...{ askedAt, openedAt: this.now() },
        ttlSeconds,
        expiresAt: this.now() + ttlSeconds * 1000,
      };
      await this.registry.add(record, within);
      if (use) this.registry.onEndOf(sessionId, use());
      else if (!isWarmUp) this.options.gate.noteOpened(located);
      return toOpenResponse(description, sessionId, revision);
    });
  }

  async checkFile(request: Parameters<SessionService['checkFile']>[0]): Promise<void> {
    const { path, picked, signal, openedBy = PROGRAM, owner } = request;
    const policy = confine(this.policy, request);
    const who = whoOf({ id: '', openedBy, owner });
    const check = (within: AbortSignal) =>
      this.options.gate.lookups.run({ kind: 'file', path, policy, isPicked: picked }, within, who);
    await this.withinTime(shownPath(path, policy), signal, check);
  }

  async belongsTo(sessionId: string, owner: string | undefined, folders?: readonly string[]): Promise<boolean> {
    const record = await this.registry.enter(sessionId);
    if (record === undefined) return true;
    return record.owner === owner && (record.elsewhere === undefined || this.places.allows(record, folders));
  }

  readonly hold = (sessionId: string) => this.registry.hold(sessionId);

  who(sessionId: string, api?: SessionApi): Who {
    return whoOf(this.registry.find(sessionId, api));
  }

  channelOrder(sessionId: string, api: SessionApi): readonly number[] {
    return this.registry.find(sessionId, api).planes.channelIndices;
  }

  status(sessionId: string): SessionStatus {
    return toStatus(this.registry.find(sessionId), this.now());
  }

  acquisition(sessionId: string): OpenResponse {
    const { description, revision } = this.registry.find(sessionId);
    return toOpenResponse(description, sessionId, revision);
  }

  async acquisitionWithMetadata(sessionId: string, signal?: AbortSignal): Promise<OpenResponse> {
    const record = this.registry.find(sessionId);
    const metadata = await this.watched(record, signal, (watch) => readMetadata(this.context, record, watch));
    const response = this.acquisition(sessionId);
    return { ...response, source: { ...response.source, metadata } };
  }

  planeTable(sessionId: string, part: TablePart, signal?: AbortSignal): Promise<PlaneTable> {
    const record = this.registry.find(sessionId);
    return this.watched(record, signal, (watch) => readPlaneTable(this.context, record, part, watch));
  }

  async renew(sessionId: string): Promise<SessionStatus> {
    return toStatus(await this.registry.renew(sessionId), this.now());
  }

  async delete(sessionId: string, api?: SessionApi): Promise<DeleteResult> {
    await this.registry.remove(sessionId, api);
    return { ok: true, sessionId, deleted: true };
  }

  async follow(sessionId: string, follower: Follower): Promise<() => void> {
    const record = this.registry.find(sessionId);
    await this.withinTime(record.path, undefined, (within) => this.enterPlace(record, within));
    // It may have ended meanwhile.
    return this.followed().follow(this.registry.find(sessionId), follower);
  }

  load(): Load {
    const followers = this.following?.size ?? 0;
    return toLoad(this.cache, this.registry.counted.length, followers, this.options.decoder.occupancy);
  }

  readonly isOpen = (sessionId: string) => this.registry.has(sessionId);

  list(): SessionList {
    this.registry.sweep();
    return listSessions(this.registry.records, this.cache);
  }

  endAny(sessionId: string): Promise<boolean> {
    return this.registry.removeAny(sessionId);
  }

  async takeBack(sessionId: string): Promise<void> {
    await this.registry.removeAny(sessionId, true);
  }

  planeShape(address: PlaneAddress, form: 'served' | 'native' = 'served'): PlaneShape {
    return shapeOf(this.registry.find(address.sessionId, address.api), address, form);
  }

  async farOverview(address: PlaneAddress, grid: OverviewGrid, signal?: AbortSignal): Promise<PinnedPlane | undefined> {
    const record = this.registry.find(address.sessionId, address.api);
    const order = this.orderServed(record, address);
    const { key } = order;
    if (!isFar(order) || record.projection) return undefined;
    const isWhole = isWholeOverview(grid, order);
    // The plane may have come since, for its statistics.
    const isKept = isWhole && this.cache.holds(overviewKey(key, grid));
    if (this.cache.holds(key) && !isKept) return undefined;
    const read = (stop: AbortSignal | undefined) =>
      this.watched(record, stop, (watch) => readOverview(this.context, record, { order, grid }, watch));
    return isWhole
      ? keepOverview(this.cache, { key, grid, read }, readerOf(record, signal))
      : holdOverview(this.cache, grid, record.owner, () => read(signal));
  }

  async read(address: PlaneAddress, form: PlaneForm, { signal, timing }: ReadOptions = {}): Promise<PinnedPlane> {
    const record = this.registry.find(address.sessionId, address.api);
    const reader = readerOf(record, signal);
    if (typeof form === 'object') {
      const source = this.orderServed(record, address);
      const read = (stop: AbortSignal) => this.read(address, 'served', { signal: stop });
      return reducePlane(this.cache, { plane: source, read, reduction: form }, reader);
    }
    const order =
      address.scene === undefined && form !== 'levels'
        ? orderOwn(record, address, form, this.options.maxPlaneBytes)
        : orderSource(record, await this.infoOf(record), address, form, this.options.maxPlaneBytes);
    // It may have ended meanwhile; nobody would remove the plane. From here on, nothing is awaited before it is claimed.
    this.registry.find(address.sessionId, address.api);
    if (isStack(record)) this.ahead.note(record, address, form);
    const again = (stop: AbortSignal) =>
      this.watched(record, stop, (watch) => decodeAgain(this.context, record, order, { watch, timing }));
    const plane = await this.cache.read(order.key, planeByteLength(order), again, reader);
    if (isStack(record)) this.ahead.start(record);
    return plane;
  }

  acquisitionInfo(sessionId: string): Promise<AcquisitionInfo> {
    return this.infoOf(this.registry.find(sessionId));
  }

  private orderServed(record: SessionRecord, address: PlaneAddress): PlaneOrder {
    return orderOwn(record, address, 'served', this.options.maxPlaneBytes);
  }

  private infoOf(record: SessionRecord): Promise<AcquisitionInfo> {
    const known = this.infos.get(record);
    if (known !== undefined) return known;
    const info = this.watched(record, undefined, (watch) => readInfo(this.context, record, watch));
    this.infos.set(record, info);
    info.catch(() => this.infos.delete(record));
    return info;
  }

  /** Runs `work` within the time limit of an open, and watches whether the storage answers. */
  private watched<T>(
    record: SessionRecord,
    signal: AbortSignal | undefined,
    work: (watch: Watch) => Promise<T>,
  ): Promise<T> {
    const { path } = record;
    return this.withinTime(path, signal, async (within) => {
      const run = () => this.options.gate.watch(path, within, work);
      if (record.elsewhere === undefined) return run();
      await this.enterPlace(record, within);
      return withSecondTry(run, within);
    });
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

  private followed(): Following {
    this.following ??= new Following({
      look: (request, record) =>
        this.options.gate.lookups.run({ kind: 'watch', ...request }, this.closing.signal, whoOf(record)),
      check: (record, mayAsk) => this.registry.check(record, mayAsk),
    });
    return this.following;
  }

  readonly stopFollowing = () => this.followed().stop();

  readonly noteClient = () => this.options.decoder.noteClient?.();

  readonly ready = () => this.options.decoder.ready();

  async close(): Promise<boolean> {
    clearInterval(this.sweeper);
    this.rest.stop();
    this.stopFollowing();
    this.closing.abort(new AcqError('capacity_exceeded', 'The server is stopping.'));
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
    const { signal: within, abort, unlink } = linkSignals([signal, this.closing.signal]);
    const timer = setTimeout(() => abort(tookTooLong(basename(path), seconds)), seconds * 1000);
    try {
      within.throwIfAborted();
      return await work(within);
    } finally {
      clearTimeout(timer);
      unlink();
    }
  }

  private readonly free = (record: SessionRecord): void => {
    this.following?.end(record, this.now() >= record.expiresAt ? 'expired' : 'deleted');
    if (isStack(record)) this.ahead.end(record);
    this.cache.drop(record.id);
    const isUnused = this.contents.leave(record.content) || record.elsewhere !== undefined;
    if (isUnused) this.options.decoder.letGo(record.content);
    this.rest.begin(record.isWarmUp ? 'warm-up' : 'client');
  };
}
