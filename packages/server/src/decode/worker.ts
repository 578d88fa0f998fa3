/** The decode worker: opens one acquisition at a time and reads its planes. */
import { basename } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { readProjection } from '@acquisition-store/readers/derive/projection.js';
import type { Acquisition } from '@acquisition-store/readers/model/acquisition.js';
import { readPlaneTable } from '@acquisition-store/readers/model/metadata/plane-table.js';
import { BlockTarget } from '@acquisition-store/readers/model/samples/block-target.js';
import {
  createScratch,
  NativeTarget,
  type PlaneTarget,
} from '@acquisition-store/readers/model/samples/plane-target.js';
import { type SceneView, selectScene, viewScene } from '@acquisition-store/readers/model/selection.js';
import { collectGarbage } from '../collect-garbage.js';
import { type OpenedAcquisition, openAt } from '../open.js';
import { packagedFolder } from '../package-files.js';
import { type Located, locateWithin } from '../paths/locate.js';
import { Crossing } from '../paths/look.js';
import { exhaustionError } from '../platform-node/exhaustion.js';
import { checkUnchanged, describeChanges, type Fingerprint } from '../platform-node/file-source.js';
import { BlockFeed, everyNth } from './block-feed.js';
import { headDigest } from './head-digest.js';
import { putLevels } from './levels.js';
import { readMetadata, readOverview, surveyFile } from './other-answers.js';
import { lowerThreadPriority } from './priority.js';
import type { Answers, Call, CallRequest, Reply, Request, SentBlock, WorkerSetup } from './protocol.js';
import { reopenAll } from './reopen.js';
import type { FileState, OpenedFile, OpenFile, PlaneRequest } from './types.js';
import { prepare, warmUp } from './warm-up.js';

class DecodeSession {
  /** The path opened last. */
  located: Located | undefined;
  private opened: OpenedAcquisition | undefined;
  private readonly scratch = createScratch();

  get isOpen(): boolean {
    return this.opened !== undefined;
  }

  /** @param feed the memory of a plane */
  async answer(call: Call, feed: BlockFeed | undefined): Promise<Answers[Call['kind']]> {
    switch (call.kind) {
      case 'open':
        return this.open(call.file);
      case 'view':
        return this.view(call.scene);
      case 'info':
        return this.acquisition.info;
      case 'survey':
        this.located = { path: call.file.located.path };
        return surveyFile(call.file);
      case 'metadata':
        return readMetadata(this.acquisition, call.scene);
      case 'planes':
        return readPlaneTable(this.acquisition, call.scene, call.part);
      case 'plane':
        await this.plane(call.plane, feed);
        return call.isLast ? this.close() : undefined;
      case 'overview':
        return readOverview(this.acquisition, call.plane, call.grid);
      case 'check':
        return this.check(call.further);
      case 'close':
        return this.close(call.further);
      case 'rest':
        await collectGarbage();
        return undefined;
    }
  }

  private async open({
    located,
    selection,
    scene,
    interpret,
    parts,
    allowedExtensions,
    expected,
    head,
  }: OpenFile): Promise<OpenedFile> {
    this.close();
    this.located = { path: located.path };
    const found = 'policy' in located ? locateWithin(located) : located;
    this.located = found;
    const isReopened = expected !== undefined && parts === 'all' && scene !== undefined;
    if (expected && !isReopened) checkUnchanged(expected);
    const open = () => openAt(found, { allowedExtensions, interpret, parts, isKnown: scene !== undefined });
    const opened = isReopened ? await reopenAll(open, expected) : await open();
    this.opened = opened;
    const digest = head === undefined ? undefined : headDigest(found.path);
    if (head && head !== digest) throw new AcqError('source_changed', `${basename(found.path)} has another content`);
    if (scene !== undefined) return this.view(scene);
    // Only a first open describes the acquisition.
    const view = selectScene(opened.acquisition.info, selection);
    return {
      ...toOpenedFile(opened, found, view, opened.size()),
      interpret,
      parts: parts === 'all' ? parts : undefined,
      ...(digest === undefined ? {} : { head: digest }),
    };
  }

