import { growthOf, NEWEST } from '../live/newest.ts';
import { usePage } from './context.ts';
import { canFollow } from './following.ts';
import type { Tab } from './tab.ts';

/** Switches following of a recording on and off. Absent for what the server cannot open again. */
export function FollowButton({ tab }: { tab: Tab }) {
  const { following } = usePage().workspace;
  if (!canFollow(tab)) return null;
  const isLive = tab.live.value !== null;
  return (
    <button
      type="button"
      class="follow-button"
      aria-pressed={isLive}
      title={`Show the newest ${NEWEST[growthOf(tab.document).of]} as long as the file is being recorded`}
      onClick={() => (isLive ? following.stop(tab) : void following.start(tab))}
    >
      Follow
    </button>
  );
}
