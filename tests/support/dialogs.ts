import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Desktop } from './desktop.js';

/** A file dialog of Linux, and how a user types a path into it. */
export interface Dialog {
  name: string;
  programs: string[];
  withBus: boolean;
  desktopName: string;
  /** What runs while a dialog is open, and must not after it. */
  process?: string;
  /** Brings the keyboard to the field for a path. */
  locationKeys: string[];
  /** A file name with everything that can be typed into that field. */
  oddName: string;
}

export const DIALOGS: Dialog[] = [
  {
    name: 'zenity',
    programs: ['zenity'],
    withBus: false,
    desktopName: 'GNOME',
    process: 'zenity',
    locationKeys: ['ctrl+l', 'ctrl+a'],
    oddName: `a 'b' | c$ "d"; *.ome.tif`,
  },
  {
    name: 'kdialog',
    programs: ['kdialog'],
    withBus: false,
    desktopName: 'KDE',
    process: 'kdialog',
    locationKeys: ['ctrl+a'],
    // The field of Qt takes a double quote for the start of a list.
    oddName: `a 'b' | c$ d; *.ome.tif`,
  },
  {
    name: 'desktop portal',
    programs: ['dbus-daemon', 'xdg-desktop-portal', 'xdg-desktop-portal-gtk'],
    withBus: true,
    desktopName: 'GNOME',
    locationKeys: ['ctrl+l', 'ctrl+a'],
    oddName: `a 'b' | c$ "d"; *.ome.tif`,
  },
];

/** Types a path into the dialog and confirms it, again when the dialog was not ready for it. Returns what came of it. */
export async function choosePath<T>(
  desktop: Desktop,
  title: string,
  { locationKeys }: Pick<Dialog, 'locationKeys'>,
  path: string,
  result: Promise<T>,
): Promise<T> {
  let settled = false;
  const done = result
    .catch(() => {})
    .then(() => {
      settled = true;
    });
  await desktop.focus(title);
  for (let attempt = 0; attempt < 30 && !settled; attempt++) {
    if (attempt % 6 === 0) {
      await sleep(300);
      desktop.keys(...locationKeys);
      desktop.type(path);
    }
    await sleep(300);
    if (desktop.windows(title).length > 0) desktop.keys('Return');
    await Promise.race([done, sleep(300)]);
  }
  expect(settled, `${path} was typed and nothing happened`).toBe(true);
  return result;
}
