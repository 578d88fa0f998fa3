import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { storedSignal } from './stored.ts';

const folded = new Map<string, Signal<boolean>>();

/** Whether a section is folded is remembered by its id. */
function foldedSignal(id: string): Signal<boolean> {
  const known = folded.get(id) ?? storedSignal(`folded.${id}`, (value) => value === true);
  folded.set(id, known);
  return known;
}

interface Props {
  readonly id: string;
  readonly title: string;
  readonly badge?: string;
  readonly children: ComponentChildren;
}

/** A part of the side bar that folds away. */
export function Section({ id, title, badge = '', children }: Props) {
  const state = foldedSignal(id);
  return (
    <details
      class="app-section"
      open={!state.value}
      onToggle={(event) => {
        state.value = !event.currentTarget.open;
      }}
    >
      <summary>
        <h2>{title}</h2>
        {badge !== '' && <span class="app-badge">{badge}</span>}
      </summary>
      <div class="app-section-body">{children}</div>
    </details>
  );
}
