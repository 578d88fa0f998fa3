import { ALL_FILES, type Dialog, type DialogRequest, FILTER_NAME } from './dialog.js';
import { dialogEnv } from './process.js';
import { printedOutcome, runDialog } from './program.js';

/** Name of the program that the packages for Windows have beside `acqstore.exe`. */
export const WINDOWS_DIALOG = 'acqstore-dialog.exe';

/**
 * Windows: the dialog for files and folders, shown by a small program of the package.
 * It prints the path and a line feed, as UTF-8, and exits with 1 when the user cancels.
 * @param program its path
 */
export function windowsDialog(program: string, env: NodeJS.ProcessEnv): Dialog {
  return {
    name: WINDOWS_DIALOG,
    show: (request, signal) =>
      runDialog(program, windowsDialogArgs(request), { env: dialogEnv(env), signal }, (ended) =>
        printedOutcome(ended, NO_DESKTOP),
      ),
  };
}

/** A service has no desktop: HRESULT of ERROR_INVALID_WINDOW_HANDLE. */
const NO_DESKTOP = /0x80070578/;

export function windowsDialogArgs({ title, kind, extensions, folder }: DialogRequest): string[] {
  const patterns = extensions.map((extension) => `*${extension}`).join(';');
  const filters = [...(patterns ? [`${FILTER_NAME}|${patterns}`] : []), `${ALL_FILES}|*.*`];
  return [
    ...(kind === 'folder' ? ['--dir'] : []),
    ...['--title', title, '--folder', folder],
    ...filters.flatMap((filter) => ['--filter', filter]),
  ];
}
