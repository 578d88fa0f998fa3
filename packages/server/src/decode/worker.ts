/** The decode worker: opens one acquisition at a time and reads its planes. */
import { basename } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { readProjection } from '@acquisition-store/readers/derive/projection.js';
import { BlockTarget } from '@acquisition-store/readers/model/samples/block-target.js';
import { createScratch, NativeTarget } from '@acquisition-store/readers/model/samples/plane-target.js';
import { type SceneView, selectScene, viewScene } from '@acquisition-store/readers/model/selection.js';
import { collectGarbage } from '../collect-garbage.js';
import { type OpenedAcquisition, openAt } from '../open.js';
import { packagedFolder } from '../package-files.js';
import { type Located, locateWithin } from '../paths/locate.js';
import { Crossing } from '../paths/look.js';
import { exhaustionError } from '../platform-node/exhaustion.js';
import { checkUnchanged, describeChanges, type Fingerprint } from '../platform-node/file-source.js';
import { BlockFeed } from './block-feed.js';
import { headDigest } from './head-digest.js';
import { putLevels } from './levels.js';
import { readFacts, surveyFile } from './other-answers.js';
import { lowerThreadPriority } from './priority.js';
import type { Reply, Request, SentBlock } from './protocol.js';
import { reopenAll } from './reopen.js';
import { readSetup } from './setup.js';
import { readTogether } from './together.js';
import type { OpenedFile, OpenFile, PlaneRequest } from './types.js';
import { prepare, warmUp } from './warm-up.js';

const { port, bell, askedAt, isFirst } = readSetup();
/** The path opened last. */
let located: Located | undefined;
let opened: OpenedAcquisition | undefined;
const scratch = createScratch();
/** The memory of the plane that is read. */
let feed: BlockFeed | undefined;
/** Calls in progress. */
let answering = 0;

/** Does what a call asks for, and returns its answer. */
async function run(call: Extract<Request, { given: unknown }>) {
  switch (call.kind) {
    case 'open':
      return open(call.given);
    case 'view':
      return view(call.given);
    case 'plane':
      await readPlane(call.given.plane);
      return call.given.isLast ? close() : undefined;
    case 'check':
      return check(call.given);
    case 'close':
      return close(call.given);
    case 'survey':
      located = { path: call.given.located.path };
      return surveyFile(call.given);
    case 'release':
      return release();
    case 'rest':
      await collectGarbage();
      return undefined;
    default:
      return readFacts(inUse().acquisition, call);
  }
}

async function open(file: OpenFile): Promise<OpenedFile> {
  const { selection, scene, interpret, parts, allowedExtensions, expected, head } = file;
  release();
  located = { path: file.located.path };
  const found = 'policy' in file.located ? locateWithin(file.located) : file.located;
  located = found;
  const isReopened = expected !== undefined && parts === 'all' && scene !== undefined;
  if (expected && !isReopened) checkUnchanged(expected);
  const openFound = () => openAt(found, { allowedExtensions, interpret, parts, isKnown: scene !== undefined });
  opened = isReopened ? await reopenAll(openFound, expected) : await openFound();
  const digest = head === undefined ? undefined : headDigest(found.path);
  if (head && head !== digest) throw new AcqError('source_changed', `${basename(found.path)} has another content`);
  if (scene !== undefined) return view(scene);
  // Only a first open describes the acquisition.
  const chosen = selectScene(opened.acquisition.info, selection);
  return {
    ...describeOpened(chosen, opened.size()),
    interpret,
    parts: parts === 'all' ? parts : undefined,
    ...(digest === undefined ? {} : { head: digest }),
  };
}

/** @throws Error when nothing is open */
function inUse(): OpenedAcquisition {
  if (!opened) throw new Error('no acquisition is open');
  return opened;
}

function view(scene: number): OpenedFile {
  const { info } = inUse().acquisition;
  if (!info.scenes[scene]) throw new AcqError('source_changed', `the file no longer has scene ${scene}`);
  return describeOpened(viewScene(info, scene));
}

