/** What has become of an acquisition whose files have changed. */
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { formatCount, formatNumber } from '../model/number-text.ts';

type ComparedResponse = Pick<OpenResponse, 'header' | 'plane' | 'channels' | 'reference' | 'source'>;

/**
 * True when the acquisition went on: planes of the same shape and the same channels, and at least as many of them. A line
 * scan may have more lines.
 */
export function isContinued(before: ComparedResponse, after: ComparedResponse, isLineScan: boolean): boolean {
  const [rows = 1, columns = 1] = before.plane.shape;
  const [nextRows = 1, nextColumns = 1] = after.plane.shape;
  const isSameShape = columns === nextColumns && (rows === nextRows || (isLineScan && rows < nextRows));
  const hasAll = ['T', 'Z'].every((dim) => sizeOf(after, dim) >= sizeOf(before, dim));
  return isSameShape && hasAll && identityOf(before) === identityOf(after);
}

/** What stays while an acquisition is being recorded: not its steps, which are measured again with each plane. */
function identityOf({ header, plane, channels, reference, source }: ComparedResponse): string {
  return JSON.stringify([
    ...[source.format, source.sourceDtype, header.numChannels, header.sizes['S'] ?? 1],
    plane.axes.map(({ arrayDimension, name }) => [arrayDimension, name]),
    channels.map(({ index, name }) => [index, name]),
    reference && [reference.plane.shape, reference.channels.map(({ index }) => index)],
  ]);
}

const sizeOf = ({ header }: ComparedResponse, dim: string) => header.sizes[dim] ?? 1;

/** Returns a sentence on what is different: `scan.tif has changed: 64 × 48 pixels before, 32 × 32 pixels now.` */
export function changeWords(before: ComparedResponse, after: ComparedResponse): string {
  const [had, has] = [factsOf(before), factsOf(after)];
  const changed = had.flatMap((fact, i) => (fact === has[i] ? [] : [i]));
  if (changed.length === 0) return `${after.source.name} was replaced by another acquisition.`;
  const list = (facts: readonly string[]) => changed.map((i) => facts[i]).join(', ');
  return `${after.source.name} has changed: ${list(had)} before, ${list(has)} now.`;
}

function factsOf(opened: ComparedResponse): string[] {
  const [rows = 1, columns = 1] = opened.plane.shape;
  return [
    `${formatNumber(columns)} × ${formatNumber(rows)} pixels`,
    formatCount(opened.header.numChannels, 'channel'),
    formatCount(sizeOf(opened, 'T'), 'time point'),
    formatCount(sizeOf(opened, 'Z'), 'section'),
  ];
}
