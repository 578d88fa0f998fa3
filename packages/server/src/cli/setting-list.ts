import { defaultSettings, LOG_LEVELS } from './serve-settings.js';
import type { Setting } from './setting.js';
import { STORE_SETTINGS } from './store-settings.js';
import { USER_SETTINGS } from './user-settings.js';

/** All settings. Flags, environment, settings file, help and `docs/cli.md` come from this list. */
export const SETTINGS: readonly Setting[] = [
  {
    name: 'host',
    key: 'host',
    kind: 'text',
    placeholder: 'address',
    description: 'address to bind; one that other computers can reach requires --token or --tokens-file and --root',
  },
  { name: 'port', key: 'port', kind: 'number', placeholder: 'number', description: 'port to bind, 0 for any free one' },
  {
    name: 'token',
    key: 'token',
    kind: 'text',
    placeholder: 'text',
    description: 'bearer token of clients; auto generates one',
    defaultInWords: 'none',
  },
  ...USER_SETTINGS,
  {
    name: 'root',
    key: 'roots',
    kind: 'paths',
    placeholder: 'folder',
    description: 'only open paths inside this folder (repeatable)',
    defaultInWords: 'any folder',
  },
  {
    name: 'allow-origin',
    key: 'allowOrigins',
    kind: 'list',
    placeholder: 'origin',
    description: 'also accept pages from this web origin (repeatable)',
    defaultInWords: 'loopback only',
  },
  {
    name: 'allow-host',
    key: 'allowHosts',
    kind: 'list',
    placeholder: 'name',
    description: 'also accept this Host name (repeatable)',
    defaultInWords: 'loopback only',
  },
  {
    name: 'allow-file-pages',
    key: 'allowFilePages',
    kind: 'switch',
    description: 'let pages opened from disk open files by path',
  },
  {
    name: 'allow-ext',
    key: 'allowExtensions',
    kind: 'list',
    placeholder: 'ext',
    description: 'only open files with this extension and format (repeatable)',
    defaultInWords: 'all',
  },
  {
    name: 'session-ttl',
    key: 'sessionTtlSeconds',
    kind: 'number',
    placeholder: 'seconds',
    description: 'life of a session, from its open or renewal',
  },
  {
    name: 'max-session-ttl',
    key: 'maxSessionTtlSeconds',
    kind: 'number',
    placeholder: 'seconds',
    description: 'longest life that a request can give a session',
  },
  {
    name: 'max-sessions',
    key: 'maxSessions',
    kind: 'number',
    placeholder: 'count',
    description: 'max open sessions',
  },
  ...STORE_SETTINGS,
  {
    name: 'memory-budget',
    key: 'memoryBudgetBytes',
    kind: 'size',
    placeholder: 'size',
    description: 'memory for planes and decoding, for example 4GB',
    defaultInWords: 'a quarter of RAM',
  },
  {
    name: 'max-plane-bytes',
    key: 'maxPlaneBytes',
    kind: 'size',
    placeholder: 'size',
    description: 'max size of a plane, as float32',
  },
  {
    name: 'open-timeout',
    key: 'openTimeoutSeconds',
    kind: 'number',
    placeholder: 'seconds',
    description: 'time limit of an open',
  },
  {
    name: 'picker-timeout',
    key: 'pickerTimeoutSeconds',
    kind: 'number',
    placeholder: 'seconds',
    description: 'time limit of a file dialog',
  },
  {
    name: 'stall-timeout',
    key: 'stallTimeoutSeconds',
    kind: 'number',
    placeholder: 'seconds',
    description: 'disconnect a client that takes no byte of its answer for so long',
  },
  {
    name: 'workers',
    key: 'decodeWorkers',
    kind: 'number',
    placeholder: 'count',
    description: 'decode workers, 0 for one per core',
  },
  {
    name: 'queue',
    key: 'decodeQueue',
    kind: 'number',
    placeholder: 'count',
    description: 'max opens that wait for a worker',
  },
  {
    name: 'cold-start',
    key: 'coldStart',
    kind: 'switch',
    description: 'do not warm up: saves some seconds of processor time, and the first opens take longer',
  },
  {
    name: 'upload-budget',
    key: 'uploadBudgetBytes',
    kind: 'size',
    placeholder: 'size',
    description: 'max size of files that pages send, 0 for none',
    defaultInWords: '8GB; none where other computers can reach the server',
  },
  {
    name: 'state-dir',
    key: 'stateDir',
    kind: 'text',
    placeholder: 'folder',
    description: 'folder of the log, the instance file and uploads',
    defaultInWords: 'depends on the system, see below',
  },
  { name: 'log-level', key: 'logLevel', kind: 'text', placeholder: 'level', description: LOG_LEVELS.join(', ') },
  { name: 'open', key: 'open', kind: 'switch', description: 'open the viewer in a browser' },
  {
    name: 'stop-with-stdin',
    key: 'stopWithStdin',
    kind: 'switch',
    description: 'stop when standard input ends, as it does when the program that started the server ends',
  },
  {
    name: 'control-with-stdin',
    key: 'controlWithStdin',
    kind: 'switch',
    description: 'answer requests on standard input, for the program that started the server; also stop with it',
  },
];

export function environmentName(setting: Setting): string {
  return `ACQSTORE_${setting.name.toUpperCase().replaceAll('-', '_')}`;
}

/** Returns the default of a setting as it is printed, in a form that the flag accepts where it is not in words. */
export function printedDefault({ key, kind, defaultInWords }: Setting): string {
  if (defaultInWords !== undefined) return defaultInWords;
  const value = defaultSettings()[key];
  if (kind === 'switch') return value ? 'on' : 'off';
  return kind === 'size' ? `${Number(value) / 2 ** 30}GiB` : String(value);
}
