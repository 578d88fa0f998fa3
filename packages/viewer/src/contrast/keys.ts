/** Keys of the contrast panel, for the help dialog. */
export const CONTRAST_KEYS: readonly { readonly keys: string; readonly does: string }[] = [
  { keys: '← →', does: 'Move the focused minimum or maximum; with Shift ten times as far' },
  { keys: 'Home End', does: 'Move it to the lowest or highest sample' },
  { keys: '+ −', does: 'Zoom the histogram at the handle' },
  { keys: '0', does: 'Show the whole histogram' },
  { keys: 'A', does: 'Auto contrast (on a focused handle)' },
  { keys: 'Esc', does: 'Cancel the drag of a handle' },
  { keys: 'Wheel', does: 'Zoom the histogram at the pointer' },
  { keys: 'Double click', does: 'Histogram: auto contrast; gamma slider: 1' },
  { keys: 'Alt + click', does: 'Eye of a channel: show only this channel, or all again' },
];
