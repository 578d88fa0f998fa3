import { effect } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import type { AcquisitionDocument, ChannelView, Pane } from '../model/document.ts';
import type { MenuRequest, Overlay, Tool } from '../model/extension.ts';
import type { Renderer } from '../render/types.ts';
import { activate, type Card, cardContext, createCard } from './card.ts';
import { CardLoading } from './card-loading.tsx';
import { showCard } from './card-view.ts';
import { ChannelCaption } from './channel-caption.tsx';
import { BASE_TOOLS } from './commands.ts';
import { type Gestures, listen } from './gestures.ts';
import { pressKey } from './keys.ts';
import { guttersOf } from './paint-axes.ts';
import { CAPTION } from './pane-room.ts';
import { VisiblePart } from './visible-part.tsx';

/** Min height of an image; cards that would be lower scroll. */
const MIN_IMAGE = 56;

interface ImageCardProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly cardKey: string;
  /** Null on a composite. */
  readonly channel: ChannelView | null;
  /** What is drawn: one, or those of the composite. */
  readonly channels: readonly ChannelView[];
  readonly tools: readonly Tool[];
  readonly overlays: readonly Overlay[];
  readonly renderer: Renderer;
  readonly paneElement: RefObject<HTMLElement | null>;
  /** Id of the text that describes the keys. */
  readonly describedBy: string;
  /** Size and steps of the plane, on the first card; empty on the others. */
  readonly heading: string;
  /** What the image is, for screen readers; the names of its channels when absent. */
  readonly label?: string;
  readonly badge?: ComponentChildren;
  readonly onRetry?: ((channel: ChannelView) => void) | undefined;
  readonly onMenu?: ((request: MenuRequest) => void) | undefined;
}

export function ImageCard(props: ImageCardProps) {
  const { document, pane, cardKey, channel, channels, tools } = props;
  const card = useMemo(
    () => createCard({ document, pane, key: cardKey, channel, tools }),
    [document, pane, cardKey, channel, tools],
  );
  const gutters = guttersOf(pane, cardKey);
  const around = CAPTION + gutters.top + gutters.bottom;
  return (
    <figure
      class={`image-card${pane.axes.value ? '' : ' image-bare'}`}
      data-card={cardKey}
      style={{ flexBasis: `${around}px`, minHeight: `${around + MIN_IMAGE}px` }}
    >
      <figcaption class="image-captions">
        {channels.map((shown) => (
          <ChannelCaption channel={shown} key={shown.index} />
        ))}
        {props.heading !== '' && <span class="image-caption-size">{props.heading}</span>}
        {props.badge}
      </figcaption>
      <CardStage {...props} card={card} gutters={gutters} />
      <CardLoading channels={channels} onRetry={props.onRetry} />
    </figure>
  );
}

type StageProps = ImageCardProps & { readonly card: Card; readonly gutters: ReturnType<typeof guttersOf> };

/** The image with its axes and overlays, which takes pointers and keys. */
export function CardStage(props: StageProps) {
  const { card, gutters, pane, channels } = props;
  const image = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const gestures = useShownCard(props, stage, image, overlay);
  const extent = useId();
  const names = channels.map(({ name }) => name).join(' + ');
  return (
    <div
      ref={stage}
      class="image-stage"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application handles the keys that its description lists.
      tabIndex={0}
      role="application"
      aria-roledescription="image"
      aria-label={props.label ?? `${names}, ${pane.kind} image`}
      aria-describedby={`${extent} ${props.describedBy}`}
      onFocus={() => activate(card)}
      onContextMenu={(event) => requestMenu(event, image.current, props)}
      onKeyDown={(event) => handleKeyDown(event, image.current, props, gestures.current)}
      onKeyUp={(event) => {
        if (event.key === ' ') card.space.value = false;
      }}
      onBlur={() => {
        card.space.value = false;
      }}
    >
      <canvas
        ref={image}
        class="image-canvas"
        style={{
          left: `${gutters.left}px`,
          top: `${gutters.top}px`,
          width: `calc(100% - ${gutters.left + gutters.right}px)`,
          height: `calc(100% - ${gutters.top + gutters.bottom}px)`,
        }}
      />
      <canvas ref={overlay} class="image-overlay" />
      <VisiblePart card={card} id={extent} />
    </div>
  );
}

