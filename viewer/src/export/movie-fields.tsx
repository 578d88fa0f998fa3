import { visibleChannels } from '../image/pane-state.ts';
import { isLoaded } from '../model/document.ts';
import { PLURALS, type StackDim, stackDims } from '../stack/place.ts';
import { RATES } from '../stack/player.ts';
import { realTime } from '../stack/real-time.ts';
import type { PictureSource } from './card-picture.ts';
import { Amount, Choice, Group, Switch } from './fields.tsx';
import { LAYOUT_OPTIONS, PICTURE_OPTIONS } from './figure-fields.tsx';
import { axisOf, type MovieChoices, ZOOMS } from './movie-choices.ts';
import { layoutMovie } from './movie-frame.ts';

interface Props {
  readonly source: PictureSource;
  readonly choices: MovieChoices;
  change(changed: Partial<MovieChoices>): void;
}

const NAMES: Readonly<Record<StackDim, string>> = { T: 'Time points', Z: 'Sections' };

/** Which frames a movie has, how fast it is, and what it shows. */
export function MovieFields(props: Props) {
  const { source, choices, change } = props;
  return (
    <>
      <Group name="Frames">
        <Range {...props} />
        <Speed {...props} />
      </Group>
      <Arrangement {...props} />
      <Group name="Show">
        <Switch label={choices.dim === 'T' ? 'Time' : 'Depth'} on={choices.stamp} set={(stamp) => change({ stamp })} />
        <Switch label="Scale bar" on={choices.scaleBar} set={(scaleBar) => change({ scaleBar })} />
        {source.pane.marks.value.length > 0 && (
          <Switch label="Marks" on={choices.marks} set={(marks) => change({ marks })} />
        )}
      </Group>
    </>
  );
}

function Range({ source: { document }, choices: { dim, from, to, rate }, change }: Props) {
  const dims = stackDims(document.info.value);
  const last = axisOf(document, dim).size - 1;
  const range = { min: 1, max: last + 1 };
  const choose = (next: StackDim) => {
    const axis = axisOf(document, next);
    const real = rate === 'real' && realTime(axis) === null;
    change({ dim: next, from: 0, to: axis.size - 1, ...(real ? { rate: 10 } : {}) });
  };
  const setFirst = (first: number) => change({ from: first, to: Math.max(to, first) });
  const setLast = (end: number) => change({ to: end, from: Math.min(from, end) });
  return (
    <>
      {dims.length > 1 && (
        <Choice label="Through" value={dim} options={dims.map((one) => [one, NAMES[one]])} choose={choose} />
      )}
      <Amount
        label={`First of the ${PLURALS[dim]}`}
        shown={dims.length < 2 ? NAMES[dim] : 'From'}
        unit=""
        value={from + 1}
        range={range}
        set={(typed) => setFirst(toIndex(typed))}
      />
      <Amount
        label={`Last of the ${PLURALS[dim]}`}
        shown="to"
        unit={`of ${last + 1}`}
        value={to + 1}
        range={range}
        set={(typed) => setLast(toIndex(typed))}
      />
      {(from > 0 || to < last) && (
        <button type="button" onClick={() => change({ from: 0, to: last })}>
          All
        </button>
      )}
    </>
  );
}

function Speed({ source: { document }, choices: { dim, rate }, change }: Props) {
  const real = realTime(axisOf(document, dim));
  const rates = RATES.map((one) => [one, `${one} per second`] as const);
  return (
    <>
      <Choice
        label="Rate"
        value={rate}
        options={real ? [...rates, ['real', real.label] as const] : rates}
        choose={(next) => change({ rate: next })}
      />
      {rate === 'real' && real?.note && <p class="export-hint">{real.note}</p>}
    </>
  );
}

const toIndex = (typed: number) => Math.round(typed) - 1;

function Arrangement({ source, choices, change }: Props) {
  const { pictures, layout, zoom } = choices;
  const several = visibleChannels(source.pane).filter(isLoaded).length > 1;
  return (
    <Group name="Size">
      {several && (
        <Choice
          label="Pictures"
          value={pictures}
          options={PICTURE_OPTIONS}
          choose={(value) => change({ pictures: value })}
        />
      )}
      {several && pictures !== 'composite' && (
        <Choice label="Layout" value={layout} options={LAYOUT_OPTIONS} choose={(value) => change({ layout: value })} />
      )}
      <Choice label="Size" value={zoom} options={sizes(source, choices)} choose={(value) => change({ zoom: value })} />
    </Group>
  );
}

/** Returns the sizes that a movie can have: `2 pixels per sample (512 × 512)`. */
function sizes(source: PictureSource, choices: MovieChoices): (readonly [number, string])[] {
  return ZOOMS.flatMap((zoom) => {
    const size = sizeAt(source, choices, zoom);
    if (size === null || (Math.min(size.width, size.height) < 64 && zoom !== choices.zoom)) return [];
    const words =
      zoom < 1 ? `1 pixel for ${1 / zoom} samples` : zoom === 1 ? '1 pixel per sample' : `${zoom} pixels per sample`;
    return [[zoom, `${size.width} × ${size.height}, ${words}`] as const];
  });
}

function sizeAt(source: PictureSource, choices: MovieChoices, zoom: number) {
  try {
    return layoutMovie({ source, choices: { ...choices, zoom } });
  } catch {
    return null;
  }
}

/** Pixels below which a movie is hard to read. */
const READABLE = 400;

/** Returns the smallest size in which text and bars can be read; the largest possible one for small pictures. */
export function readableZoom(source: PictureSource, choices: MovieChoices): number {
  const possible = ZOOMS.filter((zoom) => sizeAt(source, choices, zoom) !== null);
  const isReadable = (zoom: number) => {
    const size = sizeAt(source, choices, zoom);
    return zoom >= 1 && size !== null && Math.max(size.width, size.height) >= READABLE;
  };
  return possible.find(isReadable) ?? possible.at(-1) ?? 1;
}
