import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { storedSignal } from './stored.ts';

const collapsed = new Map<string, Signal<boolean>>();

/** Remembers by its id whether a section is collapsed. */
function collapsedSignal(id: string): Signal<boolean> {
  const state = collapsed.get(id) ?? storedSignal(`folded.${id}`, (value) => value === true);
  collapsed.set(id, state);
  return state;
}

interface Props {
  readonly id: string;
  readonly title: string;
  readonly badge?: string;
  readonly children: ComponentChildren;
}

/** A part of the sidebar that can be collapsed. */
export function Section({ id, title, badge = '', children }: Props) {
  const state = collapsedSignal(id);
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
