/** Opens what a link names: a file with its view, or a session, which can only be described. */
import { hasCode } from '../../../client/index.ts';
import type { LinkTarget } from './address.ts';
import type { FileTarget } from './asked-file.ts';
import type { Page } from './context.ts';
import { toRequest } from './open-request.ts';
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
  else if (session !== null) await explainSession(session, workspace);
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

/** The server knows the status and the planes of a session, but not the metadata that a view needs. */
async function explainSession(id: string, workspace: Workspace): Promise<void> {
  const state = await readSessionState(id, workspace, () => void explainSession(id, workspace));
  if (state === null) return;
  workspace.notices.show({
    message: `${state} A session alone does not say what its planes show, so it cannot be displayed.`,
    hint: 'Add ?path= with the path of the file to the address, or open the file.',
  });
}

/**
 * Returns a sentence about a session, or null when the server requires a token first; `retry` then runs after it was
 * entered.
 */
async function readSessionState(id: string, workspace: Workspace, retry: () => void): Promise<string | null> {
  const { server, afterToken } = workspace;
  const label = `Session ${id.slice(0, 8)}…`;
  try {
    await server.client.sessionStatus(id);
    return `${label} exists.`;
  } catch (error) {
    server.suspect(error);
    if (hasCode(error, 'unauthorized')) {
      afterToken(retry);
      return null;
    }
    return hasCode(error, 'session_not_found')
      ? `${label} has ended or never existed.`
      : `${label} could not be looked up.`;
  }
}
