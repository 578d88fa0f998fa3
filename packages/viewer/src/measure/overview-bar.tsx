import './measure.css';
import type { RefObject, TargetedKeyboardEvent, TargetedPointerEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { nextChange } from '../image/drags.ts';
import { gapColorsOf, paintHatch } from '../image/paint-gaps.ts';
import { frameOf, type ImageArea, imageAreaOf, sharesColumn, type ViewChange } from '../image/pane-state.ts';
import { type DisplayAxis, displayAxes, rowsOf, visibleExtent } from '../image/plane-axes.ts';
import { leastLength } from '../image/viewport.ts';
import { wheelAction } from '../image/wheel.ts';
import type { Pane } from '../model/document.ts';
import { formatQuantity, formatRange } from '../model/number-text.ts';
import { scaleFor } from '../model/units.ts';
import { showPart } from './chart-link.ts';
import { afterKey, centered, dragged, gripAt, type Limits, type Span, type SpanGrip, zoomed } from './overview.ts';
import { useCanvas } from './use-canvas.ts';

/** The whole recording of a line scan below its time axis, with the part that is shown. */
export function OverviewBar({ pane }: { readonly pane: Pane }) {
  const area = imageAreaOf(pane).value;
  return area !== null && sharesColumn(pane) ? <Bar pane={pane} area={area} /> : null;
}

interface BarProps {
  readonly pane: Pane;
  readonly area: ImageArea;
}

function Bar({ pane, area }: BarProps) {
  const axis = displayAxes(pane).x;
  const { span, limits } = shownOf(pane, area);
  const bar = useRef<HTMLDivElement>(null);
  const drag = useDrag(pane, bar);
  useWheel(pane, bar);
  const track = useCanvas(
    (context, { width, height }, element) => {
      context.clearRect(0, 0, width, height);
      context.fillStyle = getComputedStyle(element).color;
      context.fillRect(0, 0, width, height);
      const rows = rowsOf(pane);
      if (rows === null) return;
      const at = (place: number) => Math.round((place / rows.length) * width);
      const colors = gapColorsOf(element);
      for (const { start, end } of rows.gaps) {
        // A short pause is seen as well.
        const gap = { x: at(start), y: 0, width: Math.max(1, at(end) - at(start)), height };
        paintHatch(context, gap, { x: 0, y: 0, width, height }, colors);
      }
    },
    [pane],
  );
  const percent = (part: number) => `${(100 * part) / limits.whole}%`;
  const words = partWords(axis, area);
  return (
    <div class="measure-overview">
      <span class="measure-overview-whole" style={{ width: `${area.left}px` }}>
        {wholeWords(axis)}
      </span>
      <div
        ref={bar}
        class="measure-overview-bar"
        data-part="overview"
        style={{ width: `${area.width}px` }}
        role="slider"
        tabIndex={0}
        aria-label="Shown part of the recording"
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round((50 * (span.from + span.to)) / limits.whole)}
        aria-valuetext={words}
        title={`${words}. Drag to move, drag an end or turn the wheel to zoom`}
        onKeyDown={(event) => press(event, pane)}
        onPointerDown={drag.begin}
        onPointerMove={drag.move}
        onPointerUp={drag.end}
        onPointerCancel={drag.end}
        onDblClick={() => showPart(pane, 'x', { from: 0, to: limits.whole }, nextChange())}
      >
        <canvas ref={track} class="measure-overview-track" />
        <div
          class="measure-overview-shown"
          style={{ left: percent(span.from), width: percent(span.to - span.from) }}
          data-from={span.from}
          data-to={span.to}
        />
      </div>
    </div>
  );
}

interface ShownSpan {
  readonly span: Span;
  readonly limits: Limits;
}

function shownOf(pane: Pane, area: ImageArea): ShownSpan {
  const { image } = frameOf(pane, area);
  return {
    span: { from: area.view.x, to: area.view.x + area.view.width },
    limits: { whole: image.width, least: leastLength(image.width) },
  };
}

/** Length of the recording: `35 s`. */
function wholeWords(axis: DisplayAxis): string {
  const { from, to } = visibleExtent(axis, { x: 0, y: 0, width: axis.length, height: 1 }, 'x');
  return axis.calibrated ? formatQuantity(to - from, axis.unit, 3) : '';
}

