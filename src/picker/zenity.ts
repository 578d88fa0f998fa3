import {
  ALL_FILES,
  anyCaseGlobs,
  type Dialog,
  type DialogOutcome,
  type DialogRequest,
  FILTER_NAME,
  failed,
  unavailable,
} from './dialog.js';
import { displayProblem } from './display.js';
import { printedPath } from './output.js';
import { describeEnd, dialogEnv, type Ended, printed, run } from './process.js';

/** GNOME's dialog program, versions 3 and 4. */
export function zenity(env: NodeJS.ProcessEnv): Dialog {
  return {
    name: 'zenity',
    async show(request, signal) {
      const problem = await displayProblem(env);
      if (problem) return unavailable(problem);
      const result = await run('zenity', zenityArgs(request), { env: dialogEnv(env), signal });
      if (result.status === 'stopped') return { status: 'cancelled' };
      return result.status === 'missing' ? unavailable(result.why) : zenityOutcome(result.ended);
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
  const { code, stdout, stderr } = ended;
  if (code === 0 && stdout.length > 0) return { status: 'chosen', path: printedPath(stdout) };
  // GTK 3: "cannot open display: :9", "Unable to init server"; GTK 4: "Failed to open display".
  const noDisplay = /(cannot|failed to|could not|unable to) (open display|init server|connect)/i.test(stderr);
  if (code === 1 && !noDisplay) return { status: 'cancelled', ...printed(stderr) };
  return noDisplay ? unavailable(describeEnd(ended)) : failed(describeEnd(ended));
}
