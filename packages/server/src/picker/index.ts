import { dirname } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { homeFolder } from '../state-folder.js';
import { dialogFailed, listDialogs, noDialog } from './chain.js';
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
  /** Max seconds that a dialog stays open. */
  timeoutSeconds: number;
  /** Folder of `picker.json`, which stores the last folder. */
  stateDir: string;
  /** Environment with the display, the session bus and the desktop; that of this process by default. */
  env?: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
  /** Looks at paths without blocking on a drive that does not answer. */
  find: FindPath;
  /** Receives how each dialog ended. */
  logger?: DialogLogger;
}

/** The two methods of a pino logger that the dialogs use. */
export interface DialogLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** Any of these may lead to a desktop, the bus through its portal. */
const DISPLAYS = ['DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS'];

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Creates the picker of this computer. It shows one native file dialog at a time, in a separate process. */
export function createPicker(options: PickerOptions): Picker {
  const { env = process.env, platform = process.platform } = options;
  const dialogs = listDialogs(platform, env);
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
    const dialogRequest: DialogRequest = {
      title: cleanTitle(request.title),
      kind: request.kind ?? 'file',
      extensions: cleanExtensions(request.extensions),
      folder: await startFolder(signal),
    };
    const { outcome, reasons } = await showFirst(dialogs, dialogRequest, signal, options.logger);
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
    hasDisplay: platform !== 'linux' || DISPLAYS.some((name) => Boolean(env[name])),
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

/** Shows the first dialog that works. If none does, the outcome is `failed` when any of them was started. */
async function showFirst(
  dialogs: readonly Dialog[],
  request: DialogRequest,
  signal: AbortSignal,
  logger?: DialogLogger,
): Promise<{ outcome: DialogOutcome; reasons: string[] }> {
  const reasons: string[] = [];
  let failure = unavailable('this system is not supported');
  for (const dialog of dialogs) {
    if (signal.aborted) break;
    const start = performance.now();
    const outcome = await dialog.show(request, signal);
    const seconds = Math.round((performance.now() - start) / 100) / 10;
    logEnd(logger, { ...outcome, dialog: dialog.name, seconds }, signal.aborted);
    if (outcome.status === 'chosen' || outcome.status === 'cancelled') return { outcome, reasons };
    if (failure.status !== 'failed') failure = outcome;
    reasons.push(`${dialog.name}: ${outcome.why}`);
  }
  return { outcome: signal.aborted ? { status: 'cancelled' } : failure, reasons };
}

/** Logs how a dialog ended, without the path, which the open that follows logs. */
function logEnd(
  logger: DialogLogger | undefined,
  outcome: DialogOutcome & { dialog: string; seconds: number },
  aborted: boolean,
): void {
  const { status, dialog, seconds } = outcome;
  if (outcome.status === 'failed') logger?.warn({ dialog, seconds, why: outcome.why }, 'a file dialog failed');
  else if (outcome.status === 'unavailable')
    logger?.info({ dialog, why: outcome.why }, 'a file dialog is not available');
  else if (aborted)
    logger?.info(
      { dialog, seconds },
      'the file dialog was closed: the client disconnected, or the time limit was reached',
    );
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
    'A file dialog is already open on this computer. Choose a file in it or close it.',
  );
}
