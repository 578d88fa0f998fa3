import { EXIT } from './exit-codes.js';
import { exportFiles } from './export-command.js';
import { ExportProgress } from './export-progress.js';
import type { ExportFlags } from './flags.js';
import { stopOnSignals } from './stop-signal.js';

/**
 * Runs `acqstore export` until it is done, or a signal stops it: then what was not finished is removed first. Resolves to
 * the exit code, which is 128 and the number of the signal. A second signal ends the process at once.
 * @param print resolves when the line has been handed to the system
 */
export async function runExport(
  paths: readonly string[],
  flags: ExportFlags,
  print: (text: string) => Promise<void>,
): Promise<number> {
  const stop = stopOnSignals();
  // A reader such as `head` has closed the pipe.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    stop.abort(error);
  });
  const progress = new ExportProgress(process.stderr, flags);
  try {
    const code = await exportFiles(paths, flags, { print, progress, signal: stop.signal });
    return stop.exitCode(code);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return EXIT.failed;
    throw error;
  }
}
