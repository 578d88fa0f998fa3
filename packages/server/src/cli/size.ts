import { UsageError } from './usage-error.js';

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

/** Parses a size in bytes: `4GB` is 4·10⁹, `4GiB` is 4·2³⁰, a plain number is bytes. */
export function parseSize(text: string, origin: string): number {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text);
  const unit = SIZE_UNITS[match?.[2]?.toLowerCase() ?? '?'];
  if (!match || unit === undefined)
    throw new UsageError(`${origin}: "${text}" is not a size. Write it like 500MB or 4GiB.`);
  return Math.round(Number(match[1]) * unit);
}
