import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { Icon } from '../icons/icon.tsx';
import type { IconName } from '../icons/lucide.ts';
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
      <fieldset class="image-toolbar-group image-toolbar-tools" aria-label="Tools">
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
      </fieldset>
      <ZoomButtons pane={pane} stop={stop} />
      <fieldset class="image-toolbar-group" aria-label="Show">
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
      </fieldset>
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
    { label: 'Zoom in', word: 'In', keys: '+', icon: 'plus' as const, act: () => zoom(ZOOM_STEP) },
    { label: 'Zoom out', word: 'Out', keys: '−', icon: 'minus' as const, act: () => zoom(1 / ZOOM_STEP) },
    { label: 'Whole image', word: 'Whole', keys: '0', icon: 'whole' as const, act: () => goHome(pane, card()) },
    { label: 'Undo', keys: 'Z', icon: 'undo' as const, disabled: past.length === 0, act: () => undoChange(pane) },
    {
      label: 'Redo',
      keys: 'Shift+Z',
      icon: 'redo' as const,
      disabled: future.length === 0,
      act: () => redoChange(pane),
    },
  ];
  return (
    <fieldset class="image-toolbar-group image-toolbar-zoom" aria-label="Zoom">
      {buttons.map((button) => (
        <IconButton stop={stop} key={button.label} {...button} />
      ))}
    </fieldset>
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
  readonly icon: IconName;
  /** A part of the label that is shown where there is room; absent for all of it. */
  readonly word?: string;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  act(): void;
}

function IconButton({ stop, label, word = label, hint, keys, icon, pressed, disabled = false, act }: IconButtonProps) {
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
      <Icon name={icon} />
      <span class="image-tool-word" aria-hidden="true">
        {word}
      </span>
    </button>
  );
}
