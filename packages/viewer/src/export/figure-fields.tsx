import { visibleChannels } from '../image/pane-state.ts';
import { displayAxes, displayStep } from '../image/plane-axes.ts';
import { barLabel } from '../image/ticks.ts';
import { type AcquisitionDocument, isLoaded, type Pane } from '../model/document.ts';
import { capital } from '../model/number-text.ts';
import { documentAxis, PLURALS } from '../stack/place.ts';
import { Amount, Choice, Group, RangeFields, Switch } from './fields.tsx';
import { barLengths } from './figure-bars.ts';
import { COUNT_RANGE, type FigureChoices, FONT_RANGE, RESOLUTIONS, WIDTH_RANGE, WIDTHS } from './figure-choices.ts';
import { montageDim, montageDims } from './figure-montage.ts';
import { hasTraces } from './figure-plot.ts';

interface FigureFieldsProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly choices: FigureChoices;
  /** What a picture shows across, in the unit of its axis. */
  readonly span: number;
  change(changed: Partial<FigureChoices>): void;
}

const PICTURE_OPTIONS: readonly (readonly [FigureChoices['pictures'], string])[] = [
  ['channels', 'Channels'],
  ['composite', 'Composite'],
  ['both', 'Composite and channels'],
];
const LAYOUT_OPTIONS: readonly (readonly [FigureChoices['layout'], string])[] = [
  ['row', 'In a row'],
  ['column', 'In a column'],
  ['grid', 'In a grid'],
];
const FONT_OPTIONS: readonly (readonly [FigureChoices['family'], string])[] = [
  ['sans', 'Arial'],
  ['serif', 'Times'],
];
const COLUMNS = ['1 column', '1½ columns', '2 columns'];

/** What a figure shows, how large it is, and how its pictures are arranged. */
export function FigureFields(props: FigureFieldsProps) {
  const { choices, change } = props;
  const { width, dpi, font, family } = choices;
  return (
    <>
      <Group name="Width">
        {WIDTHS.map((mm, i) => (
          <button key={mm} type="button" aria-pressed={width === mm} onClick={() => change({ width: mm })}>
            {COLUMNS[i]} <small>{mm} mm</small>
          </button>
        ))}
        <Amount label="Width" unit="mm" value={width} range={WIDTH_RANGE} set={(mm) => change({ width: mm })} />
        <Choice
          label="Resolution"
          value={dpi}
          options={RESOLUTIONS.map((one) => [one, `${one} dpi`])}
          choose={(value) => change({ dpi: value })}
        />
      </Group>
      <Arrangement {...props} />
      <Group name="Text">
        <Amount label="Size" unit="pt" value={font} range={FONT_RANGE} set={(pt) => change({ font: pt })} />
        <Choice label="Font" value={family} options={FONT_OPTIONS} choose={(value) => change({ family: value })} />
      </Group>
      <Shown {...props} />
    </>
  );
}

type ChoiceOf<K extends keyof FigureChoices> = Pick<FigureChoices, K> & {
  change(changed: Pick<FigureChoices, K>): void;
};

/** Channels, composite or both, in figures and movies. */
export function PicturesChoice({ pictures, change }: ChoiceOf<'pictures'>) {
  const choose = (value: typeof pictures) => change({ pictures: value });
  return <Choice label="Pictures" value={pictures} options={PICTURE_OPTIONS} choose={choose} />;
}

/** How pictures are arranged, in figures and movies. */
export function LayoutChoice({ layout, change }: ChoiceOf<'layout'>) {
  const choose = (value: typeof layout) => change({ layout: value });
  return <Choice label="Layout" value={layout} options={LAYOUT_OPTIONS} choose={choose} />;
}

