import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Format, PageState } from '../../src/supervisor/protocol.ts';
import { usePage } from './page.ts';

export function SupportPanel({ state }: { readonly state: PageState }) {
  return (
    <>
      <BundleCard state={state} />
      <FormatsCard />
      <div class="card">
        <h2>About</h2>
        <dl class="facts">
          <dt>Version</dt>
          <dd>{state.version}</dd>
          <dt>Log</dt>
          <dd>{state.logFile}</dd>
          <dt>Settings</dt>
          <dd>{state.settingsFile}</dd>
        </dl>
        <p class="muted">
          Your files stay on this computer. Without other settings the server listens on 127.0.0.1, which other
          computers cannot reach.
        </p>
      </div>
    </>
  );
}

function BundleCard({ state }: { readonly state: PageState }) {
  const { connection, notice, run } = usePage();
  const inspected = useSignal('');
  const busy = useSignal(false);
  const write = () =>
    run(async () => {
      busy.value = true;
      try {
        const { path } = await connection.post<{ path: string }>('support-bundle', { inspected: inspected.value });
        notice.value = { kind: 'info', text: `The support bundle is ${path}` };
      } finally {
        busy.value = false;
      }
    });
  return (
    <div class="card">
      <h2>Get help</h2>
      <p>
        A support bundle is an archive with the log, the settings without the token, and the versions. The log has the
        names and folders of your files. Nothing is sent: look into it, then attach it to your question.
      </p>
      <p class="bundle">
        <label for="inspected">Add the description of a file</label>
        <select
          id="inspected"
          value={inspected.value}
          onChange={(event) => {
            inspected.value = event.currentTarget.value;
          }}
        >
          <option value="">None</option>
          {state.recent.map(({ path, name }) => (
            <option key={path} value={path}>
              {name}
            </option>
          ))}
        </select>
        <button type="button" disabled={busy.value} onClick={write}>
          {busy.value ? 'Making the bundle…' : 'Make a support bundle'}
        </button>
      </p>
    </div>
  );
}

function FormatsCard() {
  const { connection, run } = usePage();
  const formats = useSignal<readonly Format[]>([]);
  useEffect(() => {
    run(async () => {
      formats.value = (await connection.post<{ formats: Format[] }>('formats')).formats;
    });
  }, []);
  return (
    <div class="card">
      <h2>Formats</h2>
      <table class="formats">
        <thead>
          <tr>
            <th scope="col">Format</th>
            <th scope="col">Extensions</th>
          </tr>
        </thead>
        <tbody>
          {formats.value.map(({ name, extensions }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{extensions.join(' ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
