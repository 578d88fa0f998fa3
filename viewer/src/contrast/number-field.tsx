import { useSignal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { fieldText, parseNumber } from './number-text.ts';

interface Props {
  /** Shown before the field; may be empty. */
  readonly label: string;
  /** What a screen reader says: with the name of the channel. */
  readonly fullLabel: string;
  readonly value: number;
  /** Of the arrow keys; ten times as much with Shift. */
  readonly step: number;
  set(value: number): void;
}

/** A number written freely: taken on Enter and on leaving, given up with Escape. */
export function NumberField({ label, fullLabel, value, step, set }: Props) {
  const draft = useSignal<string | null>(null);
  const text = draft.value ?? fieldText(value);
  const wrong = draft.value !== null && parseNumber(draft.value) === null;
  const take = () => {
    const number = draft.value === null ? null : parseNumber(draft.value);
    draft.value = null;
    if (number !== null) set(number);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const sign = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (event.key === 'Enter') take();
    else if (event.key === 'Escape') draft.value = null;
    else if (sign !== 0) {
      event.preventDefault();
      const from = (draft.value === null ? null : parseNumber(draft.value)) ?? value;
      draft.value = null;
      set(Number((from + sign * step * (event.shiftKey ? 10 : 1)).toPrecision(12)));
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
        aria-invalid={wrong}
        value={text}
        onInput={(event) => {
          draft.value = event.currentTarget.value;
        }}
        onKeyDown={onKeyDown}
        onBlur={take}
      />
    </label>
  );
}
