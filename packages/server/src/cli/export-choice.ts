import type { Choice, IndexRange } from '@acquisition-store/readers/derive/writers/cut.js';
import type { FormatOptions } from '@acquisition-store/readers/derive/writers/types.js';
import type { ExportFormat } from '../export/types.js';
import type { ExportFlags } from './flags.js';
import { UsageError } from './usage-error.js';

/** Returns what to export. @throws UsageError */
export function toChoice({ scene, time, z, channel }: ExportFlags, format: ExportFormat): Choice {
  const ranges = { time: parseRange('--time', time), z: parseRange('--z', z) };
  for (const [name, range] of Object.entries(ranges)) {
    if (!format.isPlane || !range || range.end - range.start === 1) continue;
    throw new UsageError(
      `--${name}: ${format.id} holds one plane. Give one index, for example --${name} ${range.start}.`,
    );
  }
  return {
    ...(scene === undefined ? {} : { scene }),
    ...(ranges.time ? { time: ranges.time } : {}),
    ...(ranges.z ? { z: ranges.z } : {}),
    ...(channel === undefined ? {} : { channel }),
  };
}

/** Parses `A:B`, from A to before B, or a single index. @throws UsageError */
function parseRange(flag: string, text: string | undefined): IndexRange | undefined {
  if (text === undefined) return undefined;
  const [, from, to] = /^(\d{1,9})(?::(\d{1,9}))?$/.exec(text) ?? [];
  const range = { start: Number(from), end: to === undefined ? Number(from) + 1 : Number(to) };
  if (range.start < range.end) return range;
  throw new UsageError(`${flag}: "${text}" is not a range. Write A:B, from A to before B, or a single index.`);
}

/** Returns the options of the format. @throws UsageError for an option of another format */
export function toFormatOptions(flags: ExportFlags, format: ExportFormat): FormatOptions {
  const window = parseWindow(flags.window);
  const { zarr, compress } = flags;
  const { id } = format;
  if (window && id !== 'png') throw new UsageError('--window is for --to png');
  if (zarr && id !== 'ome-zarr') throw new UsageError('--zarr is for --to ome-zarr');
  if (compress && id !== 'ome-zarr' && id !== 'ome-tiff')
    throw new UsageError('--compress is for --to ome-zarr and ome-tiff');
  return { ...(window ? { window } : {}), ...(zarr ? { zarr } : {}), ...(compress ? { compress } : {}) };
}

function parseWindow(text: string | undefined): FormatOptions['window'] {
  if (text === undefined) return undefined;
  const [start, end, ...rest] = text.split(':').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const window = { start: start ?? Number.NaN, end: end ?? Number.NaN };
  if (rest.length === 0 && Number.isFinite(window.start) && Number.isFinite(window.end) && window.start < window.end)
    return window;
  throw new UsageError(
    `--window: "${text}" is not a window. Write A:B, the samples that become black and white, for example 0:4095.`,
  );
}