function Arrangement(props: FigureFieldsProps) {
  const { document, pane, choices, change } = props;
  const { pictures, layout } = choices;
  const several = visibleChannels(pane).filter(isLoaded).length > 1;
  const isMontage = montageDim(document, pane, choices) !== null;
  const hasLayout = isMontage || (several && pictures !== 'composite');
  if (!several && montageDims(document, pane).length === 0) return null;
  return (
    <Group name="Arrangement">
      {several && <PicturesChoice pictures={pictures} change={change} />}
      <Planes {...props} />
      {hasLayout && <LayoutChoice layout={layout} change={change} />}
    </Group>
  );
}

/** Several time points or sections, spread over a range. */
function Planes({ document, pane, choices, change }: FigureFieldsProps) {
  const dims = montageDims(document, pane);
  if (dims.length === 0) return null;
  const dim = montageDim(document, pane, choices);
  const options = [['one', 'This one'] as const, ...dims.map((one) => [one, capital(PLURALS[one])] as const)];
  const choice = (
    <Choice
      label="Planes"
      value={dim ?? 'one'}
      options={options}
      choose={(planes) => change({ planes, first: null, last: null, ...(planes === 'one' ? {} : { layout: 'grid' }) })}
    />
  );
  if (dim === null) return choice;
  const { size } = documentAxis(document, dim);
  return (
    <>
      {choice}
      <Amount
        label={`Number of ${PLURALS[dim]}`}
        shown="Number"
        unit=""
        value={choices.count}
        range={COUNT_RANGE}
        set={(count) => change({ count: Math.round(count) })}
      />
      <RangeFields
        dim={dim}
        size={size}
        shown="from"
        first={choices.first ?? 0}
        last={choices.last ?? size - 1}
        setFirst={(first) => change({ first })}
        setLast={(last) => change({ last })}
      />
    </>
  );
}

const TRACE_OPTIONS: readonly (readonly [FigureChoices['traces'], string])[] = [
  ['none', 'None'],
  ['beside', 'Beside'],
  ['below', 'Below'],
];

const SWITCHES: readonly (readonly [keyof FigureChoices & ('axes' | 'names' | 'title'), string])[] = [
  ['axes', 'Axes'],
  ['names', 'Channel names'],
  ['title', 'Title'],
];

function Shown({ document, pane, choices, span, change }: FigureFieldsProps) {
  return (
    <Group name="Show">
      {SWITCHES.map(([key, label]) => (
        <Switch key={key} label={label} on={choices[key]} set={(on) => change({ [key]: on })} />
      ))}
      {choices.names && <Switch label="Color bars" on={choices.colorBars} set={(on) => change({ colorBars: on })} />}
      {pane.marks.value.length > 0 && <Switch label="Marks" on={choices.marks} set={(on) => change({ marks: on })} />}
      <Switch label="Scale bar" on={choices.scaleBar} set={(on) => change({ scaleBar: on })} />
      {choices.scaleBar && <BarLength pane={pane} choices={choices} span={span} change={change} />}
      {hasTraces(document, pane) && (
        <Choice label="Traces" value={choices.traces} options={TRACE_OPTIONS} choose={(traces) => change({ traces })} />
      )}
      {hasTraces(document, pane) && choices.traces !== 'none' && (
        <Switch label="ΔF/F₀" on={choices.relative} set={(relative) => change({ relative })} />
      )}
    </Group>
  );
}

function BarLength({ pane, choices, span, change }: Omit<FigureFieldsProps, 'document'>) {
  const axis = displayAxes(pane).x;
  if (displayStep(axis) === null) return null;
  const { unit, sample } = axis;
  const label = (length: number) => barLabel(unit, length, sample === 'line' ? 'lines' : 'px');
  return (
    <label class="export-select">
      Length of the bar{' '}
      <select
        value={choices.barLength ?? ''}
        onChange={({ currentTarget: { value } }) => change({ barLength: value === '' ? null : Number(value) })}
      >
        <option value="">Automatic</option>
        {barLengths(unit, span).map((length) => (
          <option key={length} value={length}>
            {label(length)}
          </option>
        ))}
      </select>
    </label>
  );
}
