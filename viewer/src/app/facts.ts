/** What a person wants to know of an acquisition, in words. */
import type { OpenResponse } from '../../../src/contract/open.js';

export interface Fact {
  readonly name: string;
  readonly value: string;
  /** Where it came from, when that is worth a word. */
  readonly note: string;
}

export const DIMENSIONS: Readonly<Record<string, string>> = { S: 'Scene', T: 'Time point', Z: 'Section', C: 'Channel' };

export const UNITS: Readonly<Record<string, string>> = { seconds: 's', micrometer: 'µm' };
const ORIGINS: Readonly<Record<string, string>> = {
  file: 'from the file',
  sidecar: 'from the text file beside it',
  derived: 'derived from other values',
};

export function factsOf(info: OpenResponse): Fact[] {
  const { source, header, plane, reference } = info;
  const facts = [
    fact('Format', source.format),
    fact('Recorded', recorded(header)),
    fact('Samples', header.dtype),
    fact('Size', header.dims.map((dim) => `${dim} ${count(header.sizes[dim] ?? 1)}`).join(' × ')),
    ...header.dims.slice(1).map((dim, i) => stepFact(header, dim, i + 1)),
    ...plane.axes.map(extentFact),
    fact('File size', header.fileSize),
  ];
  if (reference) {
    const [rows = 1, columns = 1] = reference.plane.shape;
    const [, across] = reference.plane.axes;
    const step = across && UNITS[across.unit] ? `, ${digits(across.step)} ${UNITS[across.unit]} per pixel` : '';
    facts.push(fact('Reference', `${count(rows)} × ${count(columns)}${step}`));
  }
  return facts.filter(({ value }) => value !== '');
}

/** `2026-01-15 10:30:00`; what is missing is left out. */
export function recorded({ date, time }: Pick<OpenResponse['header'], 'date' | 'time'>): string {
  return [date.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'), time].filter(Boolean).join(' ');
}

/** Of scenes there is no step. */
function stepFact(header: OpenResponse['header'], dim: string, i: number): Fact {
  const name = `Step of ${dim}`;
  if (dim === 'S') return fact(name, '');
  const unit = UNITS[header.physicalUnitsLabels[i] ?? ''];
  const origin = header.calibration[i] ?? 'default';
  if (!unit || origin === 'default') return fact(name, 'not known', 'the file does not say');
  return fact(name, `${digits(header.physicalUnits[i] ?? 1)} ${unit}`, ORIGINS[origin] ?? '');
}

function extentFact({ name, label, size, step, unit }: OpenResponse['plane']['axes'][number]): Fact {
  const symbol = UNITS[unit];
  if (!symbol) return fact('', '');
  return fact(
    unit === 'seconds' ? 'Duration' : `Extent of ${name}${label === undefined ? '' : ` (${label})`}`,
    `${digits(size * step, 4)} ${symbol}`,
  );
}

function fact(name: string, value: string, note = ''): Fact {
  return { name, value, note };
}

/** Significant digits as far as they say something. */
export function digits(value: number, most = 6): string {
  return String(Number(value.toPrecision(most)));
}

/** With thin blanks between thousands. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** Decimal, as file managers show it. */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length, Math.floor(Math.log10(value) / 3));
  return `${(value / 1000 ** power).toPrecision(3).replace(/\.0+$/, '')} ${units[power - 1]}`;
}

/** `9:58`. */
export function clock(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