  private view(scene: number): OpenedFile {
    if (!this.opened || !this.located) throw new Error('no acquisition is open');
    const { info } = this.opened.acquisition;
    if (!info.scenes[scene]) throw new AcqError('source_changed', `scene ${scene} is no longer in the file`);
    return toOpenedFile(this.opened, this.located, viewScene(info, scene));
  }

  private async plane(request: PlaneRequest, feed: BlockFeed | undefined): Promise<void> {
    if (!feed) throw new Error('a plane was requested without memory');
    const { acquisition } = this;
    const scene = acquisition.info.scenes[request.scene];
    if (!scene) throw new Error(`no scene ${request.scene}`);
    const image = request.kind === 'channel' ? scene : scene.reference;
    if (!image) throw new Error(`scene ${request.scene} has no reference`);
    const { Y: rows, X: columns } = image.sizes;
    feed.sampleType = request.type;
    if (request.levels) {
      const plane = new NativeTarget(image.sampleType, rows, columns);
      await read(acquisition, request, plane);
      putLevels(plane, feed);
      return;
    }
    const band = (request.kind === 'channel' ? request.band : undefined) ?? { first: 0, count: rows };
    if (request.kind === 'channel' && request.together) {
      const { together } = request;
      if (!acquisition.readChannels) throw new Error('the format does not read channels together');
      // The memory has blocks of the channels in turns.
      const blocks = together.map((_, i) => everyNth(feed, i, together.length));
      const targets = blocks.map((source) => new BlockTarget({ rows, columns, band }, source, this.scratch));
      await acquisition.readChannels(request, together, targets);
      for (const target of targets) target.finish();
      return;
    }
    // Rows that the reader does not fill never show samples of another file: the target zeroes them.
    const target = new BlockTarget({ rows, columns, band }, feed, this.scratch);
    await read(acquisition, request, target);
    target.finish();
  }

  private get acquisition(): Acquisition {
    if (!this.opened) throw new Error('no acquisition is open');
    return this.opened.acquisition;
  }

  private check(further: readonly Fingerprint[] = []): FileState {
    const fingerprints = this.opened?.fingerprints() ?? [];
    const changes = this.opened?.changes() ?? [];
    return { fingerprints, changes: [...changes, ...describeChanges(further)] };
  }

  private close(further?: readonly Fingerprint[]): FileState {
    this.opened?.close();
    const state = this.check(further);
    this.opened = undefined;
    return state;
  }
}

/** @throws AcqError `unsupported_format` when the planes of the scene cannot be decoded */
function toOpenedFile(opened: OpenedAcquisition, located: Located, view: SceneView, size?: number): OpenedFile {
  const { acquisition } = opened;
  const { sceneIndex } = view;
  acquisition.checkScene?.(sceneIndex);
  const fingerprints = opened.fingerprints();
  return {
    located,
    size,
    filesSize: fingerprints.reduce((sum, file) => sum + file.size, 0),
    fingerprints,
    isWhole: opened.isWhole(),
    bands: acquisition.bands?.(sceneIndex) ?? 1,
    interleaved: acquisition.interleaved?.(sceneIndex) ?? false,
    readsOnce: acquisition.readsOnce?.(sceneIndex) ?? false,
    scratchBytes: acquisition.scratchBytes?.(sceneIndex) ?? 0,
    view,
  };
}

async function read(acquisition: Acquisition, request: PlaneRequest, target: PlaneTarget): Promise<void> {
  if (request.kind === 'reference') await acquisition.readReference?.(request.scene, request.channel, target);
  else if (request.projection) await readProjection(acquisition, request, request.projection, target);
  else await acquisition.readPlane(request, target);
}

const INTERNAL = { code: 'internal_error', message: 'unexpected error in a decode worker', details: null } as const;

