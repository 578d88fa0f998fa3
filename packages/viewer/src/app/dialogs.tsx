import { useEffect, useState } from 'preact/hooks';
import { FolderDialog } from '../files/folder-dialog.tsx';
import { formatNumber } from '../model/number-text.ts';
import { CalibrationDialog } from './calibration-dialog.tsx';
import { usePage } from './context.ts';
import { copyText } from './copy.ts';
import { Dialog } from './dialog.tsx';
import { KEYS } from './keys.ts';
import { PlanesDialog } from './planes-dialog.tsx';
import { privacy } from './privacy.ts';
import { SessionList } from './session-list.tsx';
import { HEALTH } from './start-page.tsx';
import type { Tab } from './tab.ts';

export function Dialogs() {
  const { dialog, workspace } = usePage();
  const tab = workspace.active.value;
  switch (dialog.value) {
    case 'help':
      return <HelpDialog />;
    case 'server':
      return <ServerDialog />;
    case 'json':
      return tab && <JsonDialog tab={tab} />;
    case 'files':
      return <FolderDialog />;
    case 'calibration':
      return tab && <CalibrationDialog tab={tab} />;
    case 'planes':
      return tab && <PlanesDialog tab={tab} />;
    default:
      return null;
  }
}

function HelpDialog() {
  return (
    <Dialog title="Keyboard shortcuts">
      <div class="app-keys">
        {KEYS.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([strokes, meaning]) => (
                <div key={meaning}>
                  <dt>
                    <kbd>{strokes}</kbd>
                  </dt>
                  <dd>{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function ServerDialog() {
  const { workspace } = usePage();
  const { info, connection, client } = workspace.server;
  const details = info.value;
  return (
    <Dialog title="Server">
      <table class="app-facts">
        <tbody>
          <tr>
            <th scope="row">Address</th>
            <td>{client.baseUrl}</td>
          </tr>
          <tr>
            <th scope="row">Status</th>
            <td>
              {HEALTH[connection.value.state]} {connection.value.message}
            </td>
          </tr>
          {details && (
            <>
              <tr>
                <th scope="row">Version</th>
                <td>
                  {details.index.serverVersion} (API {details.index.apiVersion})
                </td>
              </tr>
              <tr>
                <th scope="row">Formats</th>
                <td class="app-formats">
                  {details.capabilities.allowedImportExtensions.map((extension) => (
                    <code key={extension}>{extension}</code>
                  ))}
                </td>
              </tr>
              <tr>
                <th scope="row">Sessions</th>
                <td>
                  end {formatNumber(Math.round(details.capabilities.sessionTtlSeconds))} s after their last renewal;
                  those on screen are renewed
                </td>
              </tr>
            </>
          )}
        </tbody>
      </table>
      <SessionList />
      <p>
        <a href="../../docs">API documentation</a> · <a href="../../openapi.json">OpenAPI</a>
      </p>
      <p class="app-muted">{privacy(location.hostname)}</p>
    </Dialog>
  );
}

const PARTS = ['Open response', 'Header', 'Session'] as const;

function JsonDialog({ tab }: { tab: Tab }) {
  const [part, setPart] = useState<(typeof PARTS)[number]>('Open response');
  const [status, setStatus] = useState<object | null>(null);
  const [copied, setCopied] = useState('');
  const info = tab.document.info.value;
  useEffect(() => {
    let closed = false;
    const show = (value: object) => {
      if (!closed) setStatus(value);
    };
    tab.document.opened.value.status().then(show, ({ code, message }) => show({ ok: false, error: code, message }));
    return () => {
      closed = true;
    };
  }, [tab, info.sessionId]);
  const text = JSON.stringify({ 'Open response': info, Header: info.header, Session: status }[part], null, 2);
  const copy = async () => setCopied((await copyText(text)) ? 'Copied' : 'The browser did not allow copying');
  return (
    <Dialog title={`${info.source.name} as JSON`}>
      <div class="app-json-bar">
        {PARTS.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === part}
            onClick={() => {
              setPart(name);
              setCopied('');
            }}
          >
            {name}
          </button>
        ))}
        <span role="status" class="app-muted">
          {copied}
        </span>
        <button type="button" onClick={() => void copy()}>
          Copy
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
      <section class="app-json" tabIndex={0} aria-label={part}>
        <pre>{text}</pre>
      </section>
    </Dialog>
  );
}
