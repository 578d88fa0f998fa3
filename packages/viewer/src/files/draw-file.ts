/** Draws the small picture of a file that is not shown: its middle section, in the colors that the viewer would show. */
import type { PlaneRegion } from '../analysis/region.ts';
import { fetchOverview } from '../app/fetch-plane.ts';
import { firstRange } from '../app/first-range.ts';
import { middleSection } from '../app/opening.ts';
import type { OpenedAcquisition } from '../model/client.ts';
import { colorRange } from '../model/color-image.ts';
import type { ValueRange } from '../model/display.ts';
import { createPane, type Pane } from '../model/document.ts';
import type { FarRegion } from '../model/far-plane.ts';
import { formatNumber } from '../model/number-text.ts';
import { isCells } from '../render/cells.ts';
import { drawThumbnail, shownPart } from './thumbnail.ts';

/** What a row shows beside the name of its file. */
export interface FilePicture {
  /** The picture as a data address; null when there is none. */
  readonly address: string | null;
  /** What the picture shows of the file, or why there is none; empty for a picture of the whole plane. */
  readonly note: string;
}

/** Pixels of a picture, which is shown at three quarters of that. */
const SIZE = { width: 96, height: 64 };
/** Samples of one channel that are read for a picture. */
const MAX_SAMPLES = 64 * 2 ** 20;
/** Of a longer line scan, a stretch of this many samples is shown. */
const STRETCH_SAMPLES = 4 * 2 ** 20;

/** @throws AcqClientError; the reason of the signal; Error for a plane that is too large */
export async function drawFile(acquisition: OpenedAcquisition, stop: AbortSignal): Promise<FilePicture> {
  const { info } = acquisition;
  const pane = createPane('source', info);
  const { region, note } = chooseRegion(pane);
  const z = middleSection(info)?.['Z'];
  const visible = pane.channels.filter(({ display }) => display.value.visible);
  const shown = pane.composite.value ? visible : visible.slice(0, 1);
  const parts: FarRegion[] = [];
  // One after the other: others want to use the server, too.
  for (const { index } of shown) {
    const request = { kind: 'source', channel: index, z } as const;
    parts.push(await fetchOverview(acquisition, request, region, gridOf(pane, region), stop));
  }
  const ranges = rangesOf(parts, pane.colorImage, /int/.test(info.header.dtype));
  const [rows = 1, columns = 1] = parts[0]?.shape ?? [];
  const layers = shown.map(({ display }, i) => ({
    samples: meansOf(parts[i]!),
    display: { ...display.value, ...ranges[i]! },
  }));
  // The grid already has the shape of the picture.
  const source = { layers, rows, columns, orientation: pane.orientation.value, isStretched: true };
  return { address: drawThumbnail(source, SIZE), note };
}

/** Returns the part of a plane that is read, and what to say about it. */
function chooseRegion({ shape: [rows, columns], lineScan, orientation }: Pane): { region: PlaneRegion; note: string } {
  const { transposed } = orientation.value;
  const place = { rows, columns, orientation: orientation.value, isStretched: lineScan };
  const { width, height } = shownPart(place, SIZE);
  const part = { rows: transposed ? width : height, columns: transposed ? height : width };
  const isWhole = part.rows * part.columns <= MAX_SAMPLES;
  if (!isWhole && !lineScan) {
    throw new Error(`${formatNumber(rows)} × ${formatNumber(columns)} pixels are too many for a small picture.`);
  }
  const lines = isWhole ? part.rows : Math.max(1, Math.floor(STRETCH_SAMPLES / columns));
  const region = { rows: middleOf(rows, lines), columns: middleOf(columns, part.columns) };
  const [first, end] = region.rows;
  const stretch = `Picture: lines ${formatNumber(first + 1)} to ${formatNumber(end)} of ${formatNumber(rows)}`;
  return { region, note: isWhole ? '' : stretch };
}

function middleOf(size: number, length: number): [number, number] {
  const first = Math.floor((size - length) / 2);
  return [first, first + length];
}

/** Rows and columns of the cells that are asked for: one for each pixel, fewer of a smaller plane. */
function gridOf({ orientation }: Pane, { rows, columns }: PlaneRegion): [number, number] {
  const { transposed } = orientation.value;
  const [down, across] = transposed ? [SIZE.width, SIZE.height] : [SIZE.height, SIZE.width];
  return [Math.min(down, rows[1] - rows[0]), Math.min(across, columns[1] - columns[0])];
}

/** Auto contrast of each channel; that of a color image is one range. */
function rangesOf(parts: readonly FarRegion[], isColor: boolean, integer: boolean): ValueRange[] {
  if (!isColor) return parts.map((part) => firstRange(meansOf(part)));
  const ends = parts.map(({ data }) => {
    if (!isCells(data)) throw new TypeError('an overview of samples');
    return { min: smallest(data.low), max: -smallest(data.high.map((value) => -value)), integer };
  });
  const range = colorRange(ends);
  return parts.map(() => range);
}

function smallest(values: Float32Array): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
}

/** The mean of each cell; NaN for a cell without a finite sample. */
function meansOf({ data }: FarRegion): Float32Array {
  if (!isCells(data)) throw new TypeError('an overview of samples');
  return Float32Array.from(data.mean, (value, i) => (data.count[i] === 0 ? Number.NaN : value));
}
