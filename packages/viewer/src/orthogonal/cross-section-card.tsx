import { useComputed } from '@preact/signals';
import type { RefObject } from 'preact';
import { useId, useMemo } from 'preact/hooks';
import { usePage } from '../app/context.ts';
import { createCard } from '../image/card.ts';
import { CardStage } from '../image/image-card.tsx';
import { CARD_KEYS } from '../image/keys.ts';
import { guttersOf } from '../image/paint-axes.ts';
import { visibleChannels } from '../image/pane-state.ts';
import type { Rect } from '../model/geometry.ts';
import { useRegionLabel } from '../model/region-label.ts';
import type { Cut } from './cross-sections.ts';
import { CROSS_TOOLS } from './cross-tool.ts';
import type { CrossSectionView } from './model.ts';
import { sectionKey } from './view-link.ts';
import { sectionTitle } from './words.ts';

interface CrossSectionCardProps {
  readonly cut: Cut;
  readonly section: CrossSectionView;
  /** The element around all pictures. */
  readonly root: RefObject<HTMLElement | null>;
  readonly box: Rect;
  /** Width from the left of the box to the end of the room, CSS pixels. */
  readonly room: number;
}

/** A cross-section beside the plane, with its title above it. */
export function CrossSectionCard({ cut, section, root, box, room }: CrossSectionCardProps) {
  const { renderer } = usePage();
  const { pane, side } = section;
  const { document } = cut;
  const key = sectionKey(pane);
  const channels = visibleChannels(pane);
  const single = pane.channels.length > 1 ? null : (channels[0] ?? null);
  const card = useMemo(
    () => createCard({ document, pane, key, channel: single, tools: CROSS_TOOLS }),
    [document, pane, key, single],
  );
  const title = useComputed(() => sectionTitle(cut, section)).value;
  const label = useRegionLabel(title);
  const keys = useId();
  const gutters = guttersOf(pane, key);
  const { x, y, width, height } = box;
  return (
    <figure
      class={`image-card orthogonal-section${pane.axes.value ? '' : ' image-bare'}`}
      data-section={side}
      style={{ left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` }}
    >
      <figcaption class="orthogonal-title" style={{ paddingLeft: `${gutters.left}px`, width: `${room}px` }}>
        {title}
      </figcaption>
      <CardStage
        document={document}
        pane={pane}
        cardKey={key}
        channel={single}
        channels={channels}
        tools={CROSS_TOOLS}
        overlays={section.overlays}
        renderer={renderer()}
        paneElement={root}
        describedBy={keys}
        heading=""
        label={`${label}, cross-section`}
        card={card}
        gutters={gutters}
      />
      <p id={keys} class="image-hidden">
        {CARD_KEYS.map(({ keys: pressed, does }) => `${pressed}: ${does}.`).join(' ')}
      </p>
    </figure>
  );
}
