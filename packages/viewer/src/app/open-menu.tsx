import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Icon } from '../icons/icon.tsx';
import type { IconName } from '../icons/lucide.ts';
import { moveAlong, useOneStop } from '../image/one-stop.ts';
import { usePage } from './context.ts';
import { Menu } from './menu.tsx';
import { PathForm } from './open-form.tsx';
import { RecentList, SampleList } from './recent-list.tsx';

/** Opens the file dialog; its arrow has all other ways to open something while an acquisition is shown. */
export function OpenMenu() {
  const { workspace, openMenuShown } = usePage();
  /** A path that could not be opened, so that it can be corrected. */
  const kept = useSignal('');
  const root = useRef<HTMLSpanElement>(null);
  useOneStop(root);
  return (
    <span ref={root} class="app-open" role="toolbar" aria-label="Open" onKeyDown={moveAlong}>
      <button
        type="button"
        aria-keyshortcuts="Control+O"
        title="Choose a file (Ctrl+O)"
        onClick={() => void workspace.ways.pick('file')}
      >
        Open…
      </button>
      <Menu
        label="More ways to open"
        icon={<Icon name="down" />}
        isIconOnly
        title="Path, folder, next file, recent files (Alt+P)"
        shown={openMenuShown}
      >
        {(close) => (
          <>
            {workspace.server.isThere && <PathForm kept={kept} hasFocus after={close} />}
            <Ways after={close} />
            {workspace.server.isThere && (
              <>
                <h2 class="app-menu-title">Recent</h2>
                <RecentList after={close} />
              </>
            )}
            <SampleList after={close} />
          </>
        )}
      </Menu>
    </span>
  );
}

/** The list of the folders of the server's computer with the files beside the shown one, or its dialog for folders. */
function Ways({ after }: { after: () => void }) {
  const { ways, server } = usePage().workspace;
  const run = (work: () => unknown) => () => {
    after();
    void work();
  };
  if (!ways.offers('folders')) {
    return (
      <>
        <Way label="Open a folder…" keys="Ctrl+Shift+O" icon="folder" run={run(() => ways.pick('folder'))} />
        {server.isThere && <ReadHere run={run} />}
      </>
    );
  }
  return (
    <>
      <Way label="Browse folders" icon="folder" run={run(ways.browse)} />
      <Way label="Previous file in the folder" keys="Alt+↑" icon="previous" run={run(() => ways.openNeighbor(-1))} />
      <Way label="Next file in the folder" keys="Alt+↓" icon="next" run={run(() => ways.openNeighbor(1))} />
      <ReadHere run={run} />
    </>
  );
}

/** The dialogs of the browser: for files that the server does not have. */
function ReadHere({ run }: { run: (work: () => unknown) => () => void }) {
  const { ways } = usePage().workspace;
  return (
    <>
      <Way label="Read files in this page…" icon="file" run={run(() => ways.choose('file'))} />
      <Way label="Read a folder in this page…" icon="folder" run={run(() => ways.choose('folder'))} />
    </>
  );
}

function Way({ label, keys, icon, run }: { label: string; keys?: string; icon: IconName; run: () => void }) {
  return (
    <button type="button" class="quiet app-entry app-way" onClick={run}>
      <Icon name={icon} />
      <span class="app-entry-name">{label}</span>
      {keys && <kbd>{keys}</kbd>}
    </button>
  );
}
