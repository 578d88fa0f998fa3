import type { RegionStats } from '../analysis/region-stats.ts';
import { planeAxes } from '../image/plane-axes.ts';
import { DEVIATION_TITLE } from '../model/display.ts';
import { type AcquisitionDocument, MAX_WIDTH, type Mark, type Pane } from '../model/document.ts';
import { isBox, isClosed, isFreehand, isPath } from '../model/mark-kind.ts';
import { formatNumber, formatSample } from '../model/number-text.ts';
import { followStats } from './follow-stats.ts';
import { LineProfile } from './line-profile.tsx';
import { type AxisSide, fromPosition, pointPosition, positionDecimals, SIDES, sideTitle } from './mark-positions.ts';
import { withWholeSamples } from './mark-region.ts';
import { markDetails } from './mark-table.ts';
import { clamp, replaceMark } from './marks.ts';
import { useFollow } from './use-follow.ts';

interface MarkDetailsProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly mark: Mark;
}

type Statistic = readonly [name: string, text: (stats: RegionStats) => string, title?: string];

const STATISTICS: readonly Statistic[] = [
  ['n', ({ n }) => formatNumber(n)],
  ['mean', ({ mean }) => formatNumber(mean)],
  ['SD', ({ sd }) => formatNumber(sd), DEVIATION_TITLE],
  ['min', ({ min }) => formatSample(min)],
  ['max', ({ max }) => formatSample(max)],
  ['median', ({ median }) => formatSample(median)],
  ['sum', ({ sum }) => formatNumber(sum)],
];

/** Position fields and measurements of a mark. */
export function MarkDetails({ document, pane, mark }: MarkDetailsProps) {
  const { stats } = useFollow(() => followStats(pane), [pane]);
  const shown = stats.value?.mark.id === mark.id ? stats.value : null;
  return (
    <div class="measure-details">
      {!isClosed(mark.kind) && !isFreehand(mark.kind) && <Ends pane={pane} mark={mark} />}
      {isPath(mark.kind) && !pane.lineScan && <WidthField pane={pane} mark={mark} />}
      <table>
        <tbody>
          {markDetails(mark, pane).map(({ name, value }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {isPath(mark.kind) && !pane.lineScan && <LineProfile document={document} pane={pane} mark={mark} />}
      {shown && (
        <div class="measure-scroll">
          <table class="measure-stats">
            <thead>
              <tr>
                <td />
                {shown.channels.map(({ channel }) => (
                  <th key={channel.index} scope="col">
                    {channel.name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {STATISTICS.map(([name, text, title]) => (
                <tr key={name}>
                  <th scope="row" title={title}>
                    {name}
                  </th>
                  {shown.channels.map(({ channel, stats }) => (
                    <td key={channel.index}>{text(stats)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

/** Fields for the ends of a mark, in seconds and µm; in samples where an axis is not calibrated. */
function Ends({ pane, mark }: Pick<MarkDetailsProps, 'pane' | 'mark'>) {
  const ends = mark.kind === 'point' ? (['from'] as const) : (['from', 'to'] as const);
  return (
    <div class="measure-ends">
      <div class="measure-end measure-muted">
        <span />
        {SIDES.map((side) => (
          <span key={side} class="measure-side">
            {sideTitle(pane, side)}
          </span>
        ))}
      </div>
      {ends.map((end) => (
        <div key={end} class="measure-end">
          <span>{mark.kind === 'point' ? 'at' : end}</span>
          {SIDES.map((side) => (
            <EndField key={side} pane={pane} mark={mark} end={end} side={side} />
          ))}
        </div>
      ))}
    </div>
  );
}

/** Samples across a line that are averaged in its mean, profile and kymograph. */
function WidthField({ pane, mark }: Pick<MarkDetailsProps, 'pane' | 'mark'>) {
  return (
    <label class="measure-width">
      Width (px){' '}
      <input
        type="number"
        min={1}
        max={MAX_WIDTH}
        value={mark.width ?? 1}
        onChange={(event) => {
          const { width: _, ...rest } = mark;
          const value = Math.round(event.currentTarget.valueAsNumber);
          if (!Number.isFinite(value)) return;
          const width = clamp(value, 1, MAX_WIDTH);
          replaceMark(pane, width === 1 ? rest : { ...rest, width });
        }}
      />
    </label>
  );
}

interface EndFieldProps extends Pick<MarkDetailsProps, 'pane' | 'mark'> {
  readonly end: 'from' | 'to';
  readonly side: AxisSide;
}

function EndField({ pane, mark, end, side }: EndFieldProps) {
  const axis = planeAxes(pane)[side];
  const whole = withWholeSamples(mark, pane.shape);
  // Edges between samples are exact; other places are as exact as a tenth of a sample.
  const decimals = positionDecimals(axis) + (isBox(mark.kind) ? 2 : 0);
  const fieldValue = (shown: Mark) => String(Number(pointPosition(axis, shown, shown[end], side).toFixed(decimals)));
  return (
    <input
      type="number"
      step="any"
      aria-label={`${mark.kind === 'point' ? 'at' : end} ${sideTitle(pane, side)}`}
      value={fieldValue(whole)}
      onChange={(event) => {
        const value = event.currentTarget.valueAsNumber;
        if (!Number.isFinite(value)) return;
        const typed = clamp(fromPosition(axis, value, mark.kind), 0, axis.size);
        const moved = { ...whole[end], [side]: isBox(mark.kind) ? Math.round(typed) : typed };
        const next = mark.kind === 'point' ? { ...mark, from: moved, to: moved } : { ...whole, [end]: moved };
        replaceMark(pane, withWholeSamples(next, pane.shape));
        // Where the typed place was not between two samples, the mark may be where it was.
        event.currentTarget.value = fieldValue(withWholeSamples(next, pane.shape));
      }}
    />
  );
}
