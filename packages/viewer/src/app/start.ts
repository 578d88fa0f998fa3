/** Assembles the page and opens what its address names. */

import { computed, effect, signal } from '@preact/signals';
import { toUserLuts } from '../luts/user-luts.ts';
import { createRenderer } from '../render/renderer.ts';
import { readAddress } from './address.ts';
import { createAskedFile } from './asked-file.ts';
import { createBeside } from './beside.ts';
import type { DialogName, Page } from './context.ts';
import { isFramed, listenToFrame } from './framed.ts';
import { openFile } from './links.ts';
import { returnFromLogin } from './login-return.ts';
import { navigate } from './navigation.ts';
import { toSideWidth } from './panel-edge.tsx';
import { createPhone } from './phone.ts';
import type { Server } from './server.ts';
import { keepSessions } from './sessions.ts';
import { storedSignal } from './stored.ts';
import { rememberSwitches } from './switches.ts';
import { createTheme } from './theme.ts';
import { createWorkspace } from './workspace.ts';

export function startPage(server: Server): Page {
  returnFromLogin();
  const target = readAddress(location);
  if (target.token !== null) server.useToken(target.token);
  const dialog = signal<DialogName | null>(null);
  const workspace = createWorkspace(server, () => {
    dialog.value = 'files';
  });
  const asked = createAskedFile(workspace, (file) => openFile(file, workspace));
  const beside = createBeside({ list: workspace.tabs, active: workspace.active });
  effect(() => {
    workspace.following.beside.value = beside.other.value;
  });
  const page: Page = {
    workspace,
    asked,
    beside,
    keeper: keepSessions(workspace),
    theme: createTheme(document.documentElement),
    dialog,
    // A window that is neither wide nor a phone has no room for it at first; nor has a cell of a notebook, which is low.
    sideShown: storedSignal('side', (value) =>
      typeof value === 'boolean' ? value : innerWidth >= 1000 || (innerWidth <= 860 && !isFramed()),
    ),
    phone: createPhone(),
    sideWidth: storedSignal('sideWidth', toSideWidth),
    referenceEnlarged: storedSignal('referenceEnlarged', (value) => value === true),
    openMenuShown: signal(false),
    openListShown: signal(false),
    saving: signal(false),
    marksShown: storedSignal('marks', (value) => value === true),
    velocityShown: storedSignal('velocity', (value) => value === true),
    traces: {
      shown: storedSignal('traces', (value) => value === true),
      relative: storedSignal('tracesRelative', (value) => value === true),
      overlaid: storedSignal('tracesOverlaid', (value) => value === true),
    },
    profileShown: storedSignal('profile', (value) => (typeof value === 'boolean' ? value : null)),
    luts: storedSignal('luts', toUserLuts),
    renderer: once(createRenderer),
  };
  server.client.closeOnPageHide();
  void server.start().catch((error: unknown) => workspace.notices.report(error));
  navigate(page);
  listenToFrame(page);
  rememberSwitches(computed(() => workspace.active.value?.document ?? null));
  effect(() => {
    const name = workspace.active.value?.document.info.value.source.name;
    document.title = name ? `${name} – Acquisition Store` : 'Acquisition Store';
  });
  return page;
}

function once<T>(create: () => T): () => T {
  let created: { value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}
