/** Puts the page together, and follows what its address says. */
import { computed, effect, signal } from '@preact/signals';
import { hasCode } from '../../../client/index.ts';
import type { OpenRequest } from '../../../src/contract/open.js';
import { createRenderer } from '../render/renderer.ts';
import { readAddress, toAddress, type Wish, withoutToken } from './address.ts';
import { createAskedFile, type FileWish, mark } from './asked-file.ts';
import type { DialogName, Page } from './context.ts';
import { createServer } from './server.ts';
import { keepSessions } from './sessions.ts';
import { storedSignal } from './stored.ts';
import { rememberSwitches } from './switches.ts';
import { createTheme } from './theme.ts';
import { captureView } from './view-state.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

/** Milliseconds without a change before the address is written: browsers limit how often it may be. */
const REST = 400;

export function startPage(): Page {
  const wish = readAddress(location);
  const server = createServer(location.href);
  if (wish.token !== null) server.useToken(wish.token);
  history.replaceState(history.state, '', withoutToken(location));
  const workspace = createWorkspace(server);
  const asked = createAskedFile(workspace, (file) => openFile(file, workspace));
  const page: Page = {
    workspace,
    asked,
    keeper: keepSessions(workspace),
    theme: createTheme(document.documentElement),
    dialog: signal<DialogName | null>(null),
    sideShown: storedSignal('side', (value) => value !== false),
    profileShown: storedSignal('profile', (value) => (typeof value === 'boolean' ? value : null)),
    renderer: once(createRenderer),
  };
  server.client.closeOnPageHide();
  void server.start().catch((error: unknown) => workspace.notices.report(error));
  void follow(wish, page);
  writeAddress(page);
  // Another link to the same file, put into the address bar, loads no page.
  addEventListener('hashchange', ({ newURL }) => {
    // Not that of the location: writeAddress may have overwritten it since.
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

async function follow(wish: Wish, { workspace, asked }: Page): Promise<void> {
  const { path, session, brokenView } = wish;
  if (brokenView) {
    workspace.notices.tell({
      kind: 'error',
      code: 'broken_link',
      message: 'The view that this link holds cannot be read.',
      hint: 'Some of it may have been cut off: copy the whole link.',
    });
  }
  if (path !== null) await asked.follow({ ...wish, path });
  else if (session !== null) await explainSession(session, workspace);
}

/** Opens the file of a link. When the link also has a session, its state is shown first. */
async function openFile(file: FileWish, workspace: Workspace): Promise<void> {
  const { path, session, view } = file;
  if (session !== null) {
    const state = await readSessionState(session, workspace, () => void openFile(file, workspace));
    if (state === null) return;
    workspace.notices.tell({ message: `${state} Its file is being opened again in a new session.` });
  }
  const request: OpenRequest = {
    path,
    ...(view?.selection ? { selection: view.selection } : {}),
    ...(view?.channels ? { channelIndices: [...view.channels] } : {}),
  };
  await workspace.open(request, view);
}

/** The server knows the status and the planes of a session, but not the metadata that a view needs. */
async function explainSession(id: string, workspace: Workspace): Promise<void> {
  const state = await readSessionState(id, workspace, () => void explainSession(id, workspace));
  if (state === null) return;
  workspace.notices.tell({
    message: `${state} A session alone does not say what its planes show, so it cannot be displayed.`,
    hint: 'Add ?path= with the path of the file to the address, or open the file.',
  });
}

/** Returns a sentence about a session, or null when the server requires a token first; `retry` then runs after it was entered. */
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

/** The address always names what is looked at, and how: reloading the page brings it back. */
function writeAddress({ workspace: { active }, asked }: Page): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let written: string | null | undefined;
  effect(() => {
    const shown = active.value?.document;
    const path = shown?.info.value.source.path ?? null;
    const view = shown ? captureView(shown) : null;
    const write = () => {
      written = path;
      history.replaceState(path === null ? null : mark(path), '', location.pathname + toAddress(path, view));
    };
    clearTimeout(timer);
    // What the address names may still be opened.
    if (path === null && asked.busy.value) return;
    // Another file at once; how it is looked at changes with every movement, and browsers limit how often they are told.
    if (path !== written) write();
    else timer = setTimeout(write, REST);
  });
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
