import { usePage } from './context.ts';

/** Width of the sidebar, CSS pixels. */
const MIN_WIDTH = 220;
const MAX_WIDTH = 480;
/** A drag below this width folds the sidebar. */
const FOLDS = 140;
const STEP = 20;

/** Returns a stored width, which may be anything; null for the width that the style sheet chooses. */
export function toSideWidth(stored: unknown): number | null {
  return typeof stored === 'number' && stored >= MIN_WIDTH && stored <= MAX_WIDTH ? stored : null;
}

/** The edge of the sidebar: a drag or the arrow keys change its width, Enter and a double click fold it to a strip. */
export function PanelEdge() {
  const { sideShown, sideWidth } = usePage();
  const fold = () => {
    sideShown.value = !sideShown.value;
  };
  const place = (width: number) => {
    sideShown.value = width >= FOLDS;
    if (width >= FOLDS) sideWidth.value = Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));
  };
  const current = () => document.querySelector('.app-side')?.getBoundingClientRect().width ?? MIN_WIDTH;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') fold();
    else if (event.key === 'ArrowLeft') place(sideShown.value ? current() + STEP : MIN_WIDTH);
    else if (event.key === 'ArrowRight') place(current() - STEP);
    else if (event.key === 'Home') place(MAX_WIDTH);
    else if (event.key === 'End') place(MIN_WIDTH);
    else return;
    event.preventDefault();
  };
  const width = sideShown.value ? (sideWidth.value ?? MIN_WIDTH) : 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be moved.
    <div
      class="app-edge"
      role="separator"
      tabIndex={0}
      aria-label="Edge of the sidebar"
      aria-orientation="vertical"
      aria-valuemin={0}
      aria-valuemax={MAX_WIDTH}
      aria-valuenow={width}
      aria-valuetext={sideShown.value ? `${width} pixels wide` : 'folded'}
      title={
        sideShown.value
          ? 'Drag to change the width; double click to fold the sidebar (Alt+B)'
          : 'Click to show the sidebar (Alt+B)'
      }
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) place(innerWidth - event.clientX);
      }}
      onClick={() => {
        if (!sideShown.value) fold();
      }}
      onDblClick={() => {
        if (sideShown.value) fold();
      }}
      onKeyDown={onKeyDown}
    />
  );
}
