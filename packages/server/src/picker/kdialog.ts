import {
  ALL_FILES,
  type Dialog,
  type DialogOutcome,
  type DialogRequest,
  FILTER_NAME,
  readableGlobs,
  unavailable,
} from './dialog.js';
import { displayProblem, isKde } from './display.js';
import { dialogEnv, type Ended } from './process.js';
import { printedOutcome, runDialog } from './program.js';

/** KDE's dialog program. */
export function kdialog(env: NodeJS.ProcessEnv): Dialog {
  return {
    name: 'kdialog',
    async show(request, signal) {
      const problem = await displayProblem(env);
      if (problem) return unavailable(problem);
      // Elsewhere kdialog shows the dialog of plain Qt, which can enter a folder but not choose it.
      if (request.kind === 'folder' && !isKde(env)) return unavailable('selects folders in KDE sessions only');
      return runDialog('kdialog', kdialogArgs(request), { env: dialogEnv(env), signal }, kdialogOutcome);
    },
  };
}

export function kdialogArgs({ title, kind, extensions, folder }: DialogRequest): string[] {
  if (kind === 'folder') return [`--title=${title}`, '--getexistingdirectory', folder];
  const filters = [`${ALL_FILES} (*)`];
  if (extensions.length > 0) filters.unshift(`${FILTER_NAME} (${readableGlobs(extensions).join(' ')})`);
  return [`--title=${title}`, '--getopenfilename', folder, filters.join('|')];
}

/** Interprets how kdialog ended. Exit code 1 is "cancelled"; without a display Qt aborts and there is no exit code. */
export function kdialogOutcome(ended: Ended): DialogOutcome {
  return printedOutcome(ended, /could not connect to display/i);
}
