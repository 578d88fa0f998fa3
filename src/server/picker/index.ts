import { dirname } from 'node:path';
import { AcqError } from '../../errors.js';
import { homeFolder } from '../../options.js';
import { dialogsOf, noDialog } from './chain.js';
import { cleanExtensions, cleanTitle, type Dialog, type DialogOutcome, type DialogRequest } from './dialog.js';
import { isFolder, lastFolder } from './last-folder.js';
import { resolveChoice } from './result.js';
import type { Picker, PickRequest, PickResult } from './types.js';

export interface PickerOptions {
  /** Seconds that a dialog stays open. */
  timeoutSeconds: number;
  /** Holds `picker.json`, the last folder. */
  stateDir: string;
  /** Names the display, the session bus and the desktop; this process's by default. */
  env?: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** The native file dialog of this machine, in a process of its own; one at a time. */
export function createPicker(options: PickerOptions): Picker {
  const { env = process.env, platform = process.platform } = options;
  const dialogs = dialogsOf(platform, env);
  const folders = lastFolder(options.stateDir);
  let isOpen = false;

  const startFolder = async () => {
    for (const folder of [await folders.read(), homeFolder(env), homeFolder()]) {
      if (folder && (await isFolder(folder))) return folder;
    }
    return '/';
  };

  const pickOne = async (request: PickRequest, timeout: AbortSignal): Promise<PickResult> => {
    const signal = AbortSignal.any([request.signal, timeout]);
    const wanted: DialogRequest = {
      title: cleanTitle(request.title),
      kind: request.kind ?? 'file',
      extensions: cleanExtensions(request.extensions),
      folder: await startFolder(),
    };
    const { outcome, reasons } = await showFirst(dialogs, wanted, signal);
    if (request.signal.aborted) return { status: 'cancelled', reason: 'disconnected' };
    if (outcome.status === 'chosen') {
      const path = await resolveChoice(outcome.path);
      await folders.remember(dirname(path));
      return { status: 'ok', path };
    }
    if (outcome.status === 'unavailable') throw noDialog(platform, env, reasons);
    return { status: 'cancelled', reason: timeout.aborted ? 'timeout' : 'user' };
  };

  return {
    async pick(request) {
      if (isOpen) throw busy();
      isOpen = true;
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), Math.min(options.timeoutSeconds * 1000, MAX_TIMER_MS));
      try {
        return await pickOne(request, deadline.signal);
      } finally {
        clearTimeout(timer);
        isOpen = false;
      }
    },
  };
}

/** The first dialog that can be shown. */
async function showFirst(
  dialogs: readonly Dialog[],
  request: DialogRequest,
  signal: AbortSignal,
): Promise<{ outcome: DialogOutcome; reasons: string[] }> {
  const reasons: string[] = [];
  for (const dialog of dialogs) {
    if (signal.aborted) return { outcome: { status: 'cancelled' }, reasons };
    const outcome = await dialog.show(request, signal);
    if (outcome.status !== 'unavailable') return { outcome, reasons };
    reasons.push(`${dialog.name}: ${outcome.why}`);
  }
  return { outcome: { status: signal.aborted ? 'cancelled' : 'unavailable', why: '' }, reasons };
}

function busy(): AcqError {
  return new AcqError(
    'picker_busy',
    'A file dialog is already open on this machine; choose something in it or close it',
  );
}
