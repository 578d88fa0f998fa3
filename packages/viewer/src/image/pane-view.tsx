import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { useId, useRef } from 'preact/hooks';
import type { AcquisitionDocument, ChannelView, Pane } from '../model/document.ts';
import type { MenuRequest, Overlay, Tool } from '../model/extension.ts';
import type { Size } from '../model/geometry.ts';
import { paneNote } from '../model/hand-note.ts';
import { paneKey } from '../model/pane-key.ts';
import type { Renderer } from '../render/types.ts';
import { type CardsRoom, cardColumns, cardsRoom } from './card-grid.ts';
import './image.css';
import { useRegionLabel } from '../model/region-label.ts';
import { ImageCard } from './image-card.tsx';
import { CARD_KEYS } from './keys.ts';
import { aroundCard, shapeOf } from './pane-room.ts';
import { COMPOSITE, isComposite, isStretched, paneState, sharesColumn, visibleChannels } from './pane-state.ts';
import { cursorSample, paneHeading } from './readout.ts';
import { useContentSize } from './use-content-size.ts';

interface PaneViewProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly tools: readonly Tool[];
  readonly overlays: readonly Overlay[];
  readonly renderer: Renderer;
  /** Loads a channel again after a failure. */
  readonly onRetry?: (channel: ChannelView) => void;
  /** Opens the context menu of a card. */
  readonly onMenu?: (request: MenuRequest) => void;
  /** Shown in the caption of the first card. */
  readonly badge?: ComponentChildren;
  /** A small picture of each channel, beside a composite. */
  readonly channelCards?: ComponentType<Pick<PaneViewProps, 'document' | 'pane' | 'renderer'>>;
}

/** Width from which the small pictures of the channels have room for their ranges, CSS pixels. */
const CARD_WITH_RANGE = 160;

/** The cards of a pane: one composite, or one card for each visible channel. */
export function PaneView(props: PaneViewProps) {
  // A new pane gets a new key, so that no state of the old one stays.
  return <PaneCards key={paneKey(props.pane)} {...props} />;
}

function PaneCards(props: PaneViewProps) {
  const { document, pane, tools, overlays, renderer, onRetry, onMenu, badge, channelCards: ChannelCards } = props;
  const root = useRef<HTMLElement>(null);
  const keys = useId();
  const room = useContentSize(root);
  const visible = visibleChannels(pane);
  const composite = isComposite(pane);
  const columns = countColumns(pane, composite ? 1 : visible.length, room.value);
  const common = { document, pane, tools, overlays, renderer, onRetry, onMenu, paneElement: root, describedBy: keys };
  const title = pane.kind === 'source' ? 'Source' : 'Reference';
  const label = useRegionLabel(`${title} image`);
  const cut = paneState(pane).orthogonal.value?.planeTitle() ?? '';
  const size = paneHeading(pane, paneNote(document, pane) !== null);
  const heading = [cut, size].filter(Boolean).join(' · ');
  const beside = ChannelCards && composite && !isStretched(pane) ? roomBeside(pane, room.value) : null;
  return (
    <section
      ref={root}
      class={`image-pane${document.activePane.value === pane.kind ? ' image-pane-active' : ''}`}
      data-beside={beside?.side}
      data-ranges={beside === null ? undefined : beside.pixels >= CARD_WITH_RANGE ? 'cards' : 'caption'}
      style={beside ? { '--beside': `${beside.pixels}px` } : undefined}
      aria-label={label}
    >
      <h2 class="image-hidden">{title}</h2>
      <div
        class={`image-cards${columns === 1 ? ' image-cards-stacked' : ''}`}
        style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
      >
        {visible.length === 0 && (
          <p class="image-empty">No channel is visible. Select one under Channels and contrast.</p>
        )}
        {visible.length > 0 && composite && (
          <ImageCard
            {...common}
            key={COMPOSITE}
            cardKey={COMPOSITE}
            channel={null}
            channels={visible}
            heading={heading}
            badge={badge}
          />
        )}
        {!composite &&
          visible.map((channel, i) => (
            <ImageCard
              {...common}
              key={channel.index}
              cardKey={String(channel.index)}
              channel={channel}
              channels={[channel]}
              heading={i === 0 ? heading : ''}
              badge={i === 0 && badge}
            />
          ))}
      </div>
      {beside && ChannelCards && <ChannelCards document={document} pane={pane} renderer={renderer} />}
      <p id={keys} class="image-hidden">
        {CARD_KEYS.map(({ keys: pressed, does }) => `${pressed}: ${does}.`).join(' ')}
      </p>
      <SpokenCursor pane={pane} />
    </section>
  );
}

function countColumns(pane: Pane, count: number, room: Size): number {
  if (isStretched(pane)) return sharesColumn(pane) ? 1 : Math.max(1, count);
  return cardColumns(count, room, shapeOf(pane), aroundCard(pane));
}

/** The room that a picture leaves beside or below it, which the cards of the channels take. */
function roomBeside(pane: Pane, room: Size): CardsRoom | null {
  if (room.width === 0 || room.height === 0) return null;
  return cardsRoom(pane.channels.length, room, shapeOf(pane), aroundCard(pane));
}

/** Announces the cursor after it was moved by keys, and marks that keys draw. Movements of the pointer would be announced without end. */
function SpokenCursor({ pane }: { readonly pane: Pane }) {
  const text = useSignal('');
  useSignalEffect(() => {
    const { anchor, said } = paneState(pane);
    const at = anchor.value;
    const sample = at !== null && pane.cursor.value === at ? cursorSample(pane) : null;
    const words = sample
      ? [
          sample.position,
          sample.calibrated,
          ...sample.values.map(({ name, value }) => `${name} ${value ?? 'not loaded'}`),
        ]
          .filter(Boolean)
          .join(', ')
      : '';
    // What was said of a mark counts until the cursor moves on.
    text.value = said.value?.at === at ? said.value.text : words;
  });
  return (
    <output class="image-hidden" aria-live="polite">
      {text}
    </output>
  );
}
