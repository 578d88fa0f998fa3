import { visibleChannels } from '../image/pane-state.ts';
import { displayAxes } from '../image/plane-axes.ts';
import { barLabel } from '../image/ticks.ts';
import { isLoaded, type Pane } from '../model/document.ts';
import { Amount, Choice, Group, Switch } from './fields.tsx';
import { barLengths } from './figure-bars.ts';
import { type FigureChoices, FONT_RANGE, RESOLUTIONS, WIDTH_RANGE, WIDTHS } from './figure-choices.ts';

interface Props {
  readonly pane: Pane;
  readonly choices: FigureChoices;
  /** What a picture shows across, in the unit of its axis. */
  readonly span: number;
  change(changed: Partial<FigureChoices>): void;
}

export const PICTURE_OPTIONS: readonly (readonly [FigureChoices['pictures'], string])[] = [
  ['channels', 'Channels'],
  ['composite', 'Composite'],
  ['both', 'Composite and channels'],
];
export const LAYOUT_OPTIONS: readonly (readonly [FigureChoices['layout'], string])[] = [
  ['row', 'In a row'],
  ['column', 'In a column'],
  ['grid', 'In a grid'],
];
const COLUMNS = ['1 column', '1½ columns', '2 columns'];

/** What a figure shows, how large it is, and how its pictures are arranged. */
export function FigureFields(props: Props) {
  const { pane, choices, change } = props;
  const { pictures, layout, width, dpi, font } = choices;
  const several = visibleChannels(pane).filter(isLoaded).length > 1;
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
      {several && (
        <Group name="Arrangement">
          <Choice
            label="Pictures"
            value={pictures}
            options={PICTURE_OPTIONS}
            choose={(value) => change({ pictures: value })}
          />
          {pictures !== 'composite' && (
            <Choice
              label="Layout"
              value={layout}
              options={LAYOUT_OPTIONS}
              choose={(value) => change({ layout: value })}
            />
          )}
        </Group>
      )}
      <Group name="Text">
        <Amount label="Size" unit="pt" value={font} range={FONT_RANGE} set={(pt) => change({ font: pt })} />
      </Group>
      <Shown {...props} />
    </>
  );
}

const SWITCHES: readonly (readonly [keyof FigureChoices & ('axes' | 'names' | 'title'), string])[] = [
  ['axes', 'Axes'],
  ['names', 'Channel names'],
  ['title', 'Title'],
];

function Shown({ pane, choices, span, change }: Props) {
  return (
    <Group name="Show">
      {SWITCHES.map(([key, label]) => (
        <Switch key={key} label={label} on={choices[key]} set={(on) => change({ [key]: on })} />
      ))}
      {choices.names && <Switch label="Color bars" on={choices.colorBars} set={(on) => change({ colorBars: on })} />}
      {pane.marks.value.length > 0 && <Switch label="Marks" on={choices.marks} set={(on) => change({ marks: on })} />}
      <Switch label="Scale bar" on={choices.scaleBar} set={(on) => change({ scaleBar: on })} />
      {choices.scaleBar && <BarLength pane={pane} choices={choices} span={span} change={change} />}
    </Group>
  );
}

function BarLength({ pane, choices, span, change }: Props) {
  const { unit, sample, measured } = displayAxes(pane).x;
  // Unevenly spaced lines have no scale.
  if (measured?.uneven) return null;
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
