import { CursorReadout, ZoomReadout } from '../image/cursor-readout.tsx';
import { usePage } from './context.ts';
import { bytes, clock } from './facts.ts';
import { allChannels } from './loading.ts';
import type { Tab } from './tab.ts';

export function StatusLine({ tab }: { tab: Tab }) {
  const { keeper } = usePage();
  const { state, endsAt } = tab.session.value;
  const held = allChannels(tab).reduce((sum, { data }) => sum + (data.value?.byteLength ?? 0), 0);
  const session = { asking: '', live: `session ${clock(endsAt - keeper.now.value)}`, ended: 'session ended' }[state];
  return (
    <footer class="app-status">
      <CursorReadout pane={tab.document.pane.value} />
      <span class="app-status-right">
        <ZoomReadout pane={tab.document.pane.value} />
        <span title="Left of the session; it is renewed while this is in view">{session}</span>
        <span title="Samples held by this page">{bytes(held)}</span>
      </span>
    </footer>
  );
}
