import './live.css';
import { isUnreadable, liveWords } from '../live/live.ts';
import { growthOf, isAtNewest, isPaused, NEWEST } from '../live/newest.ts';
import { usePage } from './context.ts';
import type { Tab } from './tab.ts';

/** Says that the recording is followed, and what is new; a click returns to the newest plane or line. */
export function LiveBadge({ tab }: { tab: Tab }) {
  const { workspace, keeper } = usePage();
  const live = tab.live.value;
  if (live === null) return null;
  const { document } = tab;
  const stack = workspace.stackOf(tab);
  const { of, size } = growthOf(document);
  const isConnected = workspace.server.connection.value.state !== 'down';
  const isAt = isAtNewest(document, stack.wanted.value, live.shown);
  const now = keeper.now.value;
  const added = isAt ? null : Math.max(0, size - live.seen);
  const words = liveWords(live, { added, now, isPaused: isPaused(document, stack), isConnected });
  const reason = isUnreadable(live, now) ? live.failure : undefined;
  if (isAt) {
    return (
      <span class="live-badge" title={reason}>
        {words}
      </span>
    );
  }
  const act = `Show the newest ${NEWEST[of]}`;
  return (
    <button
      type="button"
      class="live-badge"
      aria-label={`${words}. ${act}`}
      title={reason ?? act}
      onClick={() => workspace.following.showNewest(tab)}
    >
      {words}
    </button>
  );
}
