import type { ReadonlySignal } from '@preact/signals';
import type { Pane } from '../model/document.ts';
import { canShowTrueShape, flip, toggle, transpose } from './actions.ts';
import { setLinked } from './pane-state.ts';

/** A switch of a pane, with a button in its toolbar and a key on its cards. */
interface Switch {
  readonly id: string;
  readonly label: string;
  /** Explains the switch where the label is not enough. */
  readonly hint?: string;
  readonly key: string;
  /** Path data of a 16 × 16 icon, stroked. */
  readonly icon: string;
  pressed(pane: Pane): boolean;
  /** Returns false when the pane cannot use the switch. Absent means always available. */
  available?(pane: Pane): boolean;
  act(pane: Pane): void;
}

function signalSwitch(
  parts: Pick<Switch, 'id' | 'label' | 'hint' | 'key' | 'icon'>,
  state: (pane: Pane) => ReadonlySignal<boolean> & { value: boolean },
  available?: (pane: Pane) => boolean,
): Switch {
  return {
    ...parts,
    pressed: (pane) => state(pane).value,
    ...(available ? { available } : {}),
    act: (pane) => toggle(state(pane)),
  };
}

export const SWITCHES: readonly Switch[] = [
  signalSwitch(
    {
      id: 'composite',
      label: 'Composite',
      hint: 'all visible channels in one image',
      key: 'c',
      icon: 'M6 2.5a3.75 3.75 0 1 0 0 7.5a3.75 3.75 0 1 0 0-7.5M10 6a3.75 3.75 0 1 0 0 7.5a3.75 3.75 0 1 0 0-7.5',
    },
    (pane) => pane.composite,
    (pane) => pane.channels.length > 1,
  ),
  {
    id: 'transpose',
    label: 'Transpose',
    hint: 'swap the axes',
    key: 't',
    icon: 'M2.5 7V2.5H7M2.5 2.5l11 11M13.5 9v4.5H9',
    pressed: (pane) => pane.orientation.value.transposed,
    act: transpose,
  },
  {
    id: 'flip',
    label: 'Flip',
    hint: 'show the first sample at the bottom',
    key: 'f',
    icon: 'M1.5 8h13M4 5.5L8 2l4 3.5zM4 10.5L8 14l4-3.5z',
    pressed: (pane) => pane.orientation.value.upward,
    act: flip,
  },
  signalSwitch(
    { id: 'axes', label: 'Axes', key: 'a', icon: 'M3.5 2v10.5H14M1.5 4h2M1.5 8h2M7 12.5v2M11 12.5v2' },
    (pane) => pane.axes,
  ),
  signalSwitch(
    { id: 'scale-bar', label: 'Scale bar', key: 's', icon: 'M2 8h12M2 5.5v5M14 5.5v5' },
    (pane) => pane.scaleBar,
  ),
  signalSwitch(
    {
      id: 'aspect',
      label: 'True shape',
      hint: 'same scale in both directions',
      key: 'p',
      icon: 'M2 4.5h12v7H2zM4.5 9V7h2M11.5 7v2h-2',
    },
    (pane) => pane.physicalAspect,
    canShowTrueShape,
  ),
  {
    id: 'link',
    label: 'Link',
    hint: 'all images show the same part',
    key: 'k',
    icon: 'M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5L7.5 13a3 3 0 0 1-4.5-4.5L4.5 7',
    pressed: (pane) => pane.linked.value,
    available: (pane) => pane.channels.length > 1,
    act: (pane) => setLinked(pane, !pane.linked.value),
  },
];

/** Tools that every card has. */
export const BASE_TOOLS = [
  {
    id: 'zoom',
    label: 'Zoom',
    hint: 'drag along an axis or draw a box; on a line scan, hold Alt or Ctrl for a box',
    key: 'b',
    icon: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.3 10.3L14 14M7 5v4M5 7h4',
    cursor: 'crosshair',
  },
  {
    id: 'pan',
    label: 'Pan',
    hint: 'drag the image; with any tool, hold Shift or Space, or use the middle button',
    key: 'h',
    icon: 'M8 1.5v13M1.5 8h13M6 3.5l2-2 2 2M6 12.5l2 2 2-2M3.5 6l-2 2 2 2M12.5 6l2 2-2 2',
    cursor: 'grab',
  },
] as const;
