import { groupFormats } from '../files/format-groups.ts';
import samplePicture from '../files/sample.webp';
import { Icon } from '../icons/icon.tsx';
import { usePage } from './context.ts';
import { PathForm } from './open-form.tsx';
import { RecentList } from './recent-list.tsx';

/** Shown while no acquisition is open. */
export function StartPage() {
  const { workspace } = usePage();
  const info = workspace.server.info.value;
  const makers = groupFormats(info?.capabilities.allowedImportExtensions ?? []);
  const examples = info?.examples ?? [];
  return (
    <main class="app-start">
      <section class="app-start-open" aria-labelledby="start-open">
        <h2 id="start-open">Open an acquisition</h2>
        <StartButtons />
        <PathForm placeholder="or paste a path, e.g. ~/scans/cell1.oir" />
        <p class="app-muted">
          Or drop files, a folder or a path anywhere on this page.{' '}
          {workspace.ways.offers('upload') && 'Files that the server does not find on its disk are sent to it.'}
        </p>
        <p class="app-privacy">{privacy(location.hostname)}</p>
      </section>
      <section class="app-start-recent" aria-labelledby="start-recent">
        <h2 id="start-recent">Recent</h2>
        <RecentList hasCards />
      </section>
      {examples.length > 0 && (
        <section aria-labelledby="start-samples">
          <h2 id="start-samples">Sample data</h2>
          {examples.map((example) => (
            <SampleCard key={example.path} {...example} />
          ))}
        </section>
      )}
      <section class="app-start-formats">
        {makers.length > 0 && (
          <details>
            <summary>
              <h2>Supported formats</h2>
            </summary>
            <dl class="start-makers">
              {makers.map(({ maker, extensions }) => (
                <div key={maker}>
                  <dt>{maker}</dt>
                  <dd>{extensions.join(' ')}</dd>
                </div>
              ))}
            </dl>
          </details>
        )}
        <p class="app-muted">
          {info ? `Server ${info.index.serverVersion}, API ${info.index.apiVersion}, ` : ''}
          {HEALTH[workspace.server.connection.value.state]} · <a href="../../docs">API documentation</a>
        </p>
      </section>
    </main>
  );
}

/** The file dialog, that for folders, and the folders in the page, as far as the server offers them. */
function StartButtons() {
  const { ways } = usePage().workspace;
  return (
    <div class="start-buttons">
      <button
        type="button"
        class="primary start-open"
        aria-keyshortcuts="Control+O"
        title="Choose a file (Ctrl+O)"
        onClick={() => void ways.pick('file')}
      >
        Open…
      </button>
      {ways.offers('picker') && (
        <button
          type="button"
          title="Open a folder: OME-Zarr, Bruker Prairie View (Ctrl+Shift+O)"
          onClick={() => void ways.pick('folder')}
        >
          <Icon name="folder" /> Open a folder…
        </button>
      )}
      {ways.offers('folders') && ways.offers('picker') && (
        <button type="button" title="List the folders of the server's computer in this page" onClick={ways.browse}>
          <Icon name="file" /> Browse folders
        </button>
      )}
    </div>
  );
}

function SampleCard({ name, description, path }: { name: string; description: string; path: string }) {
  const { workspace } = usePage();
  return (
    <button type="button" class="start-sample app-sample" title={path} onClick={() => void workspace.open({ path })}>
      <img src={samplePicture} alt="" width="480" height="150" />
      <span class="start-sample-text">
        <span class="start-sample-name">Open the sample: {name}</span>
        <span class="app-muted app-entry-text">{description}</span>
      </span>
    </button>
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
