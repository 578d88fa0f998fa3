/** Fields of the dialog for saving. */
import type { ComponentChildren } from 'preact';
import { NumberField } from '../contrast/number-field.tsx';
import { PLURALS, type StackDim } from '../stack/place.ts';

export function Group({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <fieldset class="figure-group">
      <legend>{name}</legend>
      {children}
    </fieldset>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly on: boolean;
  set(on: boolean): void;
}

export function Switch({ label, on, set }: SwitchProps) {
  return (
    <label class="export-check">
      <input type="checkbox" checked={on} onChange={(event) => set(event.currentTarget.checked)} /> {label}
    </label>
  );
}

interface AmountProps {
  /** For screen readers. */
  readonly label: string;
  /** Shown before the field. */
  readonly shown?: string;
  readonly unit: string;
  readonly value: number;
  readonly range: { readonly min: number; readonly max: number };
  set(value: number): void;
}

export function Amount({ label, shown = '', unit, value, range, set }: AmountProps) {
  return (
    <span class="figure-amount">
      <NumberField
        label={shown}
        fullLabel={unit === 'mm' || unit === 'pt' ? `${label} (${unit})` : label}
        value={value}
        step={1}
        set={(typed) => set(Math.min(range.max, Math.max(range.min, typed)))}
      />
      {unit !== '' && <span aria-hidden="true">{unit}</span>}
    </span>
  );
}

interface ChoiceProps<T extends string | number> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  choose(value: T): void;
}

export function Choice<T extends string | number>({ label, value, options, choose }: ChoiceProps<T>) {
  const chosen = (text: string) => options.find(([id]) => String(id) === text)?.[0] ?? value;
  return (
    <label class="export-select">
      {label}{' '}
      <select value={value} onChange={(event) => choose(chosen(event.currentTarget.value))}>
        {options.map(([id, words]) => (
          <option key={id} value={id}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

interface RangeProps {
  readonly dim: StackDim;
  readonly size: number;
  /** Shown before the first field. */
  readonly shown: string;
  /** Indices, counted from 0; on screen they count from 1. */
  readonly first: number;
  readonly last: number;
  setFirst(index: number): void;
  setLast(index: number): void;
}

/** The first and the last of some time points or sections. */
export function RangeFields({ dim, size, shown, first, last, setFirst, setLast }: RangeProps) {
  const range = { min: 1, max: size };
  const toIndex = (typed: number) => Math.round(typed) - 1;
  return (
    <>
      <Amount
        label={`First of the ${PLURALS[dim]}`}
        shown={shown}
        unit=""
        value={first + 1}
        range={range}
        set={(typed) => setFirst(toIndex(typed))}
      />
      <Amount
        label={`Last of the ${PLURALS[dim]}`}
        shown="to"
        unit={`of ${size}`}
        value={last + 1}
        range={range}
        set={(typed) => setLast(toIndex(typed))}
      />
    </>
  );
}
