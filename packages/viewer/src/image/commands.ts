import type { ReadonlySignal } from '@preact/signals';
import type { IconName } from '../icons/lucide.ts';
import type { Pane } from '../model/document.ts';
import { canShowTrueShape, chooseLayout, flip, toggle, transpose } from './actions.ts';
import { setLinked } from './pane-state.ts';

/** A switch of a pane, with a button in its toolbar and a key on its cards. */
interface Switch {
  readonly id: string;
  readonly label: string;
  /** Explains the switch where the label is not enough. */
  readonly hint?: string;
  readonly key: string;
  readonly icon: IconName;
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
  {
    id: 'composite',
    label: 'Composite',
    hint: 'all visible channels in one image',
    key: 'c',
    icon: 'composite',
    pressed: (pane) => pane.composite.value,
    available: (pane) => pane.channels.length > 1,
    act: (pane) => chooseLayout(pane, pane.orthogonal.value.shown || !pane.composite.value ? 'composite' : 'channels'),
  },
  {
    id: 'transpose',
    label: 'Transpose',
    hint: 'swap the axes',
    key: 't',
    icon: 'swap',
    pressed: (pane) => pane.orientation.value.transposed,
    act: transpose,
  },
  {
    id: 'flip',
    label: 'Flip',
    hint: 'show the first sample at the bottom',
    key: 'f',
    icon: 'flip',
    pressed: (pane) => pane.orientation.value.upward,
    act: flip,
  },
  signalSwitch({ id: 'axes', label: 'Axes', key: 'a', icon: 'axes' }, (pane) => pane.axes),
  signalSwitch({ id: 'scale-bar', label: 'Scale bar', key: 's', icon: 'scale-bar' }, (pane) => pane.scaleBar),
  signalSwitch(
    {
      id: 'aspect',
      label: 'True shape',
      hint: 'same scale in both directions',
      key: 'p',
      icon: 'shape',
    },
    (pane) => pane.physicalAspect,
    canShowTrueShape,
  ),
  {
    id: 'link',
    label: 'Link',
    hint: 'all images show the same part',
    key: 'k',
    icon: 'link',
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
    icon: 'zoom',
    cursor: 'crosshair',
  },
  {
    id: 'pan',
    label: 'Pan',
    hint: 'drag the image; with any tool, hold Shift or Space, or use the middle button',
    key: 'h',
    icon: 'hand',
    cursor: 'grab',
  },
] as const;
