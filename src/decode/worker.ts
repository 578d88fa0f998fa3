/** The decode worker: opens one acquisition at a time, reads planes as float32, hands their memory over. */
import { parentPort } from 'node:worker_threads';
import { AcqError, type ErrorRecord } from '../errors.js';
import { FORMATS } from '../formats/index.js';
import { type OpenedAcquisition, openAcquisition } from '../open.js';
import { Float32BandTarget, Float32Target } from '../plane-target.js';
import { selectScene, viewScene } from '../selection.js';
import { describeChanges } from './changes.js';
import type { Answer, Call, Reply, Request } from './protocol.js';
import type { FileState, OpenedFile, OpenFile, PlaneRequest } from './types.js';

class DecodeSession {
  private opened: OpenedAcquisition | undefined;

  async answer(call: Call): Promise<Answer> {
    switch (call.kind) {
      case 'open':
        return this.open(call.file);
      case 'plane':
        return this.plane(call.plane);
      case 'check':
        return this.check();
      case 'close':
        return this.close();
    }
  }

  private async open({ path, part, selection, scene, allowedExtensions, expected }: OpenFile): Promise<OpenedFile> {
    this.close();
    const changes = expected ? describeChanges(expected) : [];
    if (changes.length > 0) throw new AcqError('source_changed', changes.join('; '));
    const opened = await openAcquisition(path, { allowedExtensions, ...(part === undefined ? {} : { part }) });
    this.opened = opened;
    const { info } = opened.acquisition;
    if (scene !== undefined && !info.scenes[scene]) {
      throw new AcqError('source_changed', `scene ${scene} is not in the file any more`);
    }
    const view = scene === undefined ? selectScene(info, selection) : viewScene(info, scene);
    const files = opened.fingerprints();
    return {
      path: opened.path,
      size: files.find((file) => file.path === opened.path)?.size,
      filesSize: files.reduce((sum, { size }) => sum + size, 0),
      bands: opened.acquisition.bands?.(view.sceneIndex) ?? 1,
      view,
    };
  }

  private async plane(request: PlaneRequest): Promise<ArrayBuffer> {
    if (!this.opened) throw new Error('no acquisition is open');
    const { acquisition } = this.opened;
    const scene = acquisition.info.scenes[request.scene];
    if (!scene) throw new Error(`no scene ${request.scene}`);
    if (request.kind === 'channel') {
      const { Y, X } = scene.sizes;
      const target = request.band ? new Float32BandTarget(Y, X, request.band) : new Float32Target(Y, X);
      await acquisition.readPlane(request, target);
      return target.data.buffer as ArrayBuffer;
    }
    if (!scene.reference || !acquisition.readReference) throw new Error(`scene ${request.scene} has no reference`);
    const { Y, X } = scene.reference.sizes;
    const target = new Float32Target(Y, X);
    await acquisition.readReference(request.scene, request.channel, target);
    return target.data.buffer as ArrayBuffer;
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

/** An error of ours as it is; anything else with its stack, which stays in the log. */
function toFailure(thrown: unknown): { error: ErrorRecord; stack?: string } {
  if (thrown instanceof AcqError) return { error: thrown.toRecord() };
  if (thrown instanceof RangeError && thrown.message === 'Array buffer allocation failed') {
    const message = 'There is not enough memory left on this machine to decode the file; try again later.';
    return { error: { code: 'capacity_exceeded', message, details: null } };
  }
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { error: { code: 'internal_error', message: 'unforeseen error in a decode worker', details: null }, stack };
}

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
port.on('message', async ({ id, ...call }: Request) => {
  try {
    const value = await session.answer(call);
    port.postMessage({ kind: 'done', id, value } satisfies Reply, value instanceof ArrayBuffer ? [value] : []);
  } catch (thrown) {
    port.postMessage({ kind: 'failed', id, ...toFailure(thrown) } satisfies Reply);
  }
});
port.postMessage({ kind: 'ready' } satisfies Reply);
await warmUp();
