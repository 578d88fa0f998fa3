import { existsSync } from 'node:fs';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { packagedFolder } from '../package-files.js';
import type { Dialog } from './dialog.js';
import { isKde } from './display.js';
import { kdialog } from './kdialog.js';
import { osascript } from './osascript.js';
import { portal } from './portal.js';
import { powershell } from './powershell.js';
import { WINDOWS_DIALOG, windowsDialog } from './windows-dialog.js';
import { zenity } from './zenity.js';

/** Returns the dialogs of a platform, the best one first. */
export function listDialogs(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): Dialog[] {
  if (platform === 'darwin') return [osascript(env)];
  if (platform === 'win32') {
    const program = packagedFolder(WINDOWS_DIALOG);
    return [...(existsSync(program) ? [windowsDialog(program, env)] : []), powershell(env)];
  }
  // The program of the current desktop comes first.
  return isKde(env) ? [portal(env), kdialog(env), zenity(env)] : [portal(env), zenity(env), kdialog(env)];
}

/** Returns the error for dialogs that failed. @param reasons how each ended, e.g. `zenity: ended by SIGSEGV` */
export function dialogFailed(reasons: string[]): AcqError {
  return new AcqError(
    'picker_unavailable',
    `The file dialog failed before anything was chosen (${reasons.join('; ')}). ` +
      'Try again, or open the file by its path.',
  );
}

/** No dialog was shown. */
export class NoDialogError extends AcqError {}

/** Returns the error when no dialog can be shown. @param reasons why for each, e.g. `zenity: is not installed` */
export function noDialog(platform: NodeJS.Platform, env: NodeJS.ProcessEnv, reasons: string[]): NoDialogError {
  const advice = platform === 'linux' ? linuxAdvice(env, reasons) : 'Start the server in a desktop session';
  return new NoDialogError(
    'picker_unavailable',
    `No file dialog can be shown on this computer. ${advice}, or open the file by its path. Tried: ${reasons.join('; ')}`,
  );
}

function linuxAdvice(env: NodeJS.ProcessEnv, reasons: string[]): string {
  if (!env['DISPLAY'] && !env['WAYLAND_DISPLAY']) {
    return 'The server has no display: start it in a desktop session with zenity or kdialog installed';
  }
  if (reasons.some((reason) => /: the display .* does not answer$/.test(reason))) {
    return 'The display does not answer: restart the server in the current desktop session';
  }
  return 'Install zenity or kdialog (apt install zenity, dnf install zenity, pacman -S zenity)';
}
