/** The decode worker: opens one acquisition at a time and reads its planes as float32. */
import { basename } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { AcqError } from '../errors.js';
import { FORMATS } from '../formats/index.js';
import { exhaustionError } from '../io/exhaustion.js';
import { type OpenedAcquisition, openAt } from '../open.js';
import { Float32BandTarget, Float32Target, type PlaneTarget } from '../samples/plane-target.js';
import { selectScene, viewScene } from '../selection.js';
import { describeChanges } from './changes.js';
import type { Answer, Call, Failure, Reply, Request } from './protocol.js';
import type { FileState, OpenedFile, OpenFile, PlaneRequest } from './types.js';

class DecodeSession {
  /** The path opened last, for messages. */
  path: string | undefined;
  private opened: OpenedAcquisition | undefined;

  /** @param memory receives the samples of a plane */
  async answer(call: Call, memory: ArrayBuffer | undefined): Promise<Answer> {
    switch (call.kind) {
      case 'open':
        return this.open(call.file);
      case 'plane':
        return this.plane(call.plane, toSamples(memory, call.isUsed));
      case 'check':
        return this.check();
      case 'close':
        return this.close();
    }
  }

  private async open({ located, selection, scene, allowedExtensions, expected }: OpenFile): Promise<OpenedFile> {
    this.close();
    this.path = located.path;
    const changes = expected ? describeChanges(expected) : [];
    if (changes.length > 0) throw new AcqError('source_changed', changes.join('; '));
    const opened = await openAt(located, { allowedExtensions });
    this.opened = opened;
    const { info } = opened.acquisition;
    if (scene !== undefined && !info.scenes[scene]) {
      throw new AcqError('source_changed', `scene ${scene} is no longer in the file`);
    }
    const view = scene === undefined ? selectScene(info, selection) : viewScene(info, scene);
    opened.acquisition.checkScene?.(view.sceneIndex);
    const files = opened.fingerprints();
    return {
      // Only a first open describes the acquisition.
      size: scene === undefined ? opened.size() : undefined,
      filesSize: files.reduce((sum, { size }) => sum + size, 0),
      bands: opened.acquisition.bands?.(view.sceneIndex) ?? 1,
      scratchBytes: opened.acquisition.scratchBytes?.(view.sceneIndex) ?? 0,
      view,
    };
  }

  private async plane(request: PlaneRequest, samples: Float32Array): Promise<undefined> {
    if (!this.opened) throw new Error('no acquisition is open');
    const { acquisition } = this.opened;
    const scene = acquisition.info.scenes[request.scene];
    if (!scene) throw new Error(`no scene ${request.scene}`);
    if (request.kind === 'channel') {
      const { Y, X } = scene.sizes;
      const target: PlaneTarget = request.band
        ? new Float32BandTarget(Y, X, request.band, samples)
        : new Float32Target(Y, X, samples);
      await acquisition.readPlane(request, target);
      return;
    }
    if (!scene.reference || !acquisition.readReference) throw new Error(`scene ${request.scene} has no reference`);
    const { Y, X } = scene.reference.sizes;
    await acquisition.readReference(request.scene, request.channel, new Float32Target(Y, X, samples));
  }

  private check(): FileState {
    const fingerprints = this.opened?.fingerprints() ?? [];
    return { fingerprints, changes: describeChanges(fingerprints) };
  }

  private close(): FileState {
    const { opened } = this;
    this.opened = undefined;
    opened?.close();
    const fingerprints = opened?.fingerprints() ?? [];
    return { fingerprints, changes: describeChanges(fingerprints) };
  }
}

/** Views memory as zeroed samples: rows that a reader does not fill must never show samples of another file. */
function toSamples(memory: ArrayBuffer | undefined, isUsed: boolean): Float32Array {
  if (!memory) throw new Error('a plane was requested without memory');
  const samples = new Float32Array(memory, 0, memory.byteLength / Float32Array.BYTES_PER_ELEMENT);
  if (isUsed) samples.fill(0);
  return samples;
}

/** Passes an `AcqError` on; any other error goes with its stack, which stays in the log. */
function toFailure(thrown: unknown, path: string | undefined): Failure {
  if (thrown instanceof AcqError) return { error: thrown.toRecord() };
  const exhausted = exhaustionError(`${path === undefined ? 'The file' : basename(path)} cannot be read`, thrown);
  if (exhausted) return { error: exhausted.toRecord(), unusable: true };
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { error: { code: 'internal_error', message: 'unexpected error in a decode worker', details: null }, stack };
}

/** Until then the start of the server, or a first open, needs the processor more. */
const WARM_UP_AFTER_MS = 1_000;

/** Loads every reader while there is nothing else to do: the first open should not pay for it. */
async function warmUp(): Promise<void> {
  for (const format of FORMATS) {
    try {
      await format.load();
    } catch {
      // Whoever opens such a file is told why.
    }
  }
}

const port = parentPort;
if (!port) throw new Error('the decode worker runs as a worker thread');
const session = new DecodeSession();
port.on('message', async ({ id, memory, ...call }: Request) => {
  const transfer = memory ? [memory] : [];
  try {
    const value = await session.answer(call, memory);
    port.postMessage({ kind: 'done', id, value, memory } satisfies Reply, transfer);
  } catch (thrown) {
    port.postMessage({ kind: 'failed', id, ...toFailure(thrown, session.path), memory } satisfies Reply, transfer);
  }
});
port.postMessage({ kind: 'ready' } satisfies Reply);
setTimeout(warmUp, WARM_UP_AFTER_MS);
