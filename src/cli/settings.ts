import { randomBytes } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import Value from 'typebox/value';
import { defaultOptions, homeFolder } from '../options.js';
import { BLOCKED_PORTS } from './blocked-ports.js';
import { defaultSettings, LOG_LEVELS, ServeSettings } from './serve-settings.js';
import { environmentName, type Kind, SETTINGS, type Setting } from './setting-list.js';
import { UsageError } from './usage-error.js';

export interface SettingsInput {
  /** Values of flags by setting name, as typed: text, array of texts for repeatable ones, `true` for switches. */
  flags: Readonly<Record<string, unknown>>;
  env: NodeJS.ProcessEnv;
  /** Path of a JSON settings file. */
  file?: string;
}

/**
 * Defaults < settings file < environment < flags. A list of a stronger source replaces a weaker one's.
 * @throws UsageError naming the option and where its value came from
 */
export function resolveSettings(input: SettingsInput): ServeSettings {
  const settings: Record<string, unknown> = { ...defaultSettings(input.env) };
  const origins = new Map<string, string>();
  const file = input.file === undefined ? {} : readSettingsFile(input.file);
  for (const setting of SETTINGS) {
    const found = firstGiven(setting, input, file);
    if (!found) continue;
    settings[setting.key] = toValue(setting, found.value, found.origin);
    origins.set(setting.key, found.origin);
  }
  check(settings, origins);
  checkPort((settings as ServeSettings).port, origins);
  return finish(settings as ServeSettings);
}

/**
 * Returns the state folder alone: a server must be found even when other settings are wrong.
 * @throws UsageError for a settings file that cannot be read
 */
export function resolveStateDir(input: SettingsInput): string {
  const file = input.file === undefined ? {} : readSettingsFile(input.file);
  const setting = SETTINGS.find(({ key }) => key === 'stateDir') as Setting;
  const found = firstGiven(setting, input, file);
  return resolve(expandHome(String(found?.value ?? defaultOptions(input.env).stateDir)));
}

interface Given {
  value: unknown;
  origin: string;
}

function firstGiven(setting: Setting, input: SettingsInput, file: Record<string, unknown>): Given | undefined {
  const flag = input.flags[setting.name];
  if (flag !== undefined) return { value: flag, origin: `--${setting.name}` };
  const variable = environmentName(setting);
  const text = input.env[variable];
  if (text !== undefined && text !== '') return { value: splitList(setting.kind, text), origin: variable };
  const stored = file[setting.name];
  if (stored !== undefined) return { value: stored, origin: `"${setting.name}" in ${input.file}` };
  return undefined;
}

function splitList(kind: Kind, text: string): unknown {
  if (kind === 'list') return text.split(/[,\s]+/).filter((part) => part !== '');
  if (kind === 'paths') return text.split(delimiter).filter((part) => part !== '');
  return text;
}

function readSettingsFile(path: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`--config ${path}: ${(error as Error).message}`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new UsageError(`--config ${path}: must hold one JSON object, e.g. {"port": 9000}`);
  }
  for (const name of Object.keys(parsed)) {
    if (!SETTINGS.some((setting) => setting.name === name)) {
      throw new UsageError(`--config ${path}: "${name}" is no setting; names are those of the flags, without dashes`);
    }
  }
  return parsed as Record<string, unknown>;
}

function toValue(setting: Setting, value: unknown, origin: string): unknown {
  switch (setting.kind) {
    case 'number':
      return typeof value === 'string' ? toNumber(value, origin) : value;
    case 'size':
      return typeof value === 'string' ? parseSize(value, origin) : value;
    case 'switch':
      return typeof value === 'string' ? toBoolean(value, origin) : value;
    case 'list':
      return [value].flat().flatMap((item) => (typeof item === 'string' ? splitList('list', item) : item));
    case 'paths':
      return [value].flat();
    default:
      return value;
  }
}

function toNumber(text: string, origin: string): number {
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) throw new UsageError(`${origin}: "${text}" is not a number`);
  return value;
}

function toBoolean(text: string, origin: string): boolean {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  throw new UsageError(`${origin}: "${text}" is neither true nor false`);
}

const SIZE_UNITS: Record<string, number> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** `4GB` = 4·10⁹ bytes, `4GiB` = 4·2³⁰ bytes, a plain number is bytes. */
export function parseSize(text: string, origin: string): number {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text);
  const unit = SIZE_UNITS[match?.[2]?.toLowerCase() ?? '?'];
  if (!match || unit === undefined) throw new UsageError(`${origin}: "${text}" is not a size such as 500MB or 4GiB`);
  return Math.round(Number(match[1]) * unit);
}

/** Against the schema; the message speaks of the option, not of the schema. */
function check(settings: Record<string, unknown>, origins: Map<string, string>): void {
  const [error] = Value.Errors(ServeSettings, settings);
  if (!error) return;
  const key = error.instancePath.split('/')[1] ?? '';
  const origin = origins.get(key) ?? key;
  if (key === 'logLevel') throw new UsageError(`${origin}: must be one of ${LOG_LEVELS.join(', ')}`);
  throw new UsageError(`${origin}: ${error.message} (got ${JSON.stringify(settings[key])})`);
}

function checkPort(port: number, origins: Map<string, string>): void {
  if (!BLOCKED_PORTS.has(port)) return;
  throw new UsageError(
    `${origins.get('port') ?? 'port'}: browsers refuse to connect to port ${port}, so no page could use the server; ` +
      'choose another port, for example 8767',
  );
}

/** What only this machine can tell: the home folder, real paths, a fresh token. */
function finish(settings: ServeSettings): ServeSettings {
  return {
    ...settings,
    token: settings.token === 'auto' ? randomBytes(24).toString('base64url') : settings.token,
    roots: settings.roots.map(realFolder),
    allowExtensions: settings.allowExtensions.map((extension) => extension.toLowerCase()),
    stateDir: resolve(expandHome(settings.stateDir)),
  };
}

function realFolder(path: string): string {
  try {
    const real = realpathSync(resolve(expandHome(path)));
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw new UsageError(`--root ${path}: ${(error as Error).message}`);
  }
  throw new UsageError(`--root ${path}: is not a folder`);
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homeFolder(), path.slice(1)) : path;
}
