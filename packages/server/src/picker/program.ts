/** What the dialogs that are programs share: zenity, kdialog, osascript, PowerShell. */
import { type DialogOutcome, failed, unavailable } from './dialog.js';
import { printedPath } from './output.js';
import { describeEnd, type Ended, printed, type RunOptions, run } from './process.js';

/**
 * Runs a dialog program and waits for its end.
 * @param interpret tells how the dialog ended from how the program ended
 * @throws AcqError `capacity_exceeded` when the system has no descriptor or process left
 */
export async function runDialog(
  command: string,
  args: readonly string[],
  options: RunOptions,
  interpret: (ended: Ended) => DialogOutcome,
): Promise<DialogOutcome> {
  const result = await run(command, args, options);
  if (result.status === 'stopped') return { status: 'cancelled' };
  return result.status === 'missing' ? unavailable(result.why) : interpret(result.ended);
}

/**
 * Interprets how a program ended that prints the chosen path, and exits with 1 when the user cancels.
 * @param noDisplay recognizes its error messages when there is no display
 */
export function printedOutcome(ended: Ended, noDisplay: RegExp): DialogOutcome {
  const { code, stdout, stderr } = ended;
  if (code === 0 && stdout.length > 0) return { status: 'chosen', path: printedPath(stdout) };
  if (noDisplay.test(stderr)) return unavailable(describeEnd(ended));
  return code === 1 ? { status: 'cancelled', ...printed(stderr) } : failed(describeEnd(ended));
}
