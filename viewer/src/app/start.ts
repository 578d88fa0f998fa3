/** Assembles the page and opens what its address names. */
import { computed, effect, signal } from '@preact/signals';
import { hasCode } from '../../../client/index.ts';
import type { OpenRequest } from '../../../src/contract/open.js';
import { toUserLuts } from '../luts/user-luts.ts';
import { createRenderer } from '../render/renderer.ts';
import { type LinkTarget, readAddress, toAddress, withoutToken } from './address.ts';
import { createAskedFile, type FileTarget, mark } from './asked-file.ts';
import type { DialogName, Page } from './context.ts';
import { createServer } from './server.ts';
import { keepSessions } from './sessions.ts';
import { storedSignal } from './stored.ts';
import { rememberSwitches } from './switches.ts';
import { createTheme } from './theme.ts';
import { captureView, unknownLuts } from './view-state.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

/** Milliseconds without a change before the address is written, because browsers limit how often that is allowed. */
const ADDRESS_DELAY = 400;

export function startPage(): Page {
  const target = readAddress(location);
  const server = createServer(location.href);
  if (target.token !== null) server.useToken(target.token);
  history.replaceState(history.state, '', withoutToken(location));
  const dialog = signal<DialogName | null>(null);
  const workspace = createWorkspace(server, () => {
    dialog.value = 'files';
  });
  const asked = createAskedFile(workspace, (file) => openFile(file, workspace));
  const page: Page = {
    workspace,
    asked,
    keeper: keepSessions(workspace),
    theme: createTheme(document.documentElement),
    dialog,
    sideShown: storedSignal('side', (value) => value !== false),
    marksShown: storedSignal('marks', (value) => value === true),
    velocityShown: storedSignal('velocity', (value) => value === true),
    profileShown: storedSignal('profile', (value) => (typeof value === 'boolean' ? value : null)),
    luts: storedSignal('luts', toUserLuts),
    renderer: once(createRenderer),
  };
  server.client.closeOnPageHide();
  void server.start().catch((error: unknown) => workspace.notices.report(error));
  void follow(target, page);
  writeAddress(page);
  // A link to the same file that is entered in the address bar does not reload the page.
  addEventListener('hashchange', ({ newURL }) => {
    // Do not read `location`: writeAddress may have overwritten it already.
    const next = readAddress(new URL(newURL));
    history.replaceState(history.state, '', withoutToken(location));
    if (next.token !== null) void workspace.enterToken(next.token);
    void follow(next, page);
  });
  rememberSwitches(computed(() => workspace.active.value?.document ?? null));
  effect(() => {
    const name = workspace.active.value?.document.info.value.source.name;
    document.title = name ? `${name} – Acquisition Store` : 'Acquisition Store';
  });
  return page;
}

async function follow(target: LinkTarget, { workspace, asked }: Page): Promise<void> {
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
async function openFile(file: FileTarget, workspace: Workspace): Promise<void> {
  const { path, session, view } = file;
  if (session !== null) {
    const state = await readSessionState(session, workspace, () => void openFile(file, workspace));
    if (state === null) return;
    workspace.notices.show({ message: `${state} Its file is being opened again in a new session.` });
  }
  const request: OpenRequest = {
    path,
    ...(view?.selection ? { selection: view.selection } : {}),
    ...(view?.projection ? { projection: view.projection } : {}),
    ...(view?.channels ? { channelIndices: [...view.channels] } : {}),
  };
  const opened = await workspace.open(request, view);
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

/** Keeps the address in step with the shown file and its view, so that a reload restores them. */
function writeAddress({ workspace, asked }: Page): void {
  const { active } = workspace;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let written: string | null | undefined;
  effect(() => {
    const shown = active.value?.document;
    // A file that was sent has no path: a reload cannot open it.
    const path = workspace.ways.shownPath();
    const view = shown ? captureView(shown) : null;
    const write = () => {
      written = path;
      history.replaceState(path === null ? null : mark(path), '', location.pathname + toAddress(path, view));
    };
    clearTimeout(timer);
    // The file in the address may still be opened.
    if (path === null && asked.busy.value) return;
    // Write another file immediately. The view changes with every movement and has to wait for the limit of the
    // browser.
    if (path !== written) write();
    else timer = setTimeout(write, ADDRESS_DELAY);
  });
}

function once<T>(create: () => T): () => T {
  let created: { value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}
