import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { defaultOptions } from '../options.js';
import { checkPort, checkValues, realFolder } from '../server/check-options.js';
import { homeFolder } from '../state-folder.js';
import { defaultSettings, LOG_LEVELS, ServeSettings } from './serve-settings.js';
import type { Setting, SettingKind } from './setting.js';
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

function splitList(kind: SettingKind, text: string): unknown {
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

/** Checks settings. The message names the option and its source. */
function check(settings: Record<string, unknown>, origins: Map<string, string>): void {
  const nameOption = (key: string) => origins.get(key) ?? key;
  const { logLevel } = settings;
  if (!(LOG_LEVELS as readonly unknown[]).includes(logLevel)) {
    throw new UsageError(`${nameOption('logLevel')}: must be one of ${LOG_LEVELS.join(', ')}`);
  }
  asUsage(() => {
    checkValues(ServeSettings, settings, nameOption);
    checkPort((settings as ServeSettings).port, nameOption);
  });
}

/** Settings of the command line are wrong in the words of the server. */
function asUsage<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof AcqError ? new UsageError(error.message) : error;
  }
}

/** Fills in what depends on this computer: the home folder, real paths, a new token. */
function resolveLocal(settings: ServeSettings): ServeSettings {
  return {
    ...settings,
    token: settings.token === 'auto' ? randomBytes(24).toString('base64url') : settings.token,
    roots: asUsage(() => settings.roots.map((path) => realFolder(resolve(expandHome(path))))),
    ...(settings.tokensFile === undefined ? {} : { tokensFile: resolve(expandHome(settings.tokensFile)) }),
    ...(settings.auditLog === undefined ? {} : { auditLog: resolve(expandHome(settings.auditLog)) }),
    allowExtensions: settings.allowExtensions.map((extension) => extension.toLowerCase()),
    stateDir: resolve(expandHome(settings.stateDir)),
  };
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homeFolder(), path.slice(1)) : path;
}