/** Passes an `AcqError` on; any other error goes with its stack, which stays in the log. */
function toFailure(thrown: unknown, path: string | undefined) {
  if (thrown instanceof AcqError) return { error: thrown.toRecord() };
  if (thrown instanceof Crossing) return { error: INTERNAL, crossing: thrown.storage };
  const exhausted = exhaustionError(`${path === undefined ? 'The file' : basename(path)} cannot be read`, thrown);
  if (exhausted) return { error: exhausted.toRecord(), unusable: true };
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { error: INTERNAL, stack };
}

/** Until then the start of the server, or a first open, needs the processor more. */
const WARM_UP_AFTER_MS = 3_000;
/** Pause between two pieces of the warm-up, in which requests are answered. */
const WARM_UP_PAUSE_MS = 2;
/** A client that asked for something within this time may ask for the next thing, and another worker gets it. */
const QUIET_MS = 250;

/** @throws the reason of the signal, when it aborts */
async function warmUpWhenIdle(signal: AbortSignal): Promise<void> {
  const folder = packagedFolder('warm-up');
  if (setup.isFirst) {
    await prepare(folder, async () => {
      await setImmediate();
      while (isBusy()) await setTimeout(pauseMs());
      signal.throwIfAborted();
    });
  }
  await setTimeout(WARM_UP_AFTER_MS, undefined, { signal });
  await warmUp(folder, async () => {
    do await setTimeout(pauseMs());
    while (isBusy());
    signal.throwIfAborted();
  });
}

/** Milliseconds until no client has asked for a moment; 0 when none has. */
const quietIn = () => Math.min(QUIET_MS, Math.max(0, askedAt[0]! + QUIET_MS - Date.now()));
/** A worker that looked every 2 ms whether the client has gone would take some of its processor. */
const pauseMs = () => Math.max(WARM_UP_PAUSE_MS, quietIn());
const isBusy = () => answering > 0 || session.isOpen || quietIn() > 0;

const port = parentPort;
if (!port) throw new Error('the decode worker runs as a worker thread');
const session = new DecodeSession();
const setup = workerData as WorkerSetup;
const bell = new Int32Array(setup.bell);
const askedAt = new Float64Array(setup.askedAt);
let feed: BlockFeed | undefined;
/** Calls in progress. */
let answering = 0;

/** Answers a call. Every block that the call still has goes back with the answer. */
async function answer({ id, memory, ...call }: CallRequest): Promise<void> {
  feed = memory && new BlockFeed(id, memory, port!, bell);
  answering++;
  try {
    const value = await session.answer(call, feed);
    const blocks = feed?.rest() ?? [];
    const transfer = value instanceof Float32Array ? [value.buffer] : toTransfer(blocks);
    port!.postMessage({ kind: 'done', id, value, blocks } satisfies Reply, transfer);
  } catch (thrown) {
    const blocks = feed?.rest() ?? [];
    port!.postMessage(
      { kind: 'failed', id, ...toFailure(thrown, session.located?.path), blocks } satisfies Reply,
      toTransfer(blocks),
    );
  }
  feed = undefined;
  answering--;
}

const toTransfer = (blocks: readonly SentBlock[]) => blocks.map(({ memory }) => memory);

function take({ id, block }: Extract<Request, { kind: 'block' }>): void {
  if (feed?.id === id) feed.add(block);
  // It was on its way when the call failed.
  else port!.postMessage({ kind: 'block', id, block } satisfies Reply, [block.memory]);
}

const cold = new AbortController();

port.on('message', (request: Request) => {
  if (request.kind === 'block') take(request);
  else if (request.kind === 'stay cold') cold.abort();
  else void answer(request);
});
lowerThreadPriority();
port.postMessage({ kind: 'ready' } satisfies Reply);
warmUpWhenIdle(cold.signal).catch((error: unknown) => {
  if (!cold.signal.aborted) throw error;
});
