import { randomBytes } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { TLocalizedValidationError } from 'typebox/error';
import Value from 'typebox/value';
import { defaultOptions } from '../options.js';
import { homeFolder } from '../state-folder.js';
import { BLOCKED_PORTS } from './blocked-ports.js';
import { defaultSettings, LOG_LEVELS, ServeSettings } from './serve-settings.js';
import type { Kind, Setting } from './setting.js';
import { environmentName, SETTINGS } from './setting-list.js';
import { parseSize } from './size.js';
import { UsageError } from './usage-error.js';

export interface SettingsInput {
  /** Values of flags by setting name: text, an array of texts for repeatable flags, `true` for switches. */
  flags: Readonly<Record<string, unknown>>;
  env: NodeJS.ProcessEnv;
  /** Path of a JSON settings file. */
  file?: string;
}

/**
 * Merges defaults < settings file < environment < flags. A list replaces that of a weaker source.
 * @throws UsageError that names the option and the source of its value
 */
export function resolveSettings(input: SettingsInput): ServeSettings {
  const settings: Record<string, unknown> = { ...defaultSettings(input.env) };
  const origins = new Map<string, string>();
  const file = input.file === undefined ? {} : readSettingsFile(input.file);
  for (const setting of SETTINGS) {
    const given = findGiven(setting, input, file);
    if (!given) continue;
    settings[setting.key] = toValue(setting, given.value, given.origin);
    origins.set(setting.key, given.origin);
  }
  check(settings, origins);
  checkPort((settings as ServeSettings).port, origins);
  return resolveLocal(settings as ServeSettings);
}

/**
 * Returns the state folder without checking the other settings: servers must be found even when those are invalid.
 * @throws UsageError for a settings file that cannot be read
 */
export function resolveStateDir(input: SettingsInput): string {
  const file = input.file === undefined ? {} : readSettingsFile(input.file);
  const setting = SETTINGS.find(({ key }) => key === 'stateDir')!;
  const given = findGiven(setting, input, file);
  return resolve(expandHome(String(given?.value ?? defaultOptions(input.env).stateDir)));
}

interface Given {
  value: unknown;
  origin: string;
}

function findGiven(setting: Setting, input: SettingsInput, file: Record<string, unknown>): Given | undefined {
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
    throw new UsageError(`--config ${path}: the file must contain a JSON object, for example {"port": 9000}`);
  }
  for (const name of Object.keys(parsed)) {
    if (!SETTINGS.some((setting) => setting.name === name)) {
      throw new UsageError(
        `--config ${path}: unknown setting "${name}". Use the names of flags without the leading dashes.`,
      );
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
  throw new UsageError(`${origin}: "${text}" is not a switch value. Use true or false.`);
}

/** Checks settings against the schema. The message names the option and its source. */
function check(settings: Record<string, unknown>, origins: Map<string, string>): void {
  const [error] = Value.Errors(ServeSettings, settings);
  if (!error) return;
  const key = error.instancePath.split('/')[1] ?? '';
  const origin = origins.get(key) ?? key;
  if (key === 'logLevel') throw new UsageError(`${origin}: must be one of ${LOG_LEVELS.join(', ')}`);
  throw new UsageError(`${origin}: ${describeRule(key, error)} (got ${JSON.stringify(settings[key])})`);
}

/** What a value must be, in words where the schema has only a pattern or symbols. */
function describeRule(key: string, error: TLocalizedValidationError): string {
  switch (error.keyword) {
    case 'pattern':
      return PATTERN_RULES[key] ?? error.message;
    case 'type':
      return error.params.type === 'integer' ? 'must be a whole number' : error.message;
    case 'minimum':
      return `must be at least ${error.params.limit}`;
    case 'maximum':
      return `must be at most ${error.params.limit}`;
    case 'exclusiveMinimum':
      return `must be greater than ${error.params.limit}`;
    default:
      return error.message;
  }
}

const PATTERN_RULES: Record<string, string> = {
  token: 'must have no spaces and only ASCII characters',
  allowOrigins: 'must be an origin without a path, for example https://lab.example',
  allowHosts: 'must be a host name without a port, for example scope.lab',
  oidcIssuer: 'must be an address, for example https://login.example',
  signOutUrl: 'must be an address or a path, for example /oauth2/sign_out',
  trustProxies: 'must be an address or a network, for example 10.0.0.0/8',
  allowExtensions: 'must start with a dot and have no spaces or slashes, for example .tif',
};

function checkPort(port: number, origins: Map<string, string>): void {
  if (!BLOCKED_PORTS.has(port)) return;
  throw new UsageError(
    `${origins.get('port') ?? 'port'}: browsers refuse to connect to port ${port}, so no page could use the server. ` +
      'Choose another port, for example 8767.',
  );
}

/** Fills in what depends on this computer: the home folder, real paths, a new token. */
function resolveLocal(settings: ServeSettings): ServeSettings {
  return {
    ...settings,
    token: settings.token === 'auto' ? randomBytes(24).toString('base64url') : settings.token,
    roots: settings.roots.map(realFolder),
    ...(settings.tokensFile === undefined ? {} : { tokensFile: resolve(expandHome(settings.tokensFile)) }),
    ...(settings.auditLog === undefined ? {} : { auditLog: resolve(expandHome(settings.auditLog)) }),
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
  throw new UsageError(`--root ${path}: the path is not a folder`);
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homeFolder(), path.slice(1)) : path;
}
