/** The main metadata of an acquisition, as text. */
import type { CalibrationOverride } from '@acquisition-store/client/contract/calibration.js';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { clockText } from '@acquisition-store/readers/base/wording.js';
import { type MeasuredAxis, valueAtIndex } from '../model/measured-axis.ts';
import { formatNumber } from '../model/number-text.ts';

interface Detail {
  readonly name: string;
  readonly value: string;
  /** Where the value comes from; empty when that is obvious. */
  readonly note: string;
}

const UNITS: Readonly<Record<string, string>> = { seconds: 's', micrometer: 'µm' };
const ORIGINS: Readonly<Record<string, string>> = {
  file: 'from the file',
  sidecar: 'from the text file next to it',
  derived: 'derived from other values',
};

/** Returns `C 2 × Y 4,000 × X 96`. */
export function sizeText({ header }: Pick<OpenResponse, 'header'>): string {
  return header.dims.map((dim) => `${dim} ${formatNumber(header.sizes[dim] ?? 1)}`).join(' × ');
}

/** @param byHand steps that the user has entered; `rowTimes` when the rows of the plane were recorded, where that is known */
export function toDetails(
  info: OpenResponse,
  byHand: CalibrationOverride | null,
  rowTimes: MeasuredAxis | null,
): Detail[] {
  const { source, header, plane, reference } = info;
  const details = [
    detail('Format', source.format),
    detail('Recorded', clockText(header)),
    detail('Samples', header.dtype),
    detail('Size', sizeText(info)),
    ...header.dims.slice(1).map((dim, i) => stepDetail(header, dim, i + 1, byHand)),
    ...plane.axes.map((axis) => extentDetail(axis, axis.arrayDimension === 0 ? rowTimes : null)),
    detail('File size', header.fileSize),
  ];
  if (reference) {
    const [rows = 1, columns = 1] = reference.plane.shape;
    const [, across] = reference.plane.axes;
    const step =
      across && UNITS[across.unit] ? `, ${formatNumber(across.step, 6)} ${UNITS[across.unit]} per pixel` : '';
    details.push(detail('Reference', `${formatNumber(columns)} × ${formatNumber(rows)} px${step}`));
  }
  return details.filter(({ value }) => value !== '');
}

/** Returns the step of a dimension with its origin. Scenes have no step. */
function stepDetail(
  header: OpenResponse['header'],
  dim: string,
  i: number,
  byHand: CalibrationOverride | null,
): Detail {
  const name = `Step of ${dim}`;
  if (dim === 'S') return detail(name, '');
  const unit = UNITS[header.physicalUnitsLabels[i] ?? ''];
  const origin = header.calibration[i] ?? 'default';
  if (!unit || origin === 'default') return detail(name, 'unknown', 'not in the file');
  return detail(
    name,
    `${formatNumber(header.physicalUnits[i] ?? 1, 6)} ${unit}`,
    isEntered(dim, byHand) ? 'entered by hand' : (ORIGINS[origin] ?? ''),
  );
}

function isEntered(dim: string, byHand: CalibrationOverride | null): boolean {
  return byHand?.[dim as keyof CalibrationOverride] !== undefined;
}

function extentDetail(
  { name, label, size, step, unit }: OpenResponse['plane']['axes'][number],
  times: MeasuredAxis | null,
): Detail {
  const extent = times === null ? size * step : valueAtIndex(times, size) - valueAtIndex(times, 0);
  const symbol = UNITS[unit];
  if (!symbol) return detail('', '');
  return detail(
    unit === 'seconds' ? 'Duration' : `Extent of ${name}${label === undefined ? '' : ` (${label})`}`,
    `${formatNumber(extent, 4)} ${symbol}`,
  );
}

function detail(name: string, value: string, note = ''): Detail {
  return { name, value, note };
}
