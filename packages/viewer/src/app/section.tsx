import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { moveInSection, useInnerStops } from './inner-stops.ts';
import { storedSignal } from './stored.ts';

const collapsed = new Map<string, Signal<boolean>>();

/** Remembers by its id whether a section is collapsed. */
function collapsedSignal(id: string): Signal<boolean> {
  const state = collapsed.get(id) ?? storedSignal(`folded.${id}`, (value) => value === true);
  collapsed.set(id, state);
  return state;
}

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly badge?: string;
  readonly children: ComponentChildren;
}

/** A part of the sidebar that can be collapsed. Its heading is one tab stop; the arrow down goes to its controls. */
export function Section({ id, title, badge = '', children }: SectionProps) {
  const state = collapsedSignal(id);
  const heading = useRef<HTMLElement>(null);
  const body = useRef<HTMLDivElement>(null);
  useInnerStops(body);
  return (
    <details
      class="app-section"
      data-section={id}
      open={!state.value}
      onKeyDown={(event) => moveInSection(event, heading.current, body.current)}
      onToggle={(event) => {
        state.value = !event.currentTarget.open;
      }}
    >
      <summary ref={heading} aria-keyshortcuts="ArrowDown">
        <h2>{title}</h2>
        {badge !== '' && <span class="app-badge">{badge}</span>}
      </summary>
      <div ref={body} class="app-section-body">
        {children}
      </div>
    </details>
  );
}
