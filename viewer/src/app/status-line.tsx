import { CursorReadout, ZoomReadout } from '../image/cursor-readout.tsx';
import { formatBytes, formatClock } from '../model/number-text.ts';
import { usePage } from './context.ts';
import { allChannels } from './loading.ts';
import type { Tab } from './tab.ts';

export function StatusLine({ tab }: { tab: Tab }) {
  const { keeper } = usePage();
  const { state, endsAt } = tab.session.value;
  const loadedBytes = allChannels(tab).reduce((sum, { data }) => sum + (data.value?.byteLength ?? 0), 0);
  const session = { asking: '', live: `session ${formatClock(endsAt - keeper.now.value)}`, ended: 'session ended' }[
    state
  ];
  return (
    <footer class="app-status">
      <CursorReadout pane={tab.document.pane.value} />
      <span class="app-status-right">
        <ZoomReadout pane={tab.document.pane.value} />
        <span title="Time left in the session, which is renewed while it is visible">{session}</span>
        <span title="Memory used by the samples in this page">{formatBytes(loadedBytes)}</span>
      </span>
    </footer>
  );
}
