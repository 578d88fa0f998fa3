import './open.css';
import { useRef } from 'preact/hooks';
import { Icon } from '../icons/icon.tsx';
import { moveAlong, useOneStop } from '../image/one-stop.ts';
import { BesideButton } from './beside-bar.tsx';
import { usePage } from './context.ts';
import icon from './icon.svg';
import { Menu } from './menu.tsx';
import { OpenList } from './open-list.tsx';
import { OpenMenu } from './open-menu.tsx';
import { UserMenu } from './sign-in.tsx';
import { TabList } from './tab-list.tsx';
import { THEMES } from './theme.ts';

export function TopBar() {
  const { workspace } = usePage();
  const hasTabs = workspace.tabs.value.length > 0;
  return (
    <header class="app-top">
      <h1 class="app-name">
        <img src={icon} alt="" width="20" height="20" />
        <span class={hasTabs ? 'visually-hidden' : undefined}>Acquisition Store</span>
      </h1>
      {hasTabs && (
        <>
          <OpenMenu />
          <TabList />
        </>
      )}
      <Tools />
    </header>
  );
}

function Tools() {
  const { workspace, phone } = usePage();
  const root = useRef<HTMLDivElement>(null);
  useOneStop(root);
  return (
    <div ref={root} class="app-tools" role="toolbar" aria-label="Page" onKeyDown={moveAlong}>
      {workspace.tabs.value.length > 1 && (
        <>
          <OpenList />
          {!phone.isNarrow.value && <BesideButton />}
        </>
      )}
      <UserMenu />
      {phone.isNarrow.value && workspace.active.value ? (
        <Menu label="More" icon={<Icon name="more" />} isIconOnly title="Theme, server, keys">
          {() => (
            <div class="app-more">
              <PageButtons />
            </div>
          )}
        </Menu>
      ) : (
        <PageButtons />
      )}
    </div>
  );
}

function PageButtons() {
  const { dialog, workspace, phone } = usePage();
  return (
    <>
      {workspace.active.value && !phone.isNarrow.value && <SidebarButton />}
      {workspace.tabs.value.length > 1 && phone.isNarrow.value && <BesideButton />}
      <ThemeButton />
      {workspace.server.isThere && <ServerButton />}
      <button
        type="button"
        class="quiet icon"
        aria-label="Keyboard shortcuts"
        aria-keyshortcuts="F1"
        title="Keyboard shortcuts (F1)"
        onClick={() => {
          dialog.value = 'help';
        }}
      >
        <Icon name="help" />
      </button>
    </>
  );
}

function SidebarButton() {
  const { sideShown } = usePage();
  return (
    <button
      type="button"
      class="quiet icon"
      aria-label="Sidebar"
      aria-pressed={sideShown.value}
      aria-keyshortcuts="Alt+B"
      title="Sidebar (Alt+B)"
      onClick={() => {
        sideShown.value = !sideShown.value;
      }}
    >
      <Icon name="side" />
    </button>
  );
}

function ThemeButton() {
  const { theme } = usePage();
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  return (
    <button
      type="button"
      class="quiet icon"
      aria-label={`Theme: ${theme.value}. Switch to ${next}`}
      title={`Theme: ${theme.value} (click for ${next})`}
      onClick={() => {
        theme.value = next;
      }}
    >
      <Icon name={theme.value} />
    </button>
  );
}

function ServerButton() {
  const { dialog, workspace } = usePage();
  const { state } = workspace.server.connection.value;
  const down = state === 'down';
  return (
    <button
      type="button"
      class="quiet icon app-server-button"
      data-down={down}
      aria-label={down ? 'Server: not responding' : 'Server'}
      title={down ? 'The server is not responding' : 'Server: running. Version, formats, sessions'}
      onClick={() => {
        dialog.value = 'server';
      }}
    >
      <Icon name="server" />
      <span class="app-health" data-state={state} />
    </button>
  );
}
