import { formatBytes, formatClock } from '../model/number-text.ts';
import { usePage } from './context.ts';
import { allChannels } from './loading.ts';
import type { Tab } from './tab.ts';

/** The sessions of the open acquisitions: how long they last, and the memory that they use. */
export function SessionList() {
  const { workspace } = usePage();
  const tabs = workspace.tabs.value;
  if (tabs.length === 0) return null;
  return (
    <section aria-labelledby="sessions">
      <h3 id="sessions">Open acquisitions</h3>
      <table class="app-sessions">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">Session</th>
            <th scope="col">Memory here</th>
            <th scope="col">On the server</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {tabs.map((tab) => (
            <SessionRow key={tab.document.id} tab={tab} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function SessionRow({ tab }: { tab: Tab }) {
  const { keeper } = usePage();
  const { state, endsAt, totalBytes } = tab.session.value;
  const live = state === 'live' && endsAt > keeper.now.value;
  const isHere = tab.document.opened.value.given !== undefined;
  const text = isHere
    ? 'read in this page'
    : live
      ? `${formatClock(endsAt - keeper.now.value)} left`
      : state === 'asking'
        ? '…'
        : 'ended';
  const loaded = allChannels(tab).reduce((sum, { data }) => sum + (data.value?.byteLength ?? 0), 0);
  const { name } = tab.document.info.value.source;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{text}</td>
      <td>{formatBytes(loaded)}</td>
      <td>{totalBytes === null || isHere ? '' : formatBytes(totalBytes)}</td>
      <td>
        {isHere ? null : live ? (
          <button type="button" aria-label={`Renew the session of ${name}`} onClick={() => void keeper.renew(tab)}>
            Renew
          </button>
        ) : (
          <button type="button" aria-label={`Open ${name} again`} onClick={() => void keeper.reopen(tab)}>
            Open again
          </button>
        )}
      </td>
    </tr>
  );
}
