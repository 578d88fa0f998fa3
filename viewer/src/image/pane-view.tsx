import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { AcquisitionDocument, ChannelView, Pane } from '../model/document.ts';
import type { MenuRequest, Overlay, Tool } from '../model/extension.ts';
import type { Size } from '../model/geometry.ts';
import { paneNote } from '../model/hand-note.ts';
import { paneKey } from '../model/pane-key.ts';
import type { Renderer } from '../render/types.ts';
import { cardColumns } from './card-grid.ts';
import './image.css';
import { useRegionLabel } from '../model/region-label.ts';
import { CAPTION, ImageCard } from './image-card.tsx';
import { CARD_KEYS } from './keys.ts';
import { axesRoom } from './paint-axes.ts';
import {
  COMPOSITE,
  frameOf,
  isComposite,
  isStretched,
  paneState,
  sharesColumn,
  visibleChannels,
} from './pane-state.ts';
import { cursorSample, paneHeading } from './readout.ts';

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
}

/** The cards of a pane: one composite, or one card for each visible channel. */
export function PaneView(props: PaneViewProps) {
  // A new pane gets a new key, so that no state of the old one stays.
  return <PaneCards key={paneKey(props.pane)} {...props} />;
}

function PaneCards({ document, pane, tools, overlays, renderer, onRetry, onMenu }: PaneViewProps) {
  const root = useRef<HTMLElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  const keys = useId();
  const room = useContentSize(grid);
  const visible = visibleChannels(pane);
  const composite = isComposite(pane);
  const columns = countColumns(pane, composite ? 1 : visible.length, room.value);
  const common = { document, pane, tools, overlays, renderer, onRetry, onMenu, paneElement: root, describedBy: keys };
  const title = pane.kind === 'source' ? 'Source' : 'Reference';
  const label = useRegionLabel(`${title} image`);
  return (
    <section
      ref={root}
      class={`image-pane${document.activePane.value === pane.kind ? ' image-pane-active' : ''}`}
      aria-label={label}
    >
      <header class="image-pane-heading">
        <h2>{title}</h2>
        <span>{paneHeading(pane, paneNote(document, pane) !== null)}</span>
      </header>
      <div
        ref={grid}
        class={`image-cards${columns === 1 ? ' image-cards-stacked' : ''}`}
        style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
      >
        {visible.length === 0 && (
          <p class="image-empty">No channel is visible. Select one under Channels and contrast.</p>
        )}
        {visible.length > 0 && composite && (
          <ImageCard {...common} key={COMPOSITE} cardKey={COMPOSITE} channel={null} channels={visible} />
        )}
        {!composite &&
          visible.map((channel) => (
            <ImageCard
              {...common}
              key={channel.index}
              cardKey={String(channel.index)}
              channel={channel}
              channels={[channel]}
            />
          ))}
      </div>
      <p id={keys} class="image-hidden">
        {CARD_KEYS.map(({ keys: pressed, does }) => `${pressed}: ${does}.`).join(' ')}
      </p>
      <SpokenCursor pane={pane} />
    </section>
  );
}

function useContentSize(element: RefObject<HTMLElement | null>): Signal<Size> {
  const size = useSignal<Size>({ width: 0, height: 0 });
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) size.value = { width: entry.contentRect.width, height: entry.contentRect.height };
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, size]);
  return size;
}

function countColumns(pane: Pane, count: number, room: Size): number {
  if (isStretched(pane)) return sharesColumn(pane) ? 1 : Math.max(1, count);
  const { image, fit } = frameOf(pane, room);
  const gutters = pane.axes.value ? axesRoom() : { left: 0, right: 0, top: 0, bottom: 0 };
  const around = { width: gutters.left + gutters.right, height: gutters.top + gutters.bottom + CAPTION };
  const ratio = fit === 'fill' ? 1 : (image.height * fit) / image.width;
  return cardColumns(count, room, ratio, around);
}

/** Announces the cursor after it was moved by keys. Movements of the pointer would be announced without end. */
function SpokenCursor({ pane }: { readonly pane: Pane }) {
  const text = useSignal('');
  useSignalEffect(() => {
    const anchor = paneState(pane).anchor.value;
    const sample = anchor !== null && pane.cursor.value === anchor ? cursorSample(pane) : null;
    text.value = sample
      ? [
          sample.position,
          sample.calibrated,
          ...sample.values.map(({ name, value }) => `${name} ${value ?? 'not loaded'}`),
        ]
          .filter(Boolean)
          .join(', ')
      : '';
  });
  return (
    <output class="image-hidden" aria-live="polite">
      {text}
    </output>
  );
}
