import { useSignal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { fieldText, parseNumber } from '../model/number-text.ts';

interface NumberFieldProps {
  /** Shown before the field; may be empty. */
  readonly label: string;
  /** Label for screen readers, with the name of the channel. */
  readonly fullLabel: string;
  readonly value: number;
  /** Step of the arrow keys; ten times as much with Shift. */
  readonly step: number;
  /** False while there is no value yet: the field is then empty and cannot be changed. */
  readonly known?: boolean;
  set(value: number): void;
}

/** A field for a number, which is applied on Enter and on blur, and discarded on Escape. */
export function NumberField({ label, fullLabel, value, step, known = true, set }: NumberFieldProps) {
  const draft = useSignal<string | null>(null);
  const text = known ? (draft.value ?? fieldText(value)) : '';
  const typed = () => (draft.value === null ? null : parseNumber(draft.value));
  const invalid = draft.value !== null && typed() === null;
  const apply = () => {
    const number = typed();
    draft.value = null;
    if (number !== null) set(number);
  };
  const moveBy = (change: number) => {
    const from = typed() ?? value;
    draft.value = null;
    set(Number((from + change).toPrecision(12)));
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const sign = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (event.key === 'Enter') apply();
    else if (event.key === 'Escape') draft.value = null;
    else if (sign !== 0) {
      event.preventDefault();
      moveBy(sign * step * (event.shiftKey ? 10 : 1));
    }
  };
  return (
    <label class="contrast-number">
      {label && <span aria-hidden="true">{label}</span>}
      <input
        type="text"
        inputMode="decimal"
        autocomplete="off"
        spellcheck={false}
        aria-label={fullLabel}
        aria-invalid={invalid}
        disabled={!known}
        value={text}
        onInput={(event) => {
          draft.value = event.currentTarget.value;
        }}
        onKeyDown={onKeyDown}
        onBlur={apply}
      />
    </label>
  );
}
