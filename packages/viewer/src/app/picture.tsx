import { useSignal } from '@preact/signals';
import { ChannelCards } from '../contrast/channel-cards.tsx';
import { PaneView } from '../image/pane-view.tsx';
import type { Pane } from '../model/document.ts';
import type { MenuRequest, Overlay, Tool } from '../model/extension.ts';
import { usePage } from './context.ts';
import { ImageMenu } from './image-menu.tsx';
import { LiveBadge } from './live-badge.tsx';
import { OVERLAYS, TOOLS } from './parts.ts';
import type { Tab } from './tab.ts';

interface PictureProps {
  readonly tab: Tab;
  readonly pane: Pane;
  /** False where the small pictures of the channels have no room. */
  readonly hasChannelCards?: boolean;
  readonly tools?: readonly Tool[];
  readonly overlays?: readonly Overlay[];
}

/** The images of a pane, with their context menu. */
export function Picture(props: PictureProps) {
  const { tab, pane, hasChannelCards = false, tools = TOOLS, overlays = OVERLAYS } = props;
  const { workspace, renderer } = usePage();
  const menu = useSignal<MenuRequest | null>(null);
  return (
    <>
      {menu.value && <ImageMenu request={menu.value} close={() => (menu.value = null)} />}
      <PaneView
        key={`${pane.kind} ${tab.document.id}`}
        document={tab.document}
        pane={pane}
        tools={tools}
        overlays={overlays}
        renderer={renderer()}
        onRetry={({ load }) => {
          const { state } = load.value;
          const hasChanged = state === 'failed' && load.value.code === 'source_changed';
          void (hasChanged ? workspace.following.update(tab) : workspace.loadRest(tab));
        }}
        badge={pane.kind === 'source' && <LiveBadge tab={tab} />}
        onMenu={(request) => (menu.value = request)}
        {...(hasChannelCards ? { channelCards: ChannelCards } : {})}
      />
    </>
  );
}
