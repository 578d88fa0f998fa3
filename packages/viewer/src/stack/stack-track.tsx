import './stack.css';
import { useComputed } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { gapColorsOf, paintHatch } from '../image/paint-gaps.ts';
import { useCanvas } from '../measure/use-canvas.ts';
import type { AcquisitionDocument } from '../model/document.ts';
import { capital, formatQuantity } from '../model/number-text.ts';
import { pausedLayout, placeAtRow, type RowLayout, rowAtPlace } from '../model/row-layout.ts';
import { placeWords, SINGULARS, type StackAxis, type StackDim } from './place.ts';
import type { Stack } from './stack.ts';

interface TrackProps {
  readonly document: AcquisitionDocument;
  readonly stack: Stack;
  readonly dim: StackDim;
  readonly axis: StackAxis;
}

/** The slider of a dimension. Time points with a pause between them lie at their times; all others are evenly spaced. */
export function Track(props: TrackProps) {
  const { stack, dim, axis } = props;
  const index = useComputed(() => stack.wanted.value[dim]).value;
  const layout = dim === 'T' ? pausedLayout(axis.measured) : null;
  const common = { 'aria-label': `${capital(SINGULARS[dim])}, slider`, 'aria-valuetext': placeWords(axis, index) };
  return (
    <span class="stack-track" title={layout === null ? undefined : pauseWords(layout)}>
      <Marks {...props} layout={layout} />
      {layout === null ? (
        <input
          {...common}
          type="range"
          min="1"
          max={axis.size}
          step="1"
          value={index + 1}
          onInput={(event) => stack.go(dim, event.currentTarget.valueAsNumber - 1)}
        />
      ) : (
        <input
          {...common}
          type="range"
          min="0"
          max={placeAtRow(layout, axis.size - 1)}
          step="any"
          value={placeAtRow(layout, index)}
          onKeyDown={(event) => step(event, props, index)}
          onInput={({ currentTarget }) => {
            const next = nearest(layout, currentTarget.valueAsNumber, axis.size);
            stack.go(dim, next);
            // The thumb is never between two time points.
            currentTarget.value = String(placeAtRow(layout, next));
          }}
        />
      )}
    </span>
  );
}

/** Pauses that the tooltip names. */
const MAX_NAMED = 3;

function pauseWords({ gaps }: RowLayout): string {
  const texts = gaps.slice(0, MAX_NAMED).map(({ after, from, to, isShortened }) => {
    const short = isShortened ? ', shortened here' : '';
    return `${formatQuantity(to - from, 'seconds', 3)} not recorded after time point ${after + 1}${short}`;
  });
  const more = gaps.length - texts.length;
  return [...texts, ...(more > 0 ? [`${more} more pauses`] : [])].join('; ');
}

/** Returns the time point that is nearest to a place. */
function nearest(layout: RowLayout, place: number, size: number): number {
  const before = Math.min(size - 1, Math.max(0, Math.floor(rowAtPlace(layout, place) - 1e-9)));
  const after = Math.min(size - 1, before + 1);
  return placeAtRow(layout, after) - place < place - placeAtRow(layout, before) ? after : before;
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
/** Of the time points, as a slider of a browser moves. */
const PAGE = 0.1;

/** A browser moves a slider without steps by a part of its length: here keys move by time points. */
function step(event: TargetedKeyboardEvent<HTMLInputElement>, { stack, dim, axis }: TrackProps, index: number): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const page = Math.max(1, Math.round(PAGE * axis.size));
  const by = STEPS[event.key] ?? { PageDown: -page, PageUp: page }[event.key];
  const next = by !== undefined ? index + by : { Home: 0, End: axis.size - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  stack.go(dim, Math.min(axis.size - 1, Math.max(0, next)));
}

const THUMB = 16;
/** Heights of the hatching and of the marks below it, CSS pixels. */
const HATCH = 14;
const MARK = 3;

/** Marks on the track: the planes that are in memory, which show at once, and what was not recorded. */
function Marks({ stack, dim, axis, document, layout }: TrackProps & { readonly layout: RowLayout | null }) {
  const { size } = axis;
  const canvas = useCanvas(
    (context, { width, height }, element) => {
      void stack.cache.version.value;
      void stack.wanted.value;
      for (const { display } of document.source.value.channels) void display.value.visible;
      context.clearRect(0, 0, width, height);
      // The thumb stays inside the track, so that its middle is half a thumb away from the ends.
      const room = width - THUMB;
      const step = room / Math.max(1, size - 1);
      const scale = layout === null ? step : room / placeAtRow(layout, size - 1);
      const at = (place: number) => THUMB / 2 + place * scale;
      if (layout !== null) {
        const area = { x: 0, y: (height - MARK - HATCH) / 2, width, height: HATCH };
        const colors = gapColorsOf(element);
        for (const { start, end } of layout.gaps) {
          const [from, to] = [Math.round(at(start)), Math.round(at(end))];
          paintHatch(context, { ...area, x: from, width: Math.max(1, to - from) }, area, colors);
        }
      }
      context.fillStyle = getComputedStyle(element).color;
      const mark = Math.max(1, Math.min(Math.ceil(step) + 1, 12));
      for (const index of stack.loadedIndices(dim)) {
        const middle = at(layout === null ? index : placeAtRow(layout, index));
        context.fillRect(middle - mark / 2, height - MARK, mark, MARK);
      }
    },
    [stack, dim, size, document, layout],
  );
  return <canvas ref={canvas} class="stack-marks" />;
}
