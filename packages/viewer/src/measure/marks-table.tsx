import './measure.css';
import './marks-table.css';
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { parseBaseline } from '../analysis/baseline.ts';
import { planeAxes } from '../image/plane-axes.ts';
import { type AcquisitionDocument, MAX_COMMENT, MAX_NAME, type Mark, type Pane } from '../model/document.ts';
import { capital, formatNumber } from '../model/number-text.ts';
import { useRegionLabel } from '../model/region-label.ts';
import { traceAxis, traceDirection } from '../stack/traces.ts';
import { BackgroundChoice } from './background-choice.tsx';
import { BaselineChoice } from './baseline-choice.tsx';
import { followMeans, type MeansByMark } from './follow-means.ts';
import { goToMark } from './go-to-mark.ts';
import { markListColor } from './mark-colors.ts';
import { markSpan, sideTitle, spanText } from './mark-positions.ts';
import { markLength, markLengthUnit, markVelocity, velocityUnit } from './mark-records.ts';
import { backgroundMark, markName, plainName, removeMark, replaceMark } from './marks.ts';
import { SaveMarks } from './save-marks.tsx';
import { useFollow } from './use-follow.ts';

interface MarksTableProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  /** Copies text to the clipboard; returns false when the browser does not allow it. */
  copy(text: string): Promise<boolean>;
}

type SortKey = 'id' | 'name' | 'row' | 'column' | 'result' | 'mean' | 'dff' | 'comment';

interface Sort {
  readonly key: SortKey;
  readonly down: boolean;
}

/** All marks of a pane with their positions, results and comments, under the image. */
export function MarksTable({ document, pane, copy }: MarksTableProps) {
  const { means } = useFollow(() => followMeans(pane), [pane]);
  const label = useRegionLabel('Table of marks');
  const along = pane.kind === 'source' ? traceDirection(document) : null;
  const axis = along === null ? null : traceAxis(document, along);
  const sort = useSignal<Sort>({ key: 'id', down: false });
  const loaded = pane.channels.filter(({ data }) => data.value !== null);
  const chosen = useSignal(-1);
  const channel = loaded.find(({ index }) => index === chosen.value) ?? loaded[0];
  const values = (mark: Mark) => rowValues(mark, pane, means.value, channel?.index);
  const rows = [...pane.marks.value].map((mark) => ({ mark, values: values(mark) }));
  const { key, down } = sort.value;
  rows.sort((a, b) => compare(a.values[key], b.values[key]) * (down ? -1 : 1));
  const result = pane.lineScan ? `Velocity (${velocityUnit(pane)})` : `Length (${markLengthUnit(pane)})`;
  const columns: [SortKey, string][] = [
    ['id', '#'],
    ['name', 'Name'],
    ['row', capital(sideTitle(pane, 'row'))],
    ['column', capital(sideTitle(pane, 'column'))],
    ['result', result],
    ['mean', backgroundMark(pane) === null ? 'Mean' : 'Mean − background'],
    ['dff', 'ΔF/F₀'],
    ['comment', 'Comment'],
  ];
  return (
    <section class="marks" aria-label={label}>
      <div class="measure-line marks-bar">
        <h3>Marks</h3>
        {loaded.length > 1 && channel && (
          <Choice label="Channel" value={String(channel.index)} change={(value) => (chosen.value = Number(value))}>
            {loaded.map(({ index, name }) => (
              <option key={index} value={index}>
                {name}
              </option>
            ))}
          </Choice>
        )}
        <BackgroundChoice pane={pane} />
        <BaselineChoice pane={pane} axis={axis} />
        {axis !== null && !pane.lineScan && parseBaseline(pane.baseline.value)?.kind !== 'mark' && (
          <span class="measure-muted">{`ΔF/F₀ over ${axis.sample}s is in Trace`}</span>
        )}
        <SaveMarks document={document} pane={pane} means={means} order={rows.map(({ mark }) => mark)} copy={copy} />
      </div>
      {rows.length === 0 ? (
        <p class="measure-hint marks-bar">
          Draw on the image with Region (R), Ellipse (E), Polygon (G), Line (L), Polyline (Y) or Point (X). Each mark is
          a row here.
        </p>
      ) : (
        <div class="marks-scroll">
          <table>
            <thead>
              <tr>
                {columns.map(([id, title]) => (
                  <SortHeader key={id} id={id} title={title} sort={sort} />
                ))}
                <th scope="col">
                  <span class="visually-hidden">Remove</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ mark, values: shown }) => (
                <Row key={mark.id} pane={pane} mark={mark} values={shown} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

interface RowValues extends Record<SortKey, number | string | null> {
  readonly mean: number | null;
  readonly dff: number | null;
  readonly result: number | null;
}

function rowValues(mark: Mark, pane: Pane, means: MeansByMark, channel: number | undefined): RowValues {
  const found = means.get(mark.id)?.find((entry) => entry.channel.index === channel);
  return {
    id: Number(mark.id),
    name: markName(mark),
    row: markSpan(mark, pane, 'row')[0],
    column: markSpan(mark, pane, 'column')[0],
    result: pane.lineScan ? markVelocity(mark, pane) : markLength(mark, pane),
    mean: found?.mean ?? null,
    dff: found?.dff ?? null,
    comment: mark.comment ?? '',
  };
}

/** Sorts numbers by size and texts by their language; what is missing comes last. */
function compare(a: number | string | null, b: number | string | null): number {
  if (typeof a === 'string' && typeof b === 'string') return a.localeCompare(b);
  const missing = (value: typeof a) => value === null || Number.isNaN(value);
  if (missing(a) || missing(b)) return Number(missing(a)) - Number(missing(b));
  return Number(a) - Number(b);
}

function SortHeader({
  id,
  title,
  sort,
}: {
  readonly id: SortKey;
  readonly title: string;
  readonly sort: Signal<Sort>;
}) {
  const { key, down } = sort.value;
  const order = key !== id ? 'none' : down ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={order} data-column={id}>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          sort.value = { key: id, down: key === id && !down };
        }}
      >
        {title} <span aria-hidden="true">{{ none: '', ascending: '▴', descending: '▾' }[order]}</span>
      </button>
    </th>
  );
}

