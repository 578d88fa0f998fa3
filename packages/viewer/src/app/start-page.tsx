import { folderFormats, groupFormats } from '../files/format-groups.ts';
import samplePicture from '../files/sample.webp';
import { Icon } from '../icons/icon.tsx';
import { usePage } from './context.ts';
import { PathForm } from './open-form.tsx';
import { privacy, whereRead } from './privacy.ts';
import { RecentList } from './recent-list.tsx';

/** Shown while no acquisition is open. */
export function StartPage() {
  const { workspace } = usePage();
  const { isThere } = workspace.server;
  const info = workspace.server.info.value;
  const groups = groupFormats(info?.capabilities.formats ?? []);
  const examples = info?.examples ?? [];
  return (
    <main class="app-start">
      <section class="app-start-open" aria-labelledby="start-open">
        <h2 id="start-open">Open an acquisition</h2>
        <StartButtons />
        {isThere && <PathForm placeholder="or paste a path, e.g. ~/scans/cell1.oir" />}
        <p class="app-muted">
          Or drop {isThere ? 'files, a folder or a path' : 'files or a folder'} anywhere on this page.{' '}
          {whereRead(isThere)}
        </p>
        <p class="app-privacy">{privacy(isThere ? location.hostname : null)}</p>
      </section>
      {isThere && (
        <section class="app-start-recent" aria-labelledby="start-recent">
          <h2 id="start-recent">Recent</h2>
          <RecentList hasCards />
        </section>
      )}
      {examples.length > 0 && (
        <section aria-labelledby="start-samples">
          <h2 id="start-samples">Sample data</h2>
          {examples.map((example) => (
            <SampleCard key={example.path} {...example} />
          ))}
        </section>
      )}
      <section class="app-start-formats">
        {groups.length > 0 && (
          <details>
            <summary>
              <h2>Supported formats</h2>
            </summary>
            <dl class="start-makers">
              {groups.map(({ name, extensions }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{extensions.join(' ')}</dd>
                </div>
              ))}
            </dl>
          </details>
        )}
        {isThere ? <ServerLine /> : <PageLine />}
      </section>
    </main>
  );
}

function ServerLine() {
  const { info, connection } = usePage().workspace.server;
  const { index } = info.value ?? {};
  return (
    <p class="app-muted">
      {index ? `Server ${index.serverVersion}, API ${index.apiVersion}, ` : ''}
      {HEALTH[connection.value.state]} · <a href="../../docs">API documentation</a>
    </p>
  );
}

/** A user who knows the page with a server finds here what it does not have. */
function PageLine() {
  const { info } = usePage().workspace.server;
  return (
    <p class="app-muted">
      Version {info.value?.index.serverVersion}, without a server: paths, links, following of recordings and other
      programs need one.
    </p>
  );
}

/** The file dialog, that for folders, and the folders in the page, as far as the server offers them. */
function StartButtons() {
  const { ways, server } = usePage().workspace;
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
      {(ways.offers('picker') || !server.isThere) && (
        <button
          type="button"
          title={`Open a folder: ${folderFormats(server.info.value?.capabilities.formats ?? [])} (Ctrl+Shift+O)`}
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
