import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { NoDialogError } from '../picker/chain.js';
import { type DialogPauses, dialogPauses } from '../picker/pauses.js';
import type { Picker, PickKind, PickRequest, PickResult } from '../picker/types.js';
import type { Caller } from './caller.js';

/** What the user chose, or why nothing: `message` is for people. */
type Choice = { status: 'ok'; path: string } | { status: 'cancelled'; message: string };

/** Shows a file dialog for a caller, whom its title names. */
export type AskUser = (
  caller: Pick<Caller, 'kind' | 'origin'>,
  request: { kind: PickKind; extensions: string[]; signal: AbortSignal },
) => Promise<Choice>;

const CANCELLED = {
  user: (kind: PickKind) => `No ${kind} was chosen.`,
  timeout: (kind: PickKind) => `The file dialog was closed after its time limit; no ${kind} was chosen.`,
  disconnected: () => 'The client disconnected; the file dialog was closed.',
} as const;

/** Returns the function that all routes share, because the pauses between dialogs count for all of them. */
export function askUser(picker: Picker): AskUser {
  const pauses = dialogPauses();
  return async (caller, { kind, ...more }) => {
    const request = { title: dialogTitle(caller, kind), kind, ...more };
    const picked = await (caller.kind === 'file-page' ? pickPaced(picker, pauses, request) : picker.pick(request));
    if (picked.status === 'ok') return picked;
    return { status: 'cancelled', message: CANCELLED[picked.reason](kind) };
  };
}

/** Shows the dialog for a caller that could be any site; see `DialogPauses`. */
async function pickPaced(picker: Picker, pauses: DialogPauses, request: PickRequest): Promise<PickResult> {
  pauses.check();
  try {
    const result = await picker.pick(request);
    if (result.status === 'ok') pauses.reset();
    else pauses.extend();
    return result;
  } catch (error) {
    // This caller did not cause a dialog that is already open, or a computer without dialogs.
    const isBusy = error instanceof AcqError && error.code === 'picker_busy';
    if (!isBusy && !(error instanceof NoDialogError)) pauses.extend();
    throw error;
  }
}

/** Returns the title of the dialog. It names the requester, to whom the user consents, unless that is the viewer. */
function dialogTitle(caller: Pick<Caller, 'kind' | 'origin'>, kind: PickKind): string {
  const { origin } = caller;
  const title = `Acquisition Store: open a ${kind}`;
  if (caller.kind === 'own-page') return title;
  const requester = {
    program: 'a program on this computer',
    'trusted-page': origin === 'null' ? 'a local HTML file' : origin,
    'file-page': 'a local HTML file or a page without an address',
  }[caller.kind];
  return `${title} for ${requester}`;
}
