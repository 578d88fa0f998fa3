import { usePage } from './context.ts';
import { PathForm, PickButtons } from './open-form.tsx';
import { RecentList, SampleList } from './recent-list.tsx';

/** Nothing is open yet. */
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
          Or drop the text of a path anywhere on this page. Browsers do not tell pages where a dropped file lies, so a
          file itself has to be opened with the button.
        </p>
        <p class="app-privacy">{privacy(location.hostname)}</p>
      </section>
      <section aria-labelledby="start-recent">
        <h2 id="start-recent">Recent</h2>
        <RecentList />
      </section>
      <section aria-labelledby="start-samples">
        <h2 id="start-samples">To try it out</h2>
        <SampleList />
      </section>
      <section aria-labelledby="start-formats" class="app-start-formats">
        <h2 id="start-formats">Reads</h2>
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

export const HEALTH = { asking: 'asking the server …', up: 'answers', down: 'does not answer' } as const;

/** True to where the server runs. */
export function privacy(host: string): string {
  const here = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
  return here
    ? 'Nothing leaves this computer: this page talks to the server on it and to nobody else.'
    : `This page talks to the server ${host} that it came from and to nobody else; files stay there, and what is shown is held by this browser.`;
}
