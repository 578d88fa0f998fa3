import { useSignal } from '@preact/signals';
import type { PageState } from '../../src/supervisor/protocol.ts';
import { AcquisitionsCard } from './acquisitions-card.tsx';
import { Icon } from './icons.tsx';
import { DIALOG, usePage } from './page.ts';
import { ServerCard } from './server-card.tsx';

export function HomePanel({ state }: { readonly state: PageState }) {
  return (
    <>
      <ServerCard state={state} />
      <OpenCard state={state} />
      <AcquisitionsCard state={state} />
      <RecentCard state={state} />
    </>
  );
}

function OpenCard({ state }: { readonly state: PageState }) {
  const { open, waiting } = usePage();
  const path = useSignal('');
  // A stopped server is started by the request.
  const busy = waiting.value !== null || state.server.name === 'stopping';
  const submit = (event: Event) => {
    event.preventDefault();
    if (path.value.trim() !== '') open(`Opening ${path.value.trim()}…`, 'open', { path: path.value.trim() });
  };
  return (
    <div class="card open">
      <h2 class="visually-hidden">Open an acquisition</h2>
      <button
        type="button"
        class="primary with-icon"
        disabled={busy}
        onClick={() => open(DIALOG, 'pick', { kind: 'file' })}
      >
        <Icon name="file" />
        Open file…
      </button>
      <button
        type="button"
        class="with-icon"
        disabled={busy}
        title="Open an acquisition that is a folder"
        onClick={() => open(DIALOG, 'pick', { kind: 'folder' })}
      >
        <Icon name="folder" />
        Open folder…
      </button>
      <form class="path" onSubmit={submit}>
        <input
          type="text"
          aria-label="Path of a file or folder"
          placeholder="or enter a path"
          spellcheck={false}
          autocomplete="off"
          value={path.value}
          onInput={(event) => {
            path.value = event.currentTarget.value;
          }}
        />
        <button type="submit" disabled={busy}>
          Open
        </button>
      </form>
    </div>
  );
}

function RecentCard({ state }: { readonly state: PageState }) {
  const { connection, open, run, waiting } = usePage();
  return (
    <div class="card">
      <div class="card-head">
        <h2>Recent</h2>
        {state.recent.length > 0 && (
          <button type="button" class="quiet" onClick={() => run(() => connection.post('recent/clear'))}>
            Clear the list
          </button>
        )}
      </div>
      {state.recent.length === 0 ? (
        <p class="muted">Files that you open here are listed, so that you find them again.</p>
      ) : (
        <ul class="recent">
          {state.recent.map(({ path, name }) => (
            <li key={path}>
              <button
                type="button"
                class="quiet"
                disabled={waiting.value !== null}
                title={path}
                onClick={() => open(`Opening ${name}…`, 'open', { path })}
              >
                <span class="recent-name">{name}</span>
                <span class="muted recent-path">{path}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
