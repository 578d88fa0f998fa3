import { visibleChannels } from '../image/pane-state.ts';
import { isLoaded } from '../model/document.ts';
import { capital } from '../model/number-text.ts';
import { documentAxis, PLURALS, type StackDim, stackDims } from '../stack/place.ts';
import { RATES } from '../stack/player.ts';
import { realTime } from '../stack/real-time.ts';
import type { PictureSource } from './card-picture.ts';
import { Choice, Group, RangeFields, Switch } from './fields.tsx';
import { LayoutChoice, PicturesChoice } from './figure-fields.tsx';
import { type MovieChoices, ZOOMS } from './movie-choices.ts';
import { layoutMovie } from './movie-frame.ts';

interface MovieFieldsProps {
  readonly source: PictureSource;
  readonly choices: MovieChoices;
  change(changed: Partial<MovieChoices>): void;
}

/** Which frames a movie has, how fast it is, and what it shows. */
export function MovieFields(props: MovieFieldsProps) {
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

function Range({ source: { document }, choices: { dim, from, to, rate }, change }: MovieFieldsProps) {
  const dims = stackDims(document.info.value);
  const last = documentAxis(document, dim).size - 1;
  const choose = (next: StackDim) => {
    const axis = documentAxis(document, next);
    const real = rate === 'real' && realTime(axis) === null;
    change({ dim: next, from: 0, to: axis.size - 1, ...(real ? { rate: 10 } : {}) });
  };
  return (
    <>
      {dims.length > 1 && (
        <Choice label="Through" value={dim} options={dims.map((one) => [one, capital(PLURALS[one])])} choose={choose} />
      )}
      <RangeFields
        dim={dim}
        size={last + 1}
        shown={dims.length < 2 ? capital(PLURALS[dim]) : 'From'}
        first={from}
        last={to}
        setFirst={(first) => change({ from: first, to: Math.max(to, first) })}
        setLast={(end) => change({ to: end, from: Math.min(from, end) })}
      />
      {(from > 0 || to < last) && (
        <button type="button" onClick={() => change({ from: 0, to: last })}>
          All
        </button>
      )}
    </>
  );
}

function Speed({ source: { document }, choices: { dim, rate }, change }: MovieFieldsProps) {
  const real = realTime(documentAxis(document, dim));
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

function Arrangement({ source, choices, change }: MovieFieldsProps) {
  const { pictures, layout, zoom } = choices;
  const several = visibleChannels(source.pane).filter(isLoaded).length > 1;
  return (
    <Group name="Size">
      {several && <PicturesChoice pictures={pictures} change={change} />}
      {several && pictures !== 'composite' && <LayoutChoice layout={layout} change={change} />}
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
