/** Reads the lines of a `.nd`: `"Key", value`. */

import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { decodeText } from '../../io/text.js';

/** Lines that are read; a position has one, and a channel a few. */
const MAX_LINES = 200_000;

/** What a `.nd` says, under its own names; `undefined` where it says nothing. */
export interface RawNd {
  /** `NDInfoFile`: 1 or 2. */
  version: number | undefined;
  /** `StartTime1`: `20180824 13:10:17.234`. */
  startTime: string;
  doTimelapse: boolean | undefined;
  timePoints: number | undefined;
  doStage: boolean | undefined;
  stagePositions: number | undefined;
  /** By their numbers, from 1. */
  stages: Map<number, string>;
  doWave: boolean | undefined;
  wavelengths: number | undefined;
  waves: Map<number, string>;
  /** `WaveDoZ1`, …: whether a channel has sections. */
  wavesDoZ: Map<number, boolean>;
  doZSeries: boolean | undefined;
  zSteps: number | undefined;
  /** Micrometers. */
  zStepSize: number | undefined;
  /** False when the file has lost its end. */
  hasEnd: boolean;
  /** Every key with its value, in file order. */
  entries: [key: string, value: string][];
}

/** @throws AcqError `decode_failed` for a file that is too large */
export function parseNd(source: ByteSource): RawNd {
  if (source.size > LIMITS.sidecarBytes) {
    throw decodeFailed(`the file has ${grouped(source.size)} bytes; the limit is ${grouped(LIMITS.sidecarBytes)}`);
  }
  const entries = readEntries(decodeText(source.read(0, source.size)));
  const values = new Map(entries.map(([key, value]) => [key.toLowerCase(), value]));
  return {
    version: toNumber(values.get('ndinfofile')?.replace(/^version/i, '')),
    startTime: values.get('starttime1') ?? '',
    doTimelapse: toFlag(values.get('dotimelapse')),
    timePoints: toCount(values.get('ntimepoints')),
    doStage: toFlag(values.get('dostage')),
    stagePositions: toCount(values.get('nstagepositions')),
    stages: numbered(entries, /^Stage(\d{1,6})$/i, (text) => text),
    doWave: toFlag(values.get('dowave')),
    wavelengths: toCount(values.get('nwavelengths')),
    waves: numbered(entries, /^WaveName(\d{1,6})$/i, (text) => text),
    wavesDoZ: numbered(entries, /^WaveDoZ(\d{1,6})$/i, toFlag),
    doZSeries: toFlag(values.get('dozseries')),
    zSteps: toCount(values.get('nzsteps')),
    zStepSize: toNumber(values.get('zstepsize')),
    hasEnd: values.has('endfile'),
    entries,
  };
}

/** A line without a key continues the value before it, which is how a description has several lines. */
function readEntries(text: string): [key: string, value: string][] {
  const entries: [string, string][] = [];
  for (const line of text.split(/\r\n|\n|\r/, MAX_LINES)) {
    const [, key, value = ''] = /^\s*"([^"]{1,100})"\s*(?:,\s*(.*))?$/.exec(line) ?? [];
    const last = entries.at(-1);
    if (key !== undefined) entries.push([key, unquote(value)]);
    else if (last && line.trim() !== '') last[1] += `\n${line}`;
  }
  return entries;
}

function unquote(value: string): string {
  const trimmed = value.trim();
  return /^".*"$/.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
}

function toFlag(value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  return /^true$/i.test(value) ? true : /^false$/i.test(value) ? false : undefined;
}

/** Systems with a decimal comma write `0,50`. */
function toNumber(value: string | undefined): number | undefined {
  const text = value?.trim().replace(',', '.') ?? '';
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : undefined;
}

function toCount(value: string | undefined): number | undefined {
  const number = toNumber(value);
  return number !== undefined && Number.isInteger(number) && number >= 0 ? number : undefined;
}

function numbered<T>(
  entries: readonly [string, string][],
  key: RegExp,
  convert: (text: string) => T | undefined,
): Map<number, T> {
  const found = new Map<number, T>();
  for (const [name, text] of entries) {
    const number = Number(key.exec(name)?.[1] ?? 0);
    const value = convert(text);
    if (number > 0 && value !== undefined) found.set(number, value);
  }
  return found;
}
