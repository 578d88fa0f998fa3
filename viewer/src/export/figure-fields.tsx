import type { Signal } from '@preact/signals';
import type { FigureChoices } from './figure-choices.ts';

interface Props {
  readonly choices: Signal<FigureChoices>;
  /** True when there are several channels. */
  readonly several: boolean;
}

const PICTURES: readonly (readonly [FigureChoices['pictures'], string])[] = [
  ['channels', 'Channels'],
  ['composite', 'Composite'],
  ['both', 'Composite and channels'],
];
const LAYOUTS: readonly (readonly [FigureChoices['layout'], string])[] = [
  ['row', 'In a row'],
  ['column', 'In a column'],
  ['grid', 'In a grid'],
];

/** What a figure shows, and how its pictures are arranged. */
export function FigureFields({ choices, several }: Props) {
  if (!several) return null;
  const { pictures, layout } = choices.value;
  const change = (changed: Partial<FigureChoices>) => (choices.value = { ...choices.value, ...changed });
  return (
    <>
      <Choice label="Pictures" value={pictures} options={PICTURES} choose={(value) => change({ pictures: value })} />
      {pictures !== 'composite' && (
        <Choice label="Layout" value={layout} options={LAYOUTS} choose={(value) => change({ layout: value })} />
      )}
    </>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  choose(value: T): void;
}

function Choice<T extends string>({ label, value, options, choose }: ChoiceProps<T>) {
  return (
    <label class="export-select">
      {label}{' '}
      <select value={value} onChange={(event) => choose(event.currentTarget.value as T)}>
        {options.map(([id, words]) => (
          <option key={id} value={id}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
