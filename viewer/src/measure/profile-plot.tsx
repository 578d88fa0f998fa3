import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import type { Pane } from '../model/document.ts';
import { formatNumber } from '../model/number-text.ts';
import { channelColor, parseRgb } from './color.ts';
import type { Curves } from './curves.ts';
import { profileAxes, profileTitle } from './describe.ts';
import { drawPlot } from './plot.ts';
import { useCanvas } from './use-canvas.ts';

/** Visible range of the profile's axis in samples. */
interface PlotWindow {
  readonly from: number;
  readonly to: number;
}

interface ProfilePlotProps {
  readonly pane: Pane;
  readonly curves: ReadonlySignal<Curves | null>;
  /** Visible range; null for the whole axis. */
  readonly window: ReadonlySignal<PlotWindow> | null;
  /** True when the cursor of the pane follows the pointer. */
  readonly linked?: boolean;
}

/** A plot that fills the width of its element, with its lowest and highest value and the cursor of the pane. */
export function ProfilePlot({ pane, curves, window, linked = false }: ProfilePlotProps) {
  const range = useSignal<readonly [number, number]>([0, 1]);
  const shown = useComputed(() => window?.value ?? wholeAxis(pane, curves.value));
  const canvas = useCanvas(
    (context, size, element) => {
      const { from, to } = shown.value;
      const style = getComputedStyle(element);
      const ground = parseRgb(style.backgroundColor);
      const plotted = (curves.value?.curves ?? []).map(({ channel, first, values, band }) => {
        return { color: channelColor(channel.display.value, ground), first, values, band };
      });
      const drawn = drawPlot(context, { ...size, from, to, curves: plotted, range: null });
      if (drawn[0] !== range.peek()[0] || drawn[1] !== range.peek()[1]) range.value = drawn;
    },
    [pane, curves, window],
  );
  const label = useComputed(() => {
    const now = curves.value;
    if (now === null) return 'No profile';
    const [low, high] = range.value.map((value) => formatNumber(value));
    return `${profileTitle(pane, now.along, now.subject)}; values from ${low} to ${high}`;
  });
  const follow = (event: PointerEvent) => {
    const now = curves.peek();
    if (!linked || now === null) return;
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const { from, to } = shown.peek();
    const at = from + ((event.clientX - box.left) / box.width) * (to - from);
    const { along } = profileAxes(pane, now.along);
    if (at < 0 || at >= along.size) return;
    const cursor = pane.cursor.peek() ?? { row: 0.5, column: 0.5 };
    pane.cursor.value = now.along === 'row' ? { ...cursor, column: at } : { ...cursor, row: at };
  };
  return (
    <div class="measure-plot">
      <span class="measure-plot-high">{useComputed(() => formatNumber(range.value[1]))}</span>
      <span class="measure-plot-low">{useComputed(() => formatNumber(range.value[0]))}</span>
      <canvas ref={canvas} role="img" aria-label={label} onPointerMove={follow} />
      <CursorLine pane={pane} curves={curves} shown={shown} />
    </div>
  );
}

function wholeAxis(pane: Pane, curves: Curves | null): PlotWindow {
  if (curves === null) return { from: 0, to: 1 };
  return { from: 0, to: profileAxes(pane, curves.along).along.size };
}

function cursorAlong(pane: Pane, curves: Curves | null): number | null {
  const cursor = pane.cursor.value;
  if (cursor === null || curves === null) return null;
  return curves.along === 'row' ? cursor.column : cursor.row;
}

interface CursorLineProps extends Pick<ProfilePlotProps, 'pane' | 'curves'> {
  readonly shown: ReadonlySignal<PlotWindow>;
}

/** The cursor, over the canvas, so that the plot is not drawn again when the pointer moves. */
function CursorLine({ pane, curves, shown }: CursorLineProps) {
  const at = cursorAlong(pane, curves.value);
  const { from, to } = shown.value;
  if (at === null || at < from || at > to) return null;
  return <div class="measure-plot-cursor" style={{ left: `${((at - from) / (to - from)) * 100}%` }} />;
}
