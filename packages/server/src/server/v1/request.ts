/** Reads request bodies in the order, and as leniently, as v1 did. Unknown fields are ignored. */
import { join, resolve } from 'node:path';
import { EXTENSION_PATTERN } from '@acquisition-store/client/contract/open.js';
import { homeFolder } from '../../state-folder.js';
import { V1Refusal } from './errors.js';
import { parsePythonJson, toPythonInt, toPythonText } from './python.js';

/** The channels that a client asks for. */
export interface V1Channels {
  calcium: number;
  /** `null`: one channel only. */
  vessels: number | null;
}

export interface V1Open {
  /** Absolute. */
  path: string;
  /** The path as the caller wrote it. */
  written: string;
  channels: V1Channels;
}

export interface V1Pick {
  /** Extensions for the dialog, each with its dot; empty for the usual ones. */
  extensions: string[];
  channels: V1Channels;
}

type Fields = Record<string, unknown>;

/** @throws V1Refusal, IntOverflow */
export function readOpen(body: unknown): V1Open {
  const fields = parseBody(body);
  if (!isFields(fields)) throw new V1Refusal('path_not_found', 'JSON body object required');
  const { path } = fields;
  if (typeof path !== 'string' || path.trim() === '') {
    throw new V1Refusal('path_not_found', 'JSON body must include string "path"');
  }
  return { path: toAbsolute(path), written: path, channels: readChannels(fields) };
}

/**
 * Reads a body that may be missing. One that is not JSON counts as missing.
 * @throws V1Refusal, IntOverflow
 */
export function readPick(body: unknown): V1Pick {
  const fields = parseBody(body) ?? {};
  if (!isFields(fields)) throw new V1Refusal('unsupported_format', 'JSON body object required');
  return { extensions: readExtensions(fields['extensions']), channels: readChannels(fields) };
}

/**
 * Refuses negative channels. v1 did this after it had found the file.
 * @throws V1Refusal
 */
export function checkNotNegative({ calcium, vessels }: V1Channels): void {
  if (calcium >= 0 && (vessels ?? 0) >= 0) return;
  throw new V1Refusal('channel_out_of_range', 'Channel numbers must be >= 0');
}

function parseBody(body: unknown): unknown {
  return body instanceof Uint8Array && body.length > 0 ? parsePythonJson(body) : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readChannels(fields: Fields): V1Channels {
  const { calciumChannel = 0, vesselChannel = 1 } = fields;
  return {
    calcium: toChannel('calciumChannel', calciumChannel),
    vessels: vesselChannel === null ? null : toChannel('vesselChannel', vesselChannel),
  };
}

function toChannel(name: string, value: unknown): number {
  const channel = toPythonInt(value);
  if (channel === undefined) throw new V1Refusal('channel_out_of_range', `${name} must be an integer`);
  return channel;
}

/** Normalizes the extensions for the dialog. Those that no file name can end with are left out. */
function readExtensions(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new V1Refusal('unsupported_format', 'extensions must be a list');
  return value
    .map((item) => toPythonText(item).trim().toLowerCase())
    .map((text) => (text.startsWith('.') ? text : `.${text}`))
    .filter((extension) => extension.length <= MAX_EXTENSION_LENGTH && new RegExp(EXTENSION_PATTERN).test(extension))
    .slice(0, MAX_EXTENSIONS);
}

/** The limits of the dialog. */
const MAX_EXTENSION_LENGTH = 32;
const MAX_EXTENSIONS = 256;

/** Expands `~` and makes a path absolute. Relative paths start at the working directory of the server. */
function toAbsolute(path: string): string {
  if (path === '~') return homeFolder();
  return /^~[/\\]/.test(path) ? join(homeFolder(), path.slice(2)) : resolve(path);
}
