import type { ComponentChildren } from 'preact';
import type { AcquisitionDocument, Pane } from '../model/document.ts';
import type { Tool } from '../model/extension.ts';
import { chooseTool, ZOOM_STEP, zoomStep } from './actions.ts';
import { OWN_TOOLS, SWITCHES } from './commands.ts';
import './image.css';
import { activeCard, goHome, paneState, redoView, undoView } from './pane-state.ts';

export interface PaneToolbarProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly tools: readonly Tool[];
  /** Further controls at its end. */
  readonly children?: ComponentChildren;
}

const ICONS = {
  home: 'M2 7.5L8 2.5l6 5M4 6.5v7h8v-7',
  undo: 'M5.5 3L2.5 6l3 3M2.5 6h7a4 4 0 0 1 0 8H6',
  redo: 'M10.5 3l3 3-3 3M13.5 6h-7a4 4 0 0 0 0 8H10',
  closer: 'M8 3v10M3 8h10',
  wider: 'M3 8h10',
} as const;

/** Buttons for all that the cards of a pane do; each tells its key. */
export function PaneToolbar({ pane, tools, children }: PaneToolbarProps) {
  const { history } = paneState(pane);
  const card = () => activeCard(pane);
  const zoom = (factor: number) =>
    zoomStep(pane, card(), { x: factor, y: factor }, { kind: 'zoom keys', at: performance.now() });
  return (
    <div
      class="image-toolbar"
      role="toolbar"
      aria-label={`${pane.kind === 'source' ? 'Source' : 'Reference'} image tools`}
    >
      <div class="image-toolbar-group">
        {[...OWN_TOOLS, ...tools].map((tool) => (
          <IconButton
            key={tool.id}
            label={tool.label}
            keys={tool.key.toUpperCase()}
            icon={tool.icon}
            pressed={pane.tool.value === tool.id}
            act={() => chooseTool(pane, tool.id)}
          />
        ))}
      </div>
      <div class="image-toolbar-group">
        <IconButton label="Zoom in" keys="+" icon={ICONS.closer} act={() => zoom(ZOOM_STEP)} />
        <IconButton label="Zoom out" keys="−" icon={ICONS.wider} act={() => zoom(1 / ZOOM_STEP)} />
        <IconButton label="Whole image" keys="0" icon={ICONS.home} act={() => goHome(pane, card())} />
        <IconButton
          label="Undo zoom"
          keys="Z"
          icon={ICONS.undo}
          disabled={history.value.past.length === 0}
          act={() => undoView(pane)}
        />
        <IconButton
          label="Redo zoom"
          keys="Shift+Z"
          icon={ICONS.redo}
          disabled={history.value.future.length === 0}
          act={() => redoView(pane)}
        />
      </div>
      <div class="image-toolbar-group">
        {SWITCHES.filter((one) => one.offered?.(pane) !== false).map((one) => (
          <IconButton
            key={one.id}
            label={one.label}
            keys={one.key.toUpperCase()}
            icon={one.icon}
            pressed={one.pressed(pane)}
            act={() => one.act(pane)}
          />
        ))}
      </div>
      {children}
    </div>
  );
}

interface IconButtonProps {
  readonly label: string;
  readonly keys: string;
  readonly icon: string;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  act(): void;
}

function IconButton({ label, keys, icon, pressed, disabled, act }: IconButtonProps) {
  return (
    <button
      type="button"
      class="image-tool"
      aria-label={label}
      title={`${label} (${keys})`}
      aria-keyshortcuts={keys.replace('−', '-')}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={act}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={icon} />
      </svg>
    </button>
  );
}
