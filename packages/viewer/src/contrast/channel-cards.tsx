import { useEffect, useMemo, useRef } from 'preact/hooks';
import { createCard } from '../image/card.ts';
import { showThumb } from '../image/card-view.ts';
import { moveThrough, useOneStop } from '../image/one-stop.ts';
import { shapeOf } from '../image/pane-room.ts';
import { COMPOSITE } from '../image/pane-state.ts';
import type { AcquisitionDocument, ChannelView, Pane } from '../model/document.ts';
import { formatEnds } from '../model/number-text.ts';
import type { Renderer } from '../render/types.ts';
import { isSolo, solo } from './adjust.ts';
import { Eye } from './channel-contrast.tsx';
import './contrast.css';
import { LutStrip } from './lut-strip.tsx';

export interface ChannelCardsProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly renderer: Renderer;
}

/** A small picture of each channel beside the composite: a click shows only this one, and again all of them. */
export function ChannelCards({ document, pane, renderer }: ChannelCardsProps) {
  const list = useRef<HTMLUListElement>(null);
  useOneStop(list);
  return (
    <ul ref={list} class="channel-cards" aria-label="Channels" onKeyDown={moveThrough}>
      {pane.channels.map((channel) => (
        <ChannelCard key={channel.index} document={document} pane={pane} channel={channel} renderer={renderer} />
      ))}
    </ul>
  );
}

function ChannelCard({ document, pane, channel, renderer }: ChannelCardsProps & { readonly channel: ChannelView }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const card = useMemo(
    () => createCard({ document, pane, key: COMPOSITE, channel, tools: [] }),
    [document, pane, channel],
  );
  useEffect(() => (canvas.current ? showThumb(card, channel, renderer, canvas.current) : undefined), [card, renderer]);
  const { visible, min, max, lut, invert } = channel.display.value;
  const [low, high] = formatEnds(min, max);
  return (
    <li class="channel-card" data-shown={visible} style={{ aspectRatio: `${1 / shapeOf(pane)}` }}>
      <button
        type="button"
        class="channel-card-picture"
        aria-label={`Only ${channel.name}`}
        aria-pressed={isSolo(pane, channel)}
        title={`${channel.name}: click to see only this channel, and again to see all`}
        onClick={() => solo(pane, channel)}
      >
        <canvas ref={canvas} />
      </button>
      <div class="channel-card-line">
        <Eye pane={pane} channel={channel} />
        <span class="channel-card-name">{channel.name}</span>
        <span class="channel-card-range" title="Range of the contrast">
          {low}
          <LutStrip lut={lut} invert={invert} />
          {high}
        </span>
      </div>
    </li>
  );
}
