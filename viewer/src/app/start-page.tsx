import { usePage } from './context.ts';
import { PathForm, PickButtons } from './open-form.tsx';
import { RecentList, SampleList } from './recent-list.tsx';

/** Shown while no acquisition is open. */
export function StartPage() {
  const { workspace } = usePage();
  const info = workspace.server.info.value;
  return (
    <main class="app-start">
      <section class="app-start-open" aria-labelledby="start-open">
        <h2 id="start-open">Open an acquisition</h2>
        <div class="app-start-row">
          <PickButtons primary />
          <PathForm placeholder="or paste a path, e.g. ~/scans/cell1.oir" />
        </div>
        <p class="app-muted">
          Or drop a path anywhere on this page. Browsers do not give pages the path of a dropped file, so open files
          with the button.
        </p>
        <p class="app-privacy">{privacy(location.hostname)}</p>
      </section>
      <section aria-labelledby="start-recent">
        <h2 id="start-recent">Recent</h2>
        <RecentList />
      </section>
      <section aria-labelledby="start-samples">
        <h2 id="start-samples">Sample data</h2>
        <SampleList />
      </section>
      <section aria-labelledby="start-formats" class="app-start-formats">
        <h2 id="start-formats">Supported formats</h2>
        <p class="app-formats">
          {info?.capabilities.allowedImportExtensions.map((extension) => (
            <code key={extension}>{extension}</code>
          ))}
        </p>
        <p class="app-muted">
          {info ? `Server ${info.index.serverVersion}, API ${info.index.apiVersion}, ` : ''}
          {HEALTH[workspace.server.connection.value.state]} · <a href="../../docs">API documentation</a>
        </p>
      </section>
    </main>
  );
}

export const HEALTH = { asking: 'connecting…', up: 'running', down: 'not responding' } as const;

/** Says where files and images stay, depending on where the server runs. */
export function privacy(host: string): string {
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
  return isLocal
    ? 'Nothing leaves this computer: this page connects only to the server that runs on it.'
    : `This page connects only to the server ${host}. Files stay on the server; displayed images are kept in this browser.`;
}