/** @throws AcqError `unsupported_format` when the planes of the scene cannot be decoded */
function describeOpened(view: SceneView, size?: number): OpenedFile {
  const { acquisition, fingerprints, isWhole } = inUse();
  const { sceneIndex } = view;
  acquisition.checkScene?.(sceneIndex);
  const files = fingerprints();
  return {
    located: located!,
    size,
    filesSize: files.reduce((sum, file) => sum + file.size, 0),
    fingerprints: files,
    isWhole: isWhole(),
    bands: acquisition.bands?.(sceneIndex) ?? 1,
    interleaved: acquisition.interleaved?.(sceneIndex) ?? false,
    readsOnce: acquisition.readsOnce?.(sceneIndex) ?? false,
    scratchBytes: acquisition.scratchBytes?.(sceneIndex) ?? 0,
    view,
  };
}

/** Reads a plane into the memory that came with the call. */
async function readPlane(request: PlaneRequest): Promise<void> {
  const blocks = feed;
  if (!blocks) throw new Error('a plane was requested without memory');
  const { acquisition } = inUse();
  const scene = acquisition.info.scenes[request.scene];
  if (!scene) throw new Error(`no scene ${request.scene}`);
  const image = request.kind === 'channel' ? scene : scene.reference;
  if (!image) throw new Error(`scene ${request.scene} has no reference`);
  const { Y: rows, X: columns } = image.sizes;
  blocks.sampleType = request.type;
  const band = (request.kind === 'channel' ? request.band : undefined) ?? { first: 0, count: rows };
  if (request.kind === 'channel' && request.together) {
    const { together } = request;
    await readTogether(acquisition, { ...request, together }, { rows, columns, band }, blocks, scratch);
    return;
  }
  // Rows that the reader does not fill never show samples of another file: the target zeroes them.
  const target = request.levels
    ? new NativeTarget(image.sampleType, rows, columns)
    : new BlockTarget({ rows, columns, band }, blocks, scratch);
  if (request.kind === 'reference') await acquisition.readReference?.(request.scene, request.channel, target);
  else if (request.projection) await readProjection(acquisition, request, request.projection, target);
  else await acquisition.readPlane(request, target);
  if (target instanceof NativeTarget) putLevels(target, blocks);
  else target.finish();
}

/** @throws AcqError `source_changed` */
function check(further: readonly Fingerprint[] = []): Fingerprint[] {
  const changes = [...(opened?.changes() ?? []), ...describeChanges(further)];
  if (changes.length > 0) throw new AcqError('source_changed', changes.join('; '));
  return opened?.fingerprints() ?? [];
}

/** @throws AcqError `source_changed` */
function close(further?: readonly Fingerprint[]): Fingerprint[] {
  opened?.close();
  try {
    return check(further);
  } finally {
    opened = undefined;
  }
}

function release(): undefined {
  opened?.close();
  opened = undefined;
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

/** Answers a call. Every block that the call still has goes back with the answer. */
async function answer(call: Extract<Request, { given: unknown }>): Promise<void> {
  const { id, memory } = call;
  feed = memory && new BlockFeed(bell, id, memory);
  answering++;
  try {
    const value = await run(call);
    const blocks = feed?.rest() ?? [];
    const transfer = value instanceof Float32Array ? [value.buffer] : toTransfer(blocks);
    port.postMessage({ kind: 'done', id, value, blocks } satisfies Reply, transfer);
  } catch (thrown) {
    const blocks = feed?.rest() ?? [];
    const failure = toFailure(thrown, located?.path);
    port.postMessage({ kind: 'failed', id, ...failure, blocks } satisfies Reply, toTransfer(blocks));
  }
  feed = undefined;
  answering--;
}

const toTransfer = (blocks: readonly SentBlock[]) => blocks.map(({ memory }) => memory);

function take(id: number, block: SentBlock): void {
  if (feed?.id === id) feed.add(block);
  // It was on its way when the call failed.
  else port.postMessage({ kind: 'block', id, block } satisfies Reply, [block.memory]);
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
  if (isFirst) {
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
const isBusy = () => answering > 0 || opened !== undefined || quietIn() > 0;

const cold = new AbortController();

port.on('message', (request: Request) => {
  if (request.kind === 'block') take(request.id, request.block);
  else if (request.kind === 'stay cold') cold.abort();
  else void answer(request);
});
lowerThreadPriority();
port.postMessage({ kind: 'ready' } satisfies Reply);
warmUpWhenIdle(cold.signal).catch((error: unknown) => {
  if (!cold.signal.aborted) throw error;
});
