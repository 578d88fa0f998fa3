import type { PageState } from '../../src/supervisor/protocol.ts';

export function SupportPanel({ state }: { readonly state: PageState }) {
  return (
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
        Your files stay on this computer. The server listens on 127.0.0.1, which other computers cannot reach.
      </p>
    </div>
  );
}
