import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PageState } from '../../src/supervisor/protocol.ts';
import { clock } from './clock.ts';
import { usePage } from './page.ts';
import { ReleaseLink } from './update-line.tsx';

/** Where the application looks for new versions, and what it found. */
export function UpdatesCard({ state }: { readonly state: PageState }) {
  const { connection, notice, run } = usePage();
  const { address, check, result } = state.updates;
  const typed = useSignal(address);
  useEffect(() => {
    typed.value = address;
  }, [address]);
  const save = (event: Event) => {
    event.preventDefault();
    run(async () => {
      await connection.post('updates/address', { address: typed.value.trim() });
      notice.value = { kind: 'info', text: 'The address was saved.' };
    });
  };
  const want = (event: { currentTarget: HTMLInputElement }) => {
    const wanted = event.currentTarget.checked;
    run(() => connection.post('updates/wanted', { wanted }));
  };
  return (
    <form class="card settings" onSubmit={save} noValidate>
      <h2>New versions</h2>
      <div class="row">
        <label for="update-address">Address</label>
        <div>
          <span class="address-field">
            <input
              type="url"
              id="update-address"
              aria-describedby="note-update-address"
              spellcheck={false}
              value={typed.value}
              onInput={(event) => {
                typed.value = event.currentTarget.value;
              }}
            />
            <button type="submit" disabled={typed.value.trim() === address}>
              Save the address
            </button>
          </span>
          <p class="muted" id="note-update-address">
            Of a small file with the latest version, starting with https://. Empty to never look.
          </p>
        </div>
      </div>
      <div class="row">
        <span />
        <label class="check">
          <input type="checkbox" checked={check === 'yes'} disabled={address === ''} onChange={want} />
          Look for new versions at each start, and once a day
        </label>
      </div>
      <div class="row">
        <span />
        <span>
          <button
            type="button"
            disabled={address === '' || result.name === 'checking'}
            onClick={() => run(() => connection.post('updates/check'))}
          >
            Look now
          </button>{' '}
          <span role="status">
            <Found state={state} />
          </span>
        </span>
      </div>
    </form>
  );
}

function Found({ state }: { readonly state: PageState }) {
  const { result } = state.updates;
  switch (result.name) {
    case 'checking':
      return <>Looking…</>;
    case 'current':
      return (
        <>
          Version {state.version} was the latest at {clock(result.checkedAt)}.
        </>
      );
    case 'newer':
      return (
        <>
          Version {result.version} is available. <ReleaseLink state={state} result={result} />
        </>
      );
    case 'failed':
      return <>No new version is known: {result.message}</>;
    default:
      return null;
  }
}
