/// <reference path="../../../viewer/src/icons/lucide-icons.d.ts" />
/** The icons of the page, from Lucide (ISC license), drawn like those of the viewer. */
import '../../../viewer/src/icons/icon.css';
import Copy from 'lucide/dist/esm/icons/copy.mjs';
import Eye from 'lucide/dist/esm/icons/eye.mjs';
import FileImage from 'lucide/dist/esm/icons/file-image.mjs';
import FolderOpen from 'lucide/dist/esm/icons/folder-open.mjs';
import LifeBuoy from 'lucide/dist/esm/icons/life-buoy.mjs';
import Monitor from 'lucide/dist/esm/icons/monitor.mjs';
import Moon from 'lucide/dist/esm/icons/moon.mjs';
import Play from 'lucide/dist/esm/icons/play.mjs';
import Power from 'lucide/dist/esm/icons/power.mjs';
import RotateCw from 'lucide/dist/esm/icons/rotate-cw.mjs';
import ScrollText from 'lucide/dist/esm/icons/scroll-text.mjs';
import Server from 'lucide/dist/esm/icons/server.mjs';
import Settings from 'lucide/dist/esm/icons/settings.mjs';
import Square from 'lucide/dist/esm/icons/square.mjs';
import Sun from 'lucide/dist/esm/icons/sun.mjs';
import TriangleAlert from 'lucide/dist/esm/icons/triangle-alert.mjs';
import X from 'lucide/dist/esm/icons/x.mjs';
import { h } from 'preact';

const ICONS = {
  close: X,
  copy: Copy,
  dark: Moon,
  file: FileImage,
  folder: FolderOpen,
  light: Sun,
  log: ScrollText,
  power: Power,
  restart: RotateCw,
  server: Server,
  settings: Settings,
  start: Play,
  stop: Square,
  support: LifeBuoy,
  system: Monitor,
  view: Eye,
  warning: TriangleAlert,
} as const;

export type IconName = keyof typeof ICONS;

/** An icon in the color of the text, hidden from screen readers: its button has the name. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon-drawing" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
      {ICONS[name].map(([tag, attributes], i) => h(tag, { ...attributes, key: i }))}
    </svg>
  );
}
