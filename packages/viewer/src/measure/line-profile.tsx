import { useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { columnsCsv } from '../export/csv.ts';
import { themeChanges } from '../image/palette.ts';
import type { AcquisitionDocument, Mark, Pane } from '../model/document.ts';
import { paneNote } from '../model/hand-note.ts';
import { toMeasuredAxis } from '../model/measured-axis.ts';
import { scaleFor } from '../model/units.ts';
import { Chart } from '../plot/chart.tsx';
import { type ChartState, chooseMode } from '../plot/chart-data.ts';
import { RIGHT_AXIS } from '../plot/u-chart.ts';
import { channelColor, parseRgb } from './color.ts';
import { followLine, type LineCurves } from './follow-line.ts';
import { markName } from './marks.ts';
import { SaveCsv } from './save-csv.tsx';
import { useFollow } from './use-follow.ts';

/** Space for the vertical axis, and right of the plot, in CSS pixels. */
const LEFT = 44;
const RIGHT = 10;
const HEIGHT = 110;

interface LineProfileProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly mark: Mark;
}

/** The samples along a line of an image, the mean of as many samples across it as it is wide. */
export function LineProfile({ document, pane, mark }: LineProfileProps) {
  const { line } = useFollow(() => followLine(document, pane, mark.id), [document, pane, mark.id]);
  const root = useRef<HTMLElement>(null);
  const state = useComputed<ChartState | null>(() => {
    themeChanges.value;
    const now = line.value;
    if (now === null || now.curves.length === 0) return null;
    const ground = parseRgb(root.current ? getComputedStyle(root.current).backgroundColor : '');
    return chartState(now, ground, pane.ownScales.value);
  });
  const now = line.value;
  const title = `Profile along ${markName(mark)}${mark.width === undefined ? '' : `, ${mark.width} px wide`}`;
  return (
    <section ref={root} class="measure-cross" aria-label="Profile along the line">
      <div class="measure-line">
        <h3>{title}</h3>
        <SaveCsv
          document={document}
          pane={pane}
          ending="line-profile.csv"
          text={now && (() => lineCsv(now, paneNote(document, pane)))}
        />
      </div>
      <Chart label={title} state={state} hidden={pane.hiddenCurves} height={HEIGHT} />
    </section>
  );
}

function chartState(
  { distances, unit, curves }: LineCurves,
  ground: Parameters<typeof channelColor>[1],
  own: boolean,
): ChartState {
  const mode = chooseMode(curves.length, own);
  const last = distances.length - 1;
  const measured = toMeasuredAxis(distances);
  return {
    curves: curves.map(({ channel, values }) => ({
      id: `line ${channel.index}`,
      label: channel.name,
      color: channelColor(channel.display.value, ground),
      first: 0,
      values,
      band: null,
    })),
    axis: {
      unit,
      step: (distances[last] ?? 1) / last,
      origin: 0.5,
      // Steps along a bent line differ where pixels are not square.
      measured: measured?.uneven ? measured : null,
      title: (largest) => (unit === 'micrometer' ? `distance (${scaleFor(unit, largest).unit})` : 'distance (pixels)'),
    },
    window: { from: 0, to: distances.length },
    mode,
    left: LEFT,
    right: mode === 'own' ? RIGHT_AXIS : RIGHT,
  };
}

function lineCsv({ mark, distances, unit, curves }: LineCurves, note: string | null): string {
  const across = mark.width === undefined ? '' : ` (mean of ${mark.width} across)`;
  const columns = [
    { title: `distance (${unit === 'micrometer' ? 'um' : 'pixels'})`, values: distances },
    ...curves.map(({ channel, values }) => ({ title: `${channel.name}${across}`, values })),
  ];
  return columnsCsv(columns, note);
}
