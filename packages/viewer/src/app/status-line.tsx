import { BASE_TOOLS } from '../image/commands.ts';
import { CursorReadout, ZoomReadout } from '../image/cursor-readout.tsx';
import type { Pane } from '../model/document.ts';
import { TOOLS } from './parts.ts';
import type { Tab } from './tab.ts';

/** The sample under the cursor, what the pointer does, and the magnification. */
export function StatusLine({ tab }: { tab: Tab }) {
  const pane = tab.document.pane.value;
  return (
    <footer class="app-status">
      <CursorReadout pane={pane} />
      <span class="app-status-right">
        <span class="app-status-hint">{pointerHint(pane)}</span>
        <ZoomReadout pane={pane} />
      </span>
    </footer>
  );
}

const DRAGS: Readonly<Record<string, string>> = {
  zoom: 'zoom',
  pan: 'move',
  region: 'draw a region',
  ellipse: 'draw an ellipse',
  freehand: 'draw around a region',
  line: 'draw a line',
  freeline: 'draw a line by hand',
};

/** Returns what the pointer does with the chosen tool, and the keys of the tools that measure. */
function pointerHint(pane: Pane): string {
  const tool = pane.tool.value;
  const drag = DRAGS[tool];
  const measuring = TOOLS.filter(({ id }) => id !== tool && (id === 'line' || id === 'region'));
  const first = drag === undefined ? 'Click: add a point' : `Drag: ${drag}`;
  const other = tool === 'zoom' ? [] : BASE_TOOLS.filter(({ id }) => id === 'zoom');
  const keys = [...other, ...measuring].map(({ key, id, label }) => {
    return `${key.toUpperCase()}: ${id === 'line' && pane.lineScan ? 'velocity' : label.toLowerCase()}`;
  });
  return [first, 'Wheel: zoom', ...(tool === 'pan' ? [] : ['Shift + drag: move']), ...keys].join(' · ');
}
