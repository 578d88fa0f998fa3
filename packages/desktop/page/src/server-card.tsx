import { copyText } from '../../../viewer/src/app/copy.ts';
import { formatBytes } from '../../../viewer/src/model/number-text.ts';
import type { Health, PageState, PortOwner, ServerState } from '../../src/supervisor/protocol.ts';
import { clock } from './clock.ts';
import { Icon } from './icons.tsx';
import { usePage } from './page.ts';

export const STATE_WORDS: Record<ServerState['name'], string> = {
  stopped: 'Stopped',
  starting: 'Starting',
  running: 'Running',
  stopping: 'Stopping',
  failed: 'Failed',
  taken: 'Port in use',
};

/** The state of the image server, and the buttons to start and stop it. */
export function ServerCard({ state }: { readonly state: PageState }) {
  const { connection, run } = usePage();
  const { server } = state;
  const { name } = server;
  const canStart = name === 'stopped' || name === 'failed' || name === 'taken';
  const post = (path: string) => run(() => connection.post(path));
  return (
    <div class="card server" data-state={name}>
      <div class="server-head">
        <span class="dot" aria-hidden="true" />
        <div class="server-text">
          <h2>{headline(server)}</h2>
          <p class="muted" title={server.name === 'running' ? `Running since ${clock(server.since)}` : undefined}>
            {subline(server)}
          </p>
        </div>
        <button type="button" class="with-icon" disabled={name !== 'running'} onClick={() => post('restart')}>
          <Icon name="restart" />
          Restart
        </button>
        {canStart ? (
          <button type="button" class="primary with-icon" onClick={() => post('start')}>
            <Icon name="start" />
            Start server
          </button>
        ) : (
          <button
            type="button"
            class="with-icon"
            disabled={name === 'stopping'}
            title="Open acquisitions end, and pages can no longer read them"
            onClick={() => post('stop')}
          >
            <Icon name="stop" />
            Stop server
          </button>
        )}
      </div>
      {name === 'running' && <Address url={server.url} />}
      {name === 'failed' && server.lastLines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        <section class="last-lines" aria-label="Last lines of the log" tabIndex={0}>
          <pre>{server.lastLines.join('\n')}</pre>
        </section>
      )}
      {name === 'taken' && server.freePort > 0 && <OtherPort state={state} port={server.freePort} />}
    </div>
  );
}

function Address({ url }: { readonly url: string }) {
  const { notice, open } = usePage();
  const copy = async () => {
    const done = await copyText(url);
    notice.value = done
      ? { kind: 'info', text: 'The address was copied.' }
      : { kind: 'error', text: 'The clipboard is not available. Select the address to copy it.' };
  };
  return (
    <div class="address">
      <span>Address</span>
      <code>{url}</code>
      <button type="button" class="quiet icon" aria-label="Copy the address" title="Copy" onClick={() => void copy()}>
        <Icon name="copy" />
      </button>
      <button type="button" onClick={() => open('Opening the viewer…', 'viewer', {})}>
        Open viewer
      </button>
    </div>
  );
}

function OtherPort({ state, port }: { readonly state: PageState; readonly port: number }) {
  const { connection, run } = usePage();
  const change = () =>
    run(async () => {
      await connection.post('settings', { ...state.settings, port });
      await connection.post('start');
    });
  return (
    <p class="other-port">
      <button type="button" onClick={change}>
        Use port {port} instead
      </button>
      <span class="muted">The new port is saved in the settings. Pages that use the old address need the new one.</span>
    </p>
  );
}

function headline(server: ServerState): string {
  switch (server.name) {
    case 'running':
      return server.health.name === 'silent' ? 'The server does not answer' : 'The server is running';
    case 'starting':
      return 'The server is starting…';
    case 'stopping':
      return 'The server is stopping…';
    case 'failed':
      return server.message;
    case 'taken':
      return server.owner.isOurs
        ? `Another Acquisition Store server already uses port ${server.port}`
        : `Port ${server.port} is in use by another program`;
    default:
      return 'The server is stopped';
  }
}

function subline(server: ServerState): string {
  switch (server.name) {
    case 'running':
      return `${healthText(server.health)} · process ${server.pid}`;
    case 'stopping':
      return 'Downloads that are running may finish for a few seconds.';
    case 'failed':
      return 'It is not started again by itself. The log has the details.';
    case 'taken':
      return `${ownerText(server.owner)} It was left alone.`;
    case 'starting':
      return 'This takes about a second.';
    default:
      return 'Acquisitions cannot be opened until it is started.';
  }
}

function healthText(health: Health): string {
  if (health.name === 'answering') {
    const { milliseconds, memoryBytes } = health;
    return `Answers in ${milliseconds} ms${memoryBytes === undefined ? '' : ` · ${formatBytes(memoryBytes)}`}`;
  }
  return health.name === 'silent' ? `No answer since ${clock(health.since)}` : 'Checking';
}

function ownerText({ pid, program }: PortOwner): string {
  if (pid === undefined) return 'The system does not reveal which program it is.';
  return `${program === undefined ? 'The program' : `The program is ${program},`} process ${pid}.`;
}