function Row({ pane, mark, values }: { readonly pane: Pane; readonly mark: Mark; readonly values: RowValues }) {
  const axes = planeAxes(pane);
  const selected = pane.selectedMark.value === mark.id;
  const number = (value: number | null) => (value === null || Number.isNaN(value) ? '' : formatNumber(value));
  const name = markName(mark);
  return (
    <tr data-selected={selected} onKeyDown={(event) => removeByKey(event, pane, mark)}>
      <td>
        <button
          type="button"
          class="marks-number"
          aria-pressed={selected}
          aria-label={`${mark.id}: go to ${name}`}
          title={`Go to ${name} (Delete removes it)`}
          onClick={() => goToMark(pane, mark)}
        >
          <span class="measure-swatch" style={{ background: markListColor(mark) }} />
          {mark.id}
        </button>
      </td>
      <td>
        <TextCell
          label={`Name of ${name}`}
          value={name}
          max={MAX_NAME}
          change={(text) => replaceMark(pane, withText(mark, 'name', text === plainName(mark) ? '' : text))}
        />
      </td>
      <td>{spanText(markSpan(mark, pane, 'row'), axes.row)}</td>
      <td>{spanText(markSpan(mark, pane, 'column'), axes.column)}</td>
      <td>{number(values.result)}</td>
      <td>{number(values.mean)}</td>
      <td>{number(values.dff)}</td>
      <td class="marks-comment">
        <TextCell
          label={`Comment on ${name}`}
          value={mark.comment ?? ''}
          max={MAX_COMMENT}
          change={(text) => replaceMark(pane, withText(mark, 'comment', text))}
        />
      </td>
      <td>
        <button
          type="button"
          class="quiet icon"
          aria-label={`Delete ${name}`}
          onClick={() => removeMark(pane, mark.id)}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M4 4l8 8M12 4l-8 8" />
          </svg>
        </button>
      </td>
    </tr>
  );
}

function removeByKey(event: TargetedKeyboardEvent<HTMLElement>, pane: Pane, mark: Mark): void {
  if (event.key !== 'Delete' || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  removeMark(pane, mark.id);
}

/** Returns a mark with a name or comment; without it when the text is empty. */
function withText(mark: Mark, field: 'name' | 'comment', text: string): Mark {
  const { [field]: _before, ...rest } = mark;
  const trimmed = text.trim();
  return trimmed === '' ? rest : { ...rest, [field]: trimmed };
}

interface TextCellProps {
  readonly label: string;
  readonly value: string;
  readonly max: number;
  change(text: string): void;
}

function TextCell({ label, value, max, change }: TextCellProps) {
  return (
    <input
      type="text"
      class="marks-text"
      aria-label={label}
      value={value}
      maxLength={max}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

interface ColumnChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly children: ComponentChildren;
  change(value: string): void;
}

function Choice({ label, value, change, children }: ColumnChoiceProps) {
  return (
    <label class="marks-choice">
      {label}{' '}
      <select value={value} onChange={(event) => change(event.currentTarget.value)}>
        {children}
      </select>
    </label>
  );
}
