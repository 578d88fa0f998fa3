import { useSignal } from '@preact/signals';
import type { PageState, UpdatesState } from '../../src/supervisor/protocol.ts';
import { Dismiss } from './notice-lines.tsx';
import { usePage } from './page.ts';

/** Asks once whether to look for new versions, and says when there is one. */
export function UpdateLine({ state }: { readonly state: PageState }) {
  const dismissed = useSignal('');
  const { address, check, result } = state.updates;
  if (address !== '' && check === 'unasked') return <Question address={address} />;
  if (result.name !== 'newer' || result.version === dismissed.value) return null;
  return (
    <section class="notice" data-kind="info" aria-label="New version">
      <span>
        Version {result.version} is available. <ReleaseLink state={state} result={result} />
      </span>
      <Dismiss
        onClick={() => {
          dismissed.value = result.version;
        }}
      />
    </section>
  );
}

function Question({ address }: { readonly address: string }) {
  const { connection, run } = usePage();
  const answer = (wanted: boolean) => run(() => connection.post('updates/wanted', { wanted }));
  return (
    <section class="notice" data-kind="info" aria-label="New versions">
      <span>
        Look for new versions at {new URL(address).host} now and once a day? Nothing about you or your files is sent,
        and nothing is installed.
      </span>
      <span class="notice-actions">
        <button type="button" onClick={() => answer(true)}>
          Look for new versions
        </button>
        <button type="button" onClick={() => answer(false)}>
          Do not look
        </button>
      </span>
    </section>
  );
}

type Newer = Extract<UpdatesState['result'], { name: 'newer' }>;

/** The address as text, so that the user sees where it leads. */
export function ReleaseLink({ state, result: { url } }: { readonly state: PageState; readonly result: Newer }) {
  const { connection, run } = usePage();
  if (url === undefined) return null;
  const follow = (event: Event) => {
    if (!state.opensViewer) return;
    // A window of the application has no tabs.
    event.preventDefault();
    run(() => connection.post('updates/open'));
  };
  return (
    <a href={url} target="_blank" rel="noreferrer" onClick={follow}>
      {url}
    </a>
  );
}
