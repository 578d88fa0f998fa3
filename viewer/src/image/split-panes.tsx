import { useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import './image.css';
import { dividerAfterKey, settleDivider } from './split.ts';

interface SplitPanesProps {
  readonly first: ComponentChildren;
  /** Null lets the first part fill the space, without a divider. */
  readonly second: ComponentChildren | null;
  /** Label of the divider, for example `Source and reference`. */
  readonly label: string;
  /** Storage key for the position of the divider. */
  readonly storageKey: string;
  /** Initial fraction of the first part. */
  readonly initial?: number;
}

/** Two stacked parts with a divider for pointer and keys. Either part can be closed. */
export function SplitPanes({ first, second, label, storageKey, initial = 0.6 }: SplitPanesProps) {
  const root = useRef<HTMLDivElement>(null);
  const share = useSignal(remembered(storageKey) ?? initial);
  const open = useSignal(share.value > 0 && share.value < 1 ? share.value : initial);
  const place = (next: number) => {
    share.value = next;
    if (next > 0 && next < 1) open.value = next;
    remember(storageKey, next);
  };
  if (second === null) return <div class="image-split">{first}</div>;
  return (
    <div class="image-split" ref={root}>
      <div class="image-split-part" style={{ flexGrow: share.value }} hidden={share.value === 0}>
        {first}
      </div>
      <Divider
        label={label}
        share={share.value}
        root={root}
        place={place}
        onKeyDown={(event) => {
          const next = dividerAfterKey(event, share.value, open.value, root.current?.clientHeight ?? 0);
          if (next === null) return;
          place(next);
          event.preventDefault();
        }}
        onDblClick={() => place(initial)}
      />
      <div class="image-split-part" style={{ flexGrow: 1 - share.value }} hidden={share.value === 1}>
        {second}
      </div>
    </div>
  );
}

interface DividerProps {
  readonly label: string;
  readonly share: number;
  readonly root: RefObject<HTMLElement | null>;
  place(share: number): void;
  onKeyDown(event: KeyboardEvent): void;
  onDblClick(): void;
}

function Divider({ label, share, root, place, onKeyDown, onDblClick }: DividerProps) {
  const percent = Math.round(share * 100);
  const drag = (event: PointerEvent) => {
    const box = root.current?.getBoundingClientRect();
    if (box && (event.currentTarget as HTMLElement).hasPointerCapture(event.pointerId)) {
      place(settleDivider((event.clientY - box.top) / box.height, box.height));
    }
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be moved.
    <div
      class="image-divider"
      role="separator"
      tabIndex={0}
      aria-label={`Divider: ${label}`}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={dividerText(percent)}
      title="Drag or use the arrow keys. Home and End close a part; Enter closes or reopens it."
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag}
      onDblClick={onDblClick}
      onKeyDown={onKeyDown}
    />
  );
}

function dividerText(percent: number): string {
  if (percent === 0) return 'upper part closed';
  if (percent === 100) return 'lower part closed';
  return `upper part ${percent} %`;
}

/** Returns the stored position; null when there is none or storage is not allowed. */
function remembered(key: string): number | null {
  try {
    const text = localStorage.getItem(key);
    const value = Number(text);
    return text !== null && value >= 0 && value <= 1 ? value : null;
  } catch {
    return null;
  }
}

function remember(key: string, share: number): void {
  try {
    localStorage.setItem(key, String(share));
  } catch {
    // The position lasts until the page is closed.
  }
}
