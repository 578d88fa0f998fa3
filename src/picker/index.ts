import { dirname } from 'node:path';
import { AcqError } from '../errors.js';
import { homeFolder } from '../options.js';
import { dialogFailed, dialogsOf, noDialog } from './chain.js';
import {
  cleanExtensions,
  cleanTitle,
  type Dialog,
  type DialogOutcome,
  type DialogRequest,
  unavailable,
} from './dialog.js';
import { lastFolder } from './last-folder.js';
import { resolveChoice } from './result.js';
import type { FindPath, Picker, PickRequest, PickResult } from './types.js';

export interface PickerOptions {
  /** Seconds that a dialog stays open. */
  timeoutSeconds: number;
  /** Holds `picker.json`, the last folder. */
  stateDir: string;
  /** Names the display, the session bus and the desktop; this process's by default. */
  env?: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
  /** Looks at paths without getting stuck on a drive that hangs. */
  find: FindPath;
  /** Learns how each dialog ended. */
  logger?: DialogLogger;
}

/** The two methods of a pino logger that the dialogs use. */
export interface DialogLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** The native file dialog of this machine, in a process of its own; one at a time. */
export function createPicker(options: PickerOptions): Picker {
  const { env = process.env, platform = process.platform } = options;
  const dialogs = dialogsOf(platform, env);
  const folders = lastFolder(options.stateDir);
  let isOpen = false;

  const isFolder = async (path: string, signal: AbortSignal) => {
    try {
      return (await options.find(path, signal)) === 'folder';
    } catch {
      return false;
    }
  };

  const startFolder = async (signal: AbortSignal) => {
    for (const folder of [await folders.read(), homeFolder(env), homeFolder()]) {
      if (folder && (await isFolder(folder, signal))) return folder;
    }
    return '/';
  };

  const pickOne = async (request: PickRequest, timeout: AbortSignal): Promise<PickResult> => {
    const signal = AbortSignal.any([request.signal, timeout]);
    const wanted: DialogRequest = {
      title: cleanTitle(request.title),
      kind: request.kind ?? 'file',
      extensions: cleanExtensions(request.extensions),
      folder: await startFolder(signal),
    };
    const { outcome, reasons } = await showFirst(dialogs, wanted, signal, options.logger);
    if (request.signal.aborted) return { status: 'cancelled', reason: 'disconnected' };
    if (outcome.status === 'chosen') {
      const path = await resolveChoice(outcome.path, options.find, signal);
      await folders.remember(dirname(path));
      return { status: 'ok', path };
    }
    if (outcome.status === 'unavailable') throw noDialog(platform, env, reasons);
    if (outcome.status === 'failed') throw dialogFailed(reasons);
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

/** Shows the first dialog that works. When none does, the outcome is `failed` if any of them was started. */
async function showFirst(
  dialogs: readonly Dialog[],
  request: DialogRequest,
  signal: AbortSignal,
  logger?: DialogLogger,
): Promise<{ outcome: DialogOutcome; reasons: string[] }> {
  const reasons: string[] = [];
  let none = unavailable('no dialog is known for this system');
  for (const dialog of dialogs) {
    if (signal.aborted) break;
    const start = performance.now();
    const outcome = await dialog.show(request, signal);
    const seconds = Math.round((performance.now() - start) / 100) / 10;
    logEnd(logger, { ...outcome, dialog: dialog.name, seconds }, signal.aborted);
    if (outcome.status === 'chosen' || outcome.status === 'cancelled') return { outcome, reasons };
    if (none.status !== 'failed') none = outcome;
    reasons.push(`${dialog.name}: ${outcome.why}`);
  }
  return { outcome: signal.aborted ? { status: 'cancelled' } : none, reasons };
}

/** Without the path: the open that follows logs it. */
function logEnd(
  logger: DialogLogger | undefined,
  outcome: DialogOutcome & { dialog: string; seconds: number },
  aborted: boolean,
): void {
  const { status, dialog, seconds } = outcome;
  if (outcome.status === 'failed') logger?.warn({ dialog, seconds, why: outcome.why }, 'a file dialog ended by itself');
  else if (outcome.status === 'unavailable')
    logger?.info({ dialog, why: outcome.why }, 'a file dialog is not available');
  else if (aborted) logger?.info({ dialog, seconds }, 'the file dialog was closed: the client left, or time was up');
  else {
    const printed = outcome.status === 'cancelled' ? outcome.printed : undefined;
    logger?.info(
      { dialog, seconds, printed },
      `the user ${status === 'chosen' ? 'chose in' : 'cancelled'} the file dialog`,
    );
  }
}

function busy(): AcqError {
  return new AcqError(
    'picker_busy',
    'A file dialog is already open on this machine; choose something in it or close it',
  );
}
