import { existsSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { writeAtomic } from './atomic-file.js';
import type { StartAtLogin } from './protocol.js';

export interface Autostart {
  state(): StartAtLogin;
  set(enabled: boolean): void;
}

/**
 * Starts this application when its user logs in: by an entry of the XDG autostart folder. Other systems are not supported
 * yet. `command` is the program with its arguments; without it nothing can be set.
 */
export function createAutostart(command: readonly string[] | undefined): Autostart {
  if (process.platform !== 'linux' || command === undefined) {
    return { state: () => ({ available: false, enabled: false }), set: () => {} };
  }
  const config = process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  const path = join(config, 'autostart', 'acquisition-store.desktop');
  return {
    state: () => ({ available: true, enabled: existsSync(path) }),
    set(enabled) {
      if (enabled) writeAtomic(path, desktopEntry(command));
      else rmSync(path, { force: true });
    },
  };
}

function desktopEntry(command: readonly string[]): string {
  const lines = [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Acquisition Store',
    `Exec=${command.map(quoteArgument).join(' ')}`,
  ];
  return `${[...lines, 'Terminal=false', 'X-GNOME-Autostart-enabled=true'].join('\n')}\n`;
}

/** Quotes an argument of `Exec`: first for the line, then as a string of the file, and `%` as a field code. */
export function quoteArgument(text: string): string {
  const quoted = `"${text.replace(/["`$\\]/g, '\\$&')}"`;
  return quoted.replaceAll('\\', '\\\\').replaceAll('%', '%%');
}
