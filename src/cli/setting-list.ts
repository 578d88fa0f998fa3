import { LOG_LEVELS, type ServeSettings } from './serve-settings.js';

/** How the text of a flag or of the environment becomes a value. `paths` is a list split like PATH. */
export type Kind = 'text' | 'number' | 'size' | 'list' | 'paths' | 'switch';

/** One setting: flag `--name`, environment `ACQSTORE_NAME`, key `name` of the settings file. */
export interface Setting {
  name: string;
  key: keyof ServeSettings;
  kind: Kind;
  /** What stands behind the flag in the help; none for a switch. */
  placeholder?: string;
  description: string;
  /** The default, in words. */
  fallback: string;
}

/** The one list: flags, environment, settings file, help and `docs/cli.md` come from it. */
export const SETTINGS: readonly Setting[] = [
  row('host', 'host', 'text', 'address', 'address to bind; not loopback: needs --token and --root', '127.0.0.1'),
  row('port', 'port', 'number', 'number', 'port to bind, 0 for any free one', '8767'),
  row('token', 'token', 'text', 'text', 'bearer token that clients may prove themselves with; auto makes one', 'none'),
  row('root', 'roots', 'paths', 'folder', 'confine opening by path to this folder (repeatable)', 'not confined'),
  row('allow-origin', 'allowOrigins', 'list', 'origin', 'trust a further web origin (repeatable)', 'loopback only'),
  row('allow-host', 'allowHosts', 'list', 'name', 'answer to a further Host name (repeatable)', 'loopback only'),
  row('allow-file-pages', 'allowFilePages', 'switch', '', 'let pages opened from disk open by path', 'off'),
  row(
    'allow-ext',
    'allowExtensions',
    'list',
    'ext',
    'open only files of this extension and format (repeatable)',
    'all',
  ),
  row('session-ttl', 'sessionTtlSeconds', 'number', 'seconds', 'life of a session from its open or renewal', '600'),
  row('max-sessions', 'maxSessions', 'number', 'count', 'sessions held at a time', '256'),
  row(
    'memory-budget',
    'memoryBudgetBytes',
    'size',
    'size',
    'memory for planes and decoding, e.g. 4GB',
    'a quarter of RAM',
  ),
  row('max-plane-bytes', 'maxPlaneBytes', 'size', 'size', 'largest plane that is served, as float32', '2GiB'),
  row('open-timeout', 'openTimeoutSeconds', 'number', 'seconds', 'longest time that an open may take', '120'),
  row('picker-timeout', 'pickerTimeoutSeconds', 'number', 'seconds', 'longest time a file dialog stays open', '600'),
  row('workers', 'decodeWorkers', 'number', 'count', 'decode workers, 0 for one per core', '0'),
  row('queue', 'decodeQueue', 'number', 'count', 'opens that may wait for a worker', '64'),
  row('state-dir', 'stateDir', 'text', 'folder', 'folder of the log and the instance file', 'per system, see below'),
  row('log-level', 'logLevel', 'text', 'level', LOG_LEVELS.join(', '), 'info'),
  row('open', 'open', 'switch', '', 'open the viewer in a browser', 'off'),
];

function row(
  name: string,
  key: keyof ServeSettings,
  kind: Kind,
  placeholder: string,
  description: string,
  fallback: string,
): Setting {
  return { name, key, kind, description, fallback, ...(placeholder === '' ? {} : { placeholder }) };
}

export function environmentName(setting: Setting): string {
  return `ACQSTORE_${setting.name.toUpperCase().replaceAll('-', '_')}`;
}
