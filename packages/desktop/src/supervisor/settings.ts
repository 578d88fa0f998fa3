import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type TProperties, Type } from 'typebox';
import Value from 'typebox/value';
import { writeAtomic } from './atomic-file.js';
import type { SettingFaults, Settings } from './protocol.js';

const DEFAULTS: Settings = {
  port: 8767,
  roots: [],
  allowOrigins: [],
  allowFilePages: false,
  sessionTtlSeconds: 600,
  memoryBudget: '',
};

/** Names in the settings file, which are those of the flags of `acqstore serve`. */
const NAMES = {
  port: 'port',
  roots: 'root',
  allowOrigins: 'allow-origin',
  allowFilePages: 'allow-file-pages',
  sessionTtlSeconds: 'session-ttl',
  memoryBudget: 'memory-budget',
} as const satisfies Record<keyof Settings, string>;

const Folder = Type.Refine(
  Type.String({ minLength: 1, maxLength: 4096 }),
  (path) => isAbsolute(path) || /^~(?:[/\\]|$)/.test(path),
  () => 'folder',
);
const ORIGIN = '^https?://(\\*\\.)?[A-Za-z0-9.-]+(:\\d{1,5})?$';
const SIZE = '^(\\d+(\\.\\d+)?\\s*([kKmMgGtT][iI]?)?[bB]?)?$';
const FIELDS = {
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  roots: Type.Array(Folder, { maxItems: 64 }),
  allowOrigins: Type.Array(Type.String({ pattern: ORIGIN }), { maxItems: 64 }),
  allowFilePages: Type.Boolean(),
  sessionTtlSeconds: Type.Integer({ minimum: 10, maximum: 86_400 }),
  memoryBudget: Type.String({ pattern: SIZE, maxLength: 32 }),
} satisfies TProperties & Record<keyof Settings, unknown>;

const RULES: Record<keyof Settings, string> = {
  port: 'The port must be a whole number from 1 to 65535.',
  roots: 'Each folder needs its full path, for example /data/lab.',
  allowOrigins: 'Each website needs its address without a path, for example https://lab.example.',
  allowFilePages: 'This must be on or off.',
  sessionTtlSeconds: 'The time must be a whole number of seconds from 10 to 86,400.',
  memoryBudget: 'The memory must be a size such as 4GB, or empty.',
};

/** Returns a message for each setting that is not valid; empty when all are. */
export function findFaults(settings: unknown): SettingFaults {
  if (typeof settings !== 'object' || settings === null) return { ...RULES };
  const given = settings as Record<string, unknown>;
  const names = Object.keys(FIELDS) as (keyof Settings)[];
  return Object.fromEntries(
    names.filter((name) => !Value.Check(FIELDS[name], given[name])).map((name) => [name, RULES[name]]),
  );
}

/** The settings file of the image server, of which the page edits a part. Other settings in it are kept. */
export class SettingsFile {
  readonly path: string;
  private values: Settings = DEFAULTS;
  private text = '';
  /** Why the file cannot be used; empty when it can. */
  problem = '';

  constructor(path: string) {
    this.path = path;
    this.read();
  }

  get settings(): Settings {
    return this.values;
  }

  /** Differs after each change of the file, also of settings that the page does not show. */
  get revision(): string {
    return this.text;
  }

  /** Reads the file again: it may have been edited by hand. */
  read(): void {
    this.problem = '';
    this.values = DEFAULTS;
    this.text = '';
    try {
      this.text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      this.problem = `The settings file cannot be read: ${(error as Error).message}`;
      return;
    }
    try {
      this.values = fromFile(JSON.parse(this.text));
    } catch (error) {
      this.problem = `${this.path}: ${(error as Error).message}`;
    }
  }

  /** Saves valid settings. A file that cannot be read is replaced only by settings that the user has seen. */
  save(settings: Settings): void {
    // It may have been edited by hand since it was read.
    this.read();
    const kept = this.problem === '' && this.text !== '' ? (JSON.parse(this.text) as Record<string, unknown>) : {};
    for (const key of Object.keys(NAMES) as (keyof Settings)[]) {
      const value = settings[key];
      const isDefault = JSON.stringify(value) === JSON.stringify(DEFAULTS[key]);
      if (isDefault) delete kept[NAMES[key]];
      else kept[NAMES[key]] = value;
    }
    writeAtomic(this.path, `${JSON.stringify(kept, null, 2)}\n`);
    this.read();
  }
}

/** Reads the part that the page edits. @throws Error that names the first setting that is not valid */
function fromFile(parsed: unknown): Settings {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Error('the file must contain a JSON object, for example {"port": 9000}');
  }
  const file = parsed as Record<string, unknown>;
  const settings = Object.fromEntries(
    (Object.keys(NAMES) as (keyof Settings)[]).map((key) => {
      const given = file[NAMES[key]];
      if (given === undefined) return [key, DEFAULTS[key]];
      const isList = Array.isArray(DEFAULTS[key]);
      const isText = typeof DEFAULTS[key] === 'string';
      return [key, isList ? [given].flat() : isText ? String(given) : given];
    }),
  ) as unknown as Settings;
  const [[key, message] = []] = Object.entries(findFaults(settings));
  if (key !== undefined) throw new Error(`"${NAMES[key as keyof Settings]}": ${message}`);
  return settings;
}
