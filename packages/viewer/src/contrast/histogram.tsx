import { type ReadonlySignal, type Signal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { ChannelStats } from '../model/display.ts';
import type { Size } from '../model/geometry.ts';
import { type ContrastTarget, setAuto } from './adjust.ts';
import { Handle } from './handle.tsx';
import { useHandleDrag } from './handle-drag.ts';
import { paintBars } from './paint-bars.ts';
import { outline, toneCurve, toValue } from './plot.ts';
import { barHeights, barsWithin, fullSpan, minSpan, type ValueSpan, zoomSpan } from './value-axis.ts';

interface HistogramProps {
  readonly target: ContrastTarget;
  readonly stats: ChannelStats;
  readonly span: Signal<ValueSpan>;
  readonly log: ReadonlySignal<boolean>;
  /** A low histogram, which leaves the wheel to the page and draws no curve. */
  readonly compact?: boolean;
}

/** Histogram of all samples in their display colors. Its two handles set the range. */
export function Histogram({ target, stats, span, log, compact = false }: HistogramProps) {
  const { channel } = target;
  const plot = useRef<HTMLDivElement>(null);
  const size = useSignal<Size>({ width: 268, height: 84 });
  useSize(plot, size);
  const bars = useComputed(() => {
    const shown = barsWithin(stats, span.value, size.value.width);
    return { ...shown, heights: barHeights(shown, log.value) };
  });
  const path = useComputed(() => outline(bars.value, bars.value.heights, span.value, size.value));
  const drag = useHandleDrag({ target, stats, span, size });
  useWheelZoom(plot, span, size, stats, !compact);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the two sliders inside do the same by keyboard
    <div
      ref={plot}
      class={`contrast-plot${compact ? ' contrast-compact' : ''}`}
      onPointerDown={drag.begin}
      onPointerMove={drag.move}
      onPointerUp={drag.end}
      onPointerCancel={drag.cancel}
      onDblClick={() => setAuto(target)}
    >
      <svg class="contrast-area" aria-hidden="true">
        <path d={path} />
      </svg>
      <Shades target={target} bars={bars} span={span} size={size} />
      <svg class="contrast-lines" aria-hidden="true">
        <path class="contrast-outline" d={path} />
        {!compact && <Curve channel={channel} span={span} size={size} />}
      </svg>
      <Handle end="min" target={target} stats={stats} span={span} size={size} drag={drag} />
      <Handle end="max" target={target} stats={stats} span={span} size={size} drag={drag} />
    </div>
  );
}

interface PartProps {
  readonly channel: ContrastTarget['channel'];
  readonly span: ReadonlySignal<ValueSpan>;
  readonly size: ReadonlySignal<Size>;
}

function Curve({ channel, span, size }: PartProps) {
  const path = useComputed(() => toneCurve(channel.display.value, span.value, size.value));
  return (
    <>
      <path class="contrast-curve-ground" d={path} />
      <path class="contrast-curve" d={path} />
    </>
  );
}

type ShadesProps = Omit<PartProps, 'channel'> & {
  readonly target: ContrastTarget;
  readonly bars: ReadonlySignal<Parameters<typeof paintBars>[1]['bars']>;
};

/** The bars in the colors of their samples, and the color bar. */
function Shades({ target: { pane, channel }, bars, span, size }: ShadesProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const ratio = useSignal(devicePixelRatio);
  useEffect(() => {
    const follow = () => {
      ratio.value = devicePixelRatio;
    };
    addEventListener('resize', follow);
    return () => removeEventListener('resize', follow);
  }, []);
  useSignalEffect(() => {
    const request = {
      bars: bars.value,
      span: span.value,
      size: size.value,
      display: channel.display.value,
      marks: pane.pixelMarks.value,
      ratio: ratio.value,
    };
    const frame = requestAnimationFrame(() => {
      if (canvas.current) paintBars(canvas.current, request);
    });
    return () => cancelAnimationFrame(frame);
  });
  return <canvas ref={canvas} class="contrast-shades" />;
}

function useSize(element: { readonly current: HTMLElement | null }, size: Signal<Size>): void {
  useLayoutEffect(() => {
    const plot = element.current;
    if (!plot) return;
    const measure = () => {
      const { width, height } = plot.getBoundingClientRect();
      if (width > 0 && height > 0) size.value = { width, height };
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(plot);
    return () => observer.disconnect();
  }, []);
}

/** Milliseconds after scrolling elsewhere in which the wheel continues to scroll. */
const SCROLLING_MS = 250;

/** Listens with `passive: false`, which `onWheel` does not offer, so that the sidebar does not scroll. */
function useWheelZoom(
  element: { readonly current: HTMLElement | null },
  span: Signal<ValueSpan>,
  size: ReadonlySignal<Size>,
  stats: ChannelStats,
  enabled: boolean,
): void {
  useEffect(() => {
    const plot = element.current;
    if (!plot || !enabled) return;
    let scrolled = Number.NEGATIVE_INFINITY;
    const watch = (event: WheelEvent) => {
      const elsewhere = !plot.contains(event.target as Node);
      if (elsewhere || event.timeStamp - scrolled < SCROLLING_MS) scrolled = event.timeStamp;
    };
    const zoom = (event: WheelEvent) => {
      if (event.timeStamp === scrolled) return;
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      // A pinch on a touchpad arrives as a wheel event with Ctrl, in small steps.
      const turn = (event.deltaY * lines) / (event.ctrlKey ? 60 : 400);
      const at = toValue(event.clientX - plot.getBoundingClientRect().left, span.value, size.value);
      const factor = Math.exp(-Math.min(0.5, Math.max(-0.5, turn)));
      span.value = zoomSpan(span.value, at, factor, fullSpan(stats), minSpan(stats));
    };
    addEventListener('wheel', watch, { passive: true, capture: true });
    plot.addEventListener('wheel', zoom, { passive: false });
    return () => {
      removeEventListener('wheel', watch, { capture: true });
      plot.removeEventListener('wheel', zoom);
    };
  }, [stats, enabled]);
}