/** `12 to 14.4 s of 35.1 s`; in lines without calibration. */
function partWords(axis: DisplayAxis, { view }: ImageArea): string {
  const { from, to } = visibleExtent(axis, view, 'x');
  const whole = wholeWords(axis);
  const { factor, unit } = scaleFor(axis.unit, Math.max(Math.abs(from), Math.abs(to)));
  const ends = formatRange(from * factor, to * factor, 3).join(' to ');
  return whole === '' ? `${axis.sample}s ${ends}` : `${ends} ${unit} of ${whole}`;
}

function press(event: TargetedKeyboardEvent<HTMLElement>, pane: Pane): void {
  const area = imageAreaOf(pane).peek();
  if (area === null || event.ctrlKey || event.metaKey || event.altKey) return;
  const { span, limits } = shownOf(pane, area);
  const next = afterKey(event.key, event.shiftKey, span, limits);
  if (next === null) return;
  event.preventDefault();
  event.stopPropagation();
  showPart(pane, 'x', next, { kind: 'overview keys', at: event.timeStamp });
}

type BarEvent = TargetedPointerEvent<HTMLDivElement>;

interface OverviewDrag {
  readonly grip: SpanGrip;
  readonly pointer: number;
  readonly change: ViewChange;
  /** Shown part and place of the pointer at the press. */
  readonly span: Span;
  readonly at: number;
}

const CURSORS: Readonly<Record<SpanGrip, string>> = {
  from: 'ew-resize',
  to: 'ew-resize',
  both: 'grab',
  beside: 'pointer',
};

/** Drags the shown part or one of its ends. A press beside it brings it there. */
function useDrag(pane: Pane, bar: RefObject<HTMLDivElement | null>) {
  const drag = useRef<OverviewDrag | null>(null);
  const begin = (event: BarEvent) => {
    const area = imageAreaOf(pane).peek();
    if (event.button !== 0 || drag.current !== null || area === null) return;
    const { span, limits } = shownOf(pane, area);
    const { pixel, at } = placeOf(event, limits);
    const grip = gripAt(at / pixel, { from: span.from / pixel, to: span.to / pixel });
    const change = nextChange();
    const start = grip === 'beside' ? centered(span, at, limits) : span;
    drag.current = { grip, pointer: event.pointerId, change, span: start, at };
    if (event.isTrusted) event.currentTarget.setPointerCapture(event.pointerId);
    if (grip === 'beside') showPart(pane, 'x', start, change);
  };
  const move = (event: BarEvent) => {
    const area = imageAreaOf(pane).peek();
    if (area === null || bar.current === null) return;
    const { span, limits } = shownOf(pane, area);
    const { pixel, at } = placeOf(event, limits);
    const now = drag.current;
    if (now === null) {
      bar.current.style.cursor = CURSORS[gripAt(at / pixel, { from: span.from / pixel, to: span.to / pixel })];
    } else if (now.pointer === event.pointerId) {
      showPart(pane, 'x', dragged(now.grip, now.span, at - now.at, limits), now.change);
    }
  };
  const end = (event: BarEvent) => {
    if (drag.current?.pointer === event.pointerId) drag.current = null;
  };
  return { begin, move, end };
}

/** Where an event is on the bar, and the length of a pixel, in units of the display. */
function placeOf(event: { readonly clientX: number; currentTarget: EventTarget | null }, { whole }: Limits) {
  const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
  const pixel = whole / width;
  return { pixel, at: (event.clientX - left) * pixel };
}

function useWheel(pane: Pane, bar: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      const area = imageAreaOf(pane).peek();
      if (area === null) return;
      const { span, limits } = shownOf(pane, area);
      const { pixel, at } = placeOf(event, limits);
      // With Alt, the wheel over an image zooms only vertically. The bar has only a horizontal axis.
      const { zoom, pan } = wheelAction({
        deltaX: event.deltaX,
        deltaY: event.deltaY,
        deltaMode: event.deltaMode,
        ctrlKey: event.ctrlKey,
        shiftKey: event.shiftKey,
        altKey: false,
      });
      const next = pan === 0 ? zoomed(span, at, zoom.x, limits) : dragged('both', span, pan * pixel, limits);
      showPart(pane, 'x', next, { kind: 'wheel', at: event.timeStamp });
    };
    const target = bar.current;
    target?.addEventListener('wheel', turn, { passive: false });
    return () => target?.removeEventListener('wheel', turn);
  }, [pane]);
}
