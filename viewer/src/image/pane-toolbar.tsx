import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import type { AcquisitionDocument, Pane } from '../model/document.ts';
import type { Tool } from '../model/extension.ts';
import { chooseTool, ZOOM_STEP, zoomStep } from './actions.ts';
import { BASE_TOOLS, SWITCHES } from './commands.ts';
import './image.css';
import { activeCard, goHome, paneState, redoChange, undoChange } from './pane-state.ts';

interface PaneToolbarProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly tools: readonly Tool[];
  /** More controls at the end of the toolbar. */
  readonly children?: ComponentChildren;
}

const ICONS = {
  home: 'M2 7.5L8 2.5l6 5M4 6.5v7h8v-7',
  undo: 'M5.5 3L2.5 6l3 3M2.5 6h7a4 4 0 0 1 0 8H6',
  redo: 'M10.5 3l3 3-3 3M13.5 6h-7a4 4 0 0 0 0 8H10',
  closer: 'M8 3v10M3 8h10',
  wider: 'M3 8h10',
} as const;

/** Buttons for everything that the cards of a pane can do. Their tooltips contain the keys. */
export function PaneToolbar({ pane, tools, children }: PaneToolbarProps) {
  const stop = useSignal<string>(BASE_TOOLS[0].label);
  return (
    <div
      class="image-toolbar"
      role="toolbar"
      onKeyDown={moveAlong}
      aria-label={`${pane.kind === 'source' ? 'Source' : 'Reference'} image tools`}
    >
      <div class="image-toolbar-group">
        {[...BASE_TOOLS, ...tools].map((tool) => (
          <IconButton
            stop={stop}
            key={tool.id}
            label={tool.label}
            hint={'hint' in tool ? tool.hint : undefined}
            keys={tool.key.toUpperCase()}
            icon={tool.icon}
            pressed={pane.tool.value === tool.id}
            act={() => chooseTool(pane, tool.id)}
          />
        ))}
      </div>
      <ZoomButtons pane={pane} stop={stop} />
      <div class="image-toolbar-group">
        {SWITCHES.filter(({ available }) => available?.(pane) !== false).map((item) => (
          <IconButton
            stop={stop}
            key={item.id}
            label={item.label}
            hint={item.hint}
            keys={item.key.toUpperCase()}
            icon={item.icon}
            pressed={item.pressed(pane)}
            act={() => item.act(pane)}
          />
        ))}
      </div>
      {children}
    </div>
  );
}

function ZoomButtons({ pane, stop }: { readonly pane: Pane; readonly stop: Signal<string> }) {
  const { past, future } = paneState(pane).history.value;
  const card = () => activeCard(pane);
  const zoom = (factor: number) =>
    zoomStep(pane, card(), { x: factor, y: factor }, { kind: 'zoom keys', at: performance.now() });
  const buttons = [
    { label: 'Zoom in', keys: '+', icon: ICONS.closer, act: () => zoom(ZOOM_STEP) },
    { label: 'Zoom out', keys: '−', icon: ICONS.wider, act: () => zoom(1 / ZOOM_STEP) },
    { label: 'Whole image', keys: '0', icon: ICONS.home, act: () => goHome(pane, card()) },
    { label: 'Undo', keys: 'Z', icon: ICONS.undo, disabled: past.length === 0, act: () => undoChange(pane) },
    { label: 'Redo', keys: 'Shift+Z', icon: ICONS.redo, disabled: future.length === 0, act: () => redoChange(pane) },
  ];
  return (
    <div class="image-toolbar-group">
      {buttons.map((button) => (
        <IconButton stop={stop} key={button.label} {...button} />
      ))}
    </div>
  );
}

/** Moves the focus between buttons with the arrow keys. The whole toolbar is one tab stop. */
function moveAlong(event: TargetedKeyboardEvent<HTMLElement>): void {
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('.image-tool')];
  const at = buttons.indexOf(event.target as HTMLElement);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (at < 0 || to === undefined) return;
  buttons[(to + buttons.length) % buttons.length]?.focus();
  event.preventDefault();
}

interface IconButtonProps {
  /** Label of the button that takes the focus from Tab. */
  readonly stop: Signal<string>;
  readonly hint?: string | undefined;
  readonly label: string;
  readonly keys: string;
  readonly icon: string;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  act(): void;
}

function IconButton({ stop, label, hint, keys, icon, pressed, disabled = false, act }: IconButtonProps) {
  return (
    <button
      type="button"
      class="image-tool"
      aria-label={label}
      title={`${hint === undefined ? label : `${label}: ${hint}`} (${keys})`}
      aria-keyshortcuts={keys.replace('−', '-')}
      aria-pressed={pressed}
      // A disabled button would lose the focus when it is pressed.
      aria-disabled={disabled}
      tabIndex={stop.value === label ? 0 : -1}
      onFocus={() => {
        stop.value = label;
      }}
      onClick={() => {
        if (!disabled) act();
      }}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={icon} />
      </svg>
    </button>
  );
}
