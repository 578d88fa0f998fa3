import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Icon } from '../icons/icon.tsx';
import type { AcquisitionDocument, Pane } from '../model/document.ts';
import type { Tool } from '../model/extension.ts';
import { planeDims } from '../stack/place.ts';
import { chooseLayout, ZOOM_STEP, zoomStep } from './actions.ts';
import { SWITCHES } from './commands.ts';
import './image.css';
import { moveAlong, useOneStop } from './one-stop.ts';
import { activeCard, goHome, paneState, redoChange, undoChange } from './pane-state.ts';
import { IconButton, ToolButtons } from './tool-buttons.tsx';
import { MenuItem, ToolMenu } from './tool-menu.tsx';

interface PaneToolbarProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly tools: readonly Tool[];
  /** More controls at the end of the toolbar. */
  readonly children?: ComponentChildren;
}

/** One row of buttons for everything that the cards of a pane can do. Their tooltips contain the keys. */
export function PaneToolbar({ document, pane, tools, children }: PaneToolbarProps) {
  const root = useRef<HTMLDivElement>(null);
  useOneStop(root);
  return (
    <div
      ref={root}
      class="image-toolbar"
      data-part="toolbar"
      role="toolbar"
      onKeyDown={moveAlong}
      onMouseDown={keepFocus}
      aria-label={`${pane.kind === 'source' ? 'Source' : 'Reference'} image tools`}
    >
      <ToolButtons pane={pane} tools={tools} />
      <ZoomButtons pane={pane} />
      <LayoutButtons document={document} pane={pane} />
      <ViewMenu pane={pane} />
      {children}
    </div>
  );
}

/** A click on a button leaves the focus where it is: keys go on to the image that was used before. */
function keepFocus(event: MouseEvent): void {
  if (event.target instanceof Element && event.target.closest('button') !== null) event.preventDefault();
}

function ZoomButtons({ pane }: { readonly pane: Pane }) {
  const { past, future } = paneState(pane).history.value;
  const card = () => activeCard(pane);
  const zoom = (factor: number) =>
    zoomStep(pane, card(), { x: factor, y: factor }, { kind: 'zoom keys', at: performance.now() });
  const buttons = [
    { label: 'Zoom out', keys: '−', icon: 'minus' as const, act: () => zoom(1 / ZOOM_STEP) },
    { label: 'Zoom in', keys: '+', icon: 'plus' as const, act: () => zoom(ZOOM_STEP) },
    { label: 'Whole image', keys: '0', icon: 'whole' as const, act: () => goHome(pane, card()) },
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
    <fieldset class="image-toolbar-group" aria-label="Zoom">
      {buttons.map((button) => (
        <IconButton key={button.label} {...button} hasWord={false} />
      ))}
    </fieldset>
  );
}

/** All visible channels in one image, an image for each, or cross-sections through a stack. */
function LayoutButtons({ document, pane }: Pick<PaneToolbarProps, 'document' | 'pane'>) {
  const { shown } = pane.orthogonal.value;
  const several = pane.channels.length > 1;
  const isStack = planeDims(document.info.value, pane).length > 0;
  const { value: composite } = pane.composite;
  const choices = [
    { id: 'composite', label: 'Composite', hint: 'all visible channels in one image', keys: 'C', pressed: composite },
    { id: 'channels', label: 'Channels', hint: 'an image for each channel', keys: 'C', pressed: !composite },
    { id: 'orthogonal', label: 'Orthogonal', hint: 'the plane with two cross-sections', keys: 'O', pressed: shown },
  ] as const;
  const offered = choices.filter(({ id }) => (id === 'orthogonal' ? isStack : several));
  if (offered.length === 0) return null;
  return (
    <fieldset class="image-toolbar-group image-toolbar-layout" aria-label="Layout">
      {offered.map(({ id, pressed, ...choice }) => (
        <IconButton
          key={id}
          {...choice}
          icon={id}
          pressed={id === 'orthogonal' ? shown : pressed && !shown}
          act={() => {
            // The only layout of a single channel beside its image is switched off again.
            const leaves = id === 'orthogonal' && shown && !several;
            chooseLayout(pane, leaves ? null : id);
          }}
        />
      ))}
    </fieldset>
  );
}

/** What is set once: how the image lies, and what is drawn on and around it. */
function ViewMenu({ pane }: { readonly pane: Pane }) {
  const face = (
    <>
      <Icon name="view" />
      <span class="image-tool-word" aria-hidden="true">
        View
      </span>
    </>
  );
  const items = SWITCHES.filter(({ id, available }) => id !== 'composite' && available?.(pane) !== false);
  return (
    <ToolMenu
      label="View"
      title="How the image lies, and what is drawn around it (V)"
      keys="V"
      face={face}
      shown={paneState(pane).viewMenu}
    >
      {() =>
        items.map((item) => (
          <MenuItem
            key={item.id}
            role="menuitemcheckbox"
            label={item.label}
            keys={item.key.toUpperCase()}
            title={item.hint}
            checked={item.pressed(pane)}
            act={() => item.act(pane)}
          />
        ))
      }
    </ToolMenu>
  );
}
