/** Messages say what a person at the computer, or a program, can do about an error. An assistant has only its tools. */
import { DIALOG_HINT, SHARE_HINT } from '../../paths/policy.js';
import { ROOM_HINT } from '../../sessions/limits.js';

const REWORDED: readonly (readonly [hint: string, forTools: string])[] = [
  [DIALOG_HINT, 'No tool can open it. Ask the user to add its folder to the roots, or to copy it into one of them.'],
  [SHARE_HINT, 'Ask the user to map the share to a drive, or to add it to the roots (--root).'],
  [ROOM_HINT, 'Close an acquisition that you no longer need, or try again later.'],
];

/** Returns the message of an error with the hint, which is at its end, in the words of the tools. */
export function forAssistant(message: string): string {
  const [hint, forTools] = REWORDED.find(([end]) => message.endsWith(end)) ?? ['', ''];
  return message.slice(0, message.length - hint.length) + forTools;
}

/** Does the same for an error of an output, which names options of `acqstore export`. */
export function forExport(message: string): string {
  // Not within names of files.
  return message
    .replaceAll(/(?<![\w-])--overwrite(?![\w-])/g, '`overwrite`')
    .replaceAll(/(?<![\w-])--out(?![\w-])/g, '--export-folder');
}
