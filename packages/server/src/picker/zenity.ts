import {
  ALL_FILES,
  anyCaseGlobs,
  type Dialog,
  type DialogOutcome,
  type DialogRequest,
  FILTER_NAME,
  unavailable,
} from './dialog.js';
import { displayProblem } from './display.js';
import { dialogEnv, type Ended } from './process.js';
import { printedOutcome, runDialog } from './program.js';

/** GNOME's dialog program, versions 3 and 4. */
export function zenity(env: NodeJS.ProcessEnv): Dialog {
  return {
    name: 'zenity',
    async show(request, signal) {
      const problem = await displayProblem(env);
      if (problem) return unavailable(problem);
      return runDialog('zenity', zenityArgs(request), { env: dialogEnv(env), signal }, zenityOutcome);
    },
  };
}

export function zenityArgs({ title, kind, extensions, folder }: DialogRequest): string[] {
  const args = ['--file-selection', `--title=${title}`];
  // A trailing slash makes it the start folder instead of a file to select.
  args.push(`--filename=${folder.replace(/\/*$/, '/')}`);
  // In this mode filters would hide folders that do not match.
  if (kind === 'folder') return [...args, '--directory'];
  if (extensions.length > 0) args.push(`--file-filter=${FILTER_NAME} | ${anyCaseGlobs(extensions).join(' ')}`);
  args.push(`--file-filter=${ALL_FILES} | *`);
  return args;
}

/** Interprets how zenity ended. Exit code 1 is "cancelled" or "cannot open display", depending on standard error. */
export function zenityOutcome(ended: Ended): DialogOutcome {
  // GTK 3: "cannot open display: :9", "Unable to init server"; GTK 4: "Failed to open display".
  return printedOutcome(ended, /(cannot|failed to|could not|unable to) (open display|init server|connect)/i);
}
