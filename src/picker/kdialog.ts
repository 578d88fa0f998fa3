import {
  ALL_FILES,
  type Dialog,
  type DialogOutcome,
  type DialogRequest,
  FILTER_NAME,
  failed,
  readableGlobs,
  unavailable,
} from './dialog.js';
import { displayProblem, isKde } from './display.js';
import { printedPath } from './output.js';
import { describeEnd, dialogEnv, type Ended, printed, run } from './process.js';

/** KDE's dialog program. */
export function kdialog(env: NodeJS.ProcessEnv): Dialog {
  return {
    name: 'kdialog',
    async show(request, signal) {
      const problem = await displayProblem(env);
      if (problem) return unavailable(problem);
      // Elsewhere kdialog shows the dialog of plain Qt, which can enter a folder but not choose it.
      if (request.kind === 'folder' && !isKde(env)) return unavailable('selects folders in KDE sessions only');
      const result = await run('kdialog', kdialogArgs(request), { env: dialogEnv(env), signal });
      if (result.status === 'stopped') return { status: 'cancelled' };
      return result.status === 'missing' ? unavailable(result.why) : kdialogOutcome(result.ended);
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
  const { code, stdout, stderr } = ended;
  if (code === 0 && stdout.length > 0) return { status: 'chosen', path: printedPath(stdout) };
  const noDisplay = /could not connect to display/i.test(stderr);
  if (code === 1 && !noDisplay) return { status: 'cancelled', ...printed(stderr) };
  return noDisplay ? unavailable(describeEnd(ended)) : failed(describeEnd(ended));
}
