import { AcqError } from '../errors.js';
import type { Dialog } from './dialog.js';
import { isKde } from './display.js';
import { kdialog } from './kdialog.js';
import { osascript } from './osascript.js';
import { portal } from './portal.js';
import { powershell } from './powershell.js';
import { zenity } from './zenity.js';

/** The dialogs of a platform, the best first. */
export function dialogsOf(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): Dialog[] {
  if (platform === 'darwin') return [osascript(env)];
  if (platform === 'win32') return [powershell(env)];
  // Each desktop's own program before the other's.
  return isKde(env) ? [portal(env), kdialog(env), zenity(env)] : [portal(env), zenity(env), kdialog(env)];
}

/** The error after dialogs that ended by themselves. @param reasons how each ended, e.g. `zenity: ended by SIGSEGV` */
export function dialogFailed(reasons: string[]): AcqError {
  return new AcqError(
    'picker_unavailable',
    `The file dialog ended by itself before anything was chosen (${reasons.join('; ')}). ` +
      'Try again, or open the file by its path.',
  );
}

/** Nobody has seen a dialog. */
export class NoDialogError extends AcqError {}

/** @param reasons why each dialog could not be shown, e.g. `zenity: is not installed` */
export function noDialog(platform: NodeJS.Platform, env: NodeJS.ProcessEnv, reasons: string[]): NoDialogError {
  const advice = platform === 'linux' ? linuxAdvice(env, reasons) : 'Start the server in a desktop session';
  return new NoDialogError(
    'picker_unavailable',
    `No file dialog can be shown on this machine. ${advice}, or open the file by its path. Tried: ${reasons.join('; ')}`,
  );
}

function linuxAdvice(env: NodeJS.ProcessEnv, reasons: string[]): string {
  if (!env['DISPLAY'] && !env['WAYLAND_DISPLAY']) {
    return 'The server has no display: start it in a desktop session (and install zenity or kdialog there)';
  }
  if (reasons.some((reason) => /: the display .* does not answer$/.test(reason))) {
    return 'The display does not answer: start the server again in the desktop session that is open now';
  }
  return 'Install zenity or kdialog (apt install zenity, dnf install zenity, pacman -S zenity)';
}