/** Draws the card and listens to pointers as long as it is on screen. */
function useShownCard(
  { card, channels, renderer, overlays, tools, paneElement }: StageProps,
  stage: RefObject<HTMLDivElement | null>,
  image: RefObject<HTMLCanvasElement | null>,
  overlay: RefObject<HTMLCanvasElement | null>,
): RefObject<Gestures | null> {
  const gestures = useRef<Gestures | null>(null);
  const drawn = channels.map(({ index }) => index).join();
  useEffect(() => {
    if (!stage.current || !image.current || !overlay.current || !paneElement.current) return;
    const elements = { pane: paneElement.current, image: image.current, overlay: overlay.current };
    const stop = showCard(card, channels, renderer, overlays, elements);
    const listening = listen(card, stage.current, image.current);
    gestures.current = listening;
    return () => {
      listening.stop();
      stop();
    };
    // `drawn` stands for `channels`, which is a new list on each render.
  }, [card, renderer, overlays, drawn]);

  useEffect(
    () =>
      effect(() => {
        if (stage.current) stage.current.style.cursor = chooseCursor(card, tools);
      }),
    [card, tools],
  );
  return gestures;
}

function handleKeyDown(
  event: KeyboardEvent,
  image: HTMLElement | null,
  props: StageProps,
  gestures: Gestures | null,
): void {
  const { card, pane, cardKey, tools, paneElement } = props;
  // Some browsers open a menu with these keys only where nothing listens.
  if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
    requestMenu(event, image, props);
    return;
  }
  if (event.key === ' ') card.space.value = true;
  const cancelled = event.key === 'Escape' && (gestures?.cancel() ?? false);
  if (event.key === ' ' || cancelled || pressKey(event, pane, cardKey, tools)) event.preventDefault();
  keepFocus(paneElement);
}

/** Opens the menu of the card. With Shift, the right button opens that of the browser. */
function requestMenu(event: MouseEvent | KeyboardEvent, image: HTMLElement | null, { card, onMenu }: StageProps): void {
  const context = cardContext(card);
  if (context === null || image === null || onMenu === undefined) return;
  const clicked = event instanceof MouseEvent && event.button === 2 ? event : null;
  if (clicked?.shiftKey) return;
  event.preventDefault();
  // A long press of a finger reads values.
  if (event instanceof PointerEvent && event.pointerType === 'touch') return;
  const { left, top, width, height } = image.getBoundingClientRect();
  const at = clicked
    ? { x: clicked.clientX, y: clicked.clientY }
    : { x: left + width / 2, y: top + Math.min(height / 2, 60) };
  const point = clicked && context.toPlane({ x: at.x - left, y: at.y - top });
  onMenu({ card: context, cardKey: card.key, at, point, stage: event.currentTarget as HTMLElement });
}

/** Focuses the first card when a key has removed the focused one, for example by showing a composite. */
function keepFocus(pane: RefObject<HTMLElement | null>): void {
  requestAnimationFrame(() => {
    const { activeElement, body } = document;
    if (activeElement === null || activeElement === body)
      pane.current?.querySelector<HTMLElement>('.image-stage')?.focus();
  });
}

function chooseCursor(card: Card, tools: readonly Tool[]): string {
  const tool = card.pane.tool.value;
  const dragging = card.dragging.value;
  if (dragging === 'pan') return 'grabbing';
  if (card.space.value && dragging === null) return 'grab';
  return [...BASE_TOOLS, ...tools].find(({ id }) => id === tool)?.cursor ?? 'default';
}
