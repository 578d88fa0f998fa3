/** Opens what a link names: a file with its view, or the file of a session. */
import { hasCode } from '@acquisition-store/client';
import type { CalibrationOverride } from '@acquisition-store/client/contract/calibration.js';
import { toRequest as toSessionRequest } from '../export/request.ts';
import type { LinkTarget } from './address.ts';
import type { FileTarget } from './asked-file.ts';
import type { Page } from './context.ts';
import { toRequest } from './open-request.ts';
import { looksLikePath } from './path-text.ts';
import type { Tab } from './tab.ts';
import { unknownLuts } from './view-state.ts';
import type { Workspace } from './workspace.ts';

export async function follow(target: LinkTarget, { workspace, asked }: Page): Promise<void> {
  const { path, session, brokenView } = target;
  if (brokenView) {
    workspace.notices.show({
      kind: 'error',
      code: 'broken_link',
      message: 'The view in this link cannot be read.',
      hint: 'The link may be truncated. Copy the whole link.',
    });
  }
  if (path !== null) await asked.follow({ ...target, path });
  else if (session !== null) await openSession(session, workspace);
}

/** Opens the file of a link. When the link also has a session, its state is shown first. */
export async function openFile(file: FileTarget, workspace: Workspace): Promise<void> {
  const { path, session, view } = file;
  if (session !== null) {
    const state = await readSessionState(session, workspace, () => void openFile(file, workspace));
    if (state === null) return;
    workspace.notices.show({ message: `${state} Its file is being opened again in a new session.` });
  }
  const opened = await workspace.open(toRequest(path, view), view);
  const missing = opened && view ? unknownLuts(view) : [];
  if (missing.length > 0) {
    workspace.notices.show({
      message: `The link names a color table that this page does not have: ${missing.join(', ')}. It is replaced by gray.`,
    });
  }
}

/** What replaces a part of a session that is shown. */
interface ShownSession {
  /** Index of the scene, time point and section; those that the file does not have are left out. */
  readonly selection?: Readonly<Record<string, number>>;
  /** Steps in place of those of the file. */
  readonly calibration?: CalibrationOverride | null;
}

/**
 * Opens the file of a session as the session shows it, in a session of this page. The user is not asked: only who has opened
 * the file on this server knows the id.
 * @param again runs when a token was missing, and has been entered
 * @returns the tab of the file; null where it could not be opened, which has been said by then
 */
export async function openSession(
  id: string,
  workspace: Workspace,
  shown: ShownSession = {},
  again = () => void openSession(id, workspace, shown),
): Promise<Tab | null> {
  const { client } = workspace.server;
  const info = await ask(id, workspace, () => client.sessionInfo(id), again);
  if (info === null) return null;
  if (typeof info === 'string') {
    workspace.notices.show({ message: info, hint: 'Open the file again.' });
  } else if (looksLikePath(info.source.path)) {
    const { calibration = null, selection = {} } = shown;
    const view = calibration && { calibration, source: { views: {}, displays: {}, toggles: {}, marks: [] } };
    const known = Object.entries(selection).filter(([dim]) => info.selection?.[dim] !== undefined);
    const place = info.selection ? { selection: { ...info.selection, ...Object.fromEntries(known) } } : {};
    const request = toSessionRequest({ ...info, ...place });
    return (await workspace.open(request, view)) ? workspace.active.value : null;
  } else {
    workspace.notices.show({
      message: `${info.source.name} was sent to the server by another page; open it here again.`,
    });
  }
  return null;
}

/**
 * Returns a sentence about a session, or null when the server requires a token first; `retry` then runs after it was
 * entered.
 */
async function readSessionState(id: string, workspace: Workspace, retry: () => void): Promise<string | null> {
  const { client } = workspace.server;
  const status = await ask(id, workspace, () => client.sessionStatus(id), retry);
  return status === null || typeof status === 'string' ? status : `${label(id)} exists.`;
}

/**
 * Asks the server about a session. Returns a sentence when it has no answer, and null when it requires a token first;
 * `retry` then runs after it was entered.
 */
async function ask<T extends object>(
  id: string,
  { server, afterToken }: Workspace,
  read: () => Promise<T>,
  retry: () => void,
): Promise<T | string | null> {
  try {
    return await read();
  } catch (error) {
    server.suspect(error);
    if (hasCode(error, 'unauthorized')) {
      afterToken(retry);
      return null;
    }
    return hasCode(error, 'session_not_found')
      ? `${label(id)} has ended or never existed.`
      : `${label(id)} could not be looked up.`;
  }
}

function label(id: string): string {
  return `Session ${id.slice(0, 8)}…`;
}
