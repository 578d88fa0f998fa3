import type { AcquisitionDocument, Mark, Pane } from '../model/document.ts';
import { formatNumber, formatSample } from '../model/number-text.ts';
import { followStats } from './follow-stats.ts';
import { markDetails } from './mark-table.ts';
import { clamp, replaceMark } from './marks.ts';
import { useFollow } from './use-follow.ts';

interface MarkDetailsProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly mark: Mark;
}

/** Position fields and measurements of a mark. */
export function MarkDetails({ pane, mark }: MarkDetailsProps) {
  const { stats } = useFollow(() => followStats(pane), [pane]);
  const shown = stats.value?.mark.id === mark.id ? stats.value : null;
  return (
    <div class="measure-details">
      <Ends pane={pane} mark={mark} />
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
      {shown && (
        <div class="measure-scroll">
          <table class="measure-stats">
            <thead>
              <tr>
                <th scope="col">Channel</th>
                {['n', 'mean', 'SD', 'min', 'max', 'median', 'sum'].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.channels.map(({ channel, stats: { n, mean, sd, min, max, median, sum } }) => (
                <tr key={channel.index}>
                  <th scope="row">{channel.name}</th>
                  <td>{formatNumber(n)}</td>
                  <td>{formatNumber(mean)}</td>
                  <td>{formatNumber(sd)}</td>
                  <td>{formatSample(min)}</td>
                  <td>{formatSample(max)}</td>
                  <td>{formatSample(median)}</td>
                  <td>{formatNumber(sum)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function Ends({ pane, mark }: Pick<MarkDetailsProps, 'pane' | 'mark'>) {
  const [down, across] = pane.lineScan ? ['line', 'pixel'] : ['row', 'column'];
  return (
    <div class="measure-ends">
      {(['from', 'to'] as const).map((end) => (
        <span key={end} class="measure-end">
          <span>{end}</span>
          {(['row', 'column'] as const).map((axis) => (
            <input
              key={axis}
              type="number"
              step="any"
              min={0}
              max={pane.shape[axis === 'row' ? 0 : 1]}
              aria-label={`${end} ${axis === 'row' ? down : across}`}
              value={Number(mark[end][axis].toFixed(2))}
              onChange={(event) => {
                const value = event.currentTarget.valueAsNumber;
                if (!Number.isFinite(value)) return;
                const at = clamp(value, 0, pane.shape[axis === 'row' ? 0 : 1]);
                replaceMark(pane, { ...mark, [end]: { ...mark[end], [axis]: at } });
              }}
            />
          ))}
        </span>
      ))}
    </div>
  );
}
