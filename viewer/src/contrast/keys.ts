/** Of the contrast panel, for the list of shortcuts. */
export const CONTRAST_KEYS: readonly { readonly keys: string; readonly does: string }[] = [
  { keys: '← →', does: 'Move the minimum or maximum that has the focus; with Shift ten times as far' },
  { keys: 'Home End', does: 'As far as the data go' },
  { keys: '+ −', does: 'Zoom the histogram at the handle' },
  { keys: '0', does: 'Show the whole histogram' },
  { keys: 'A', does: 'Auto contrast, with the focus on a handle' },
  { keys: 'Esc', does: 'Give up a drag of a handle' },
  { keys: 'Wheel', does: 'Zoom the histogram at the pointer' },
  { keys: 'Double click', does: 'On the histogram: auto contrast; on the gamma slider: 1' },
  { keys: 'Alt + click', does: 'On the name of a channel: show it alone, or all again' },
];
