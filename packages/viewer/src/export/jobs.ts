/** Everything that can be saved: a file name and the work that creates the file. */

import { paintScaleBars } from '../image/paint-axes.ts';
import { paintShapes } from '../image/paint-shapes.ts';
import { paneState } from '../image/pane-state.ts';
import { rowsOf } from '../image/plane-axes.ts';
import { paintNote } from '../image/smoothing-note.ts';
import { isTableLut } from '../luts/luts.ts';
import type { ChannelView, Pane } from '../model/document.ts';
import { displaySize, type Rect, type Size } from '../model/geometry.ts';
import { paneNote } from '../model/hand-note.ts';
import { formatBytes } from '../model/number-text.ts';
import type { Samples } from '../model/samples.ts';
import { placeSuffix, planeWords, projectionWords } from '../stack/place.ts';
import {
  type CardChoice,
  drawPart,
  figureShapes,
  labeledCard,
  type PictureSource,
  PRINT,
  pictureNote,
  shownCanvas,
  withLayers,
} from './card-picture.ts';
import { cropSamples, partName, type SavedRegion } from './crop.ts';
import { planeCsvParts } from './csv.ts';
import { farNpy, farSamples, regionShape } from './far-npy.ts';
import type { FigureChoices } from './figure-choices.ts';
import { montageDim } from './figure-montage.ts';
import { figurePdf } from './figure-pdf.ts';
import { figurePng } from './figure-png.ts';
import { fileName } from './file-name.ts';
import { fullPng } from './full-png.ts';
import { npyParts } from './npy.ts';
import { orthogonalCanvas } from './orthogonal-picture.ts';
import { type FigureRequest, paneFigure } from './pane-figure.ts';
import { canvasPng } from './raster.ts';
import { inFileType, sampleType } from './sample-type.ts';
import { tiffParts } from './tiff.ts';

export interface Job {
  readonly id: string;
  readonly label: string;
  readonly name: string;
  /** Long work calls `onProgress` with the fraction done, 0 to 1. */
  make(signal: AbortSignal, onProgress: (fraction: number) => void): Promise<Blob>;
}

/** Returns pictures of a card: as shown, and with one pixel per sample. */
export function pictureJobs(source: PictureSource, card: CardChoice): Job[] {
  const { pane } = source;
  const file = nameOf(source);
  const channel = card.key === 'composite' ? 'composite' : Number(card.key);
  const { width, height } = displaySize(pane.shape, pane.orientation.value);
  const scale = Math.max(2, window.devicePixelRatio);
  const orthogonal = paneState(pane).orthogonal.value;
  // Without gaps, so that each pixel is a sample.
  const full: PictureSource = { ...source, layout: pane.orientation.value };
  const over = figureShapes(full, card, { x: 0, y: 0, width, height }, { width, height });
  const jobs: Job[] = [
    orthogonal === null
      ? {
          id: 'png-shown',
          label: 'Image as shown (PNG)',
          name: fileName(file, { kind: pane.kind, channel }, 'png'),
          make: async () => canvasPng(await shownCanvas(source, card, scale)),
        }
      : {
          id: 'png-orthogonal',
          label: 'The three pictures as shown (PNG)',
          name: fileName(file, { kind: pane.kind, channel }, 'orthogonal.png'),
          make: async () => canvasPng(await orthogonalCanvas(source, orthogonal.pictures(), scale)),
        },
    {
      id: 'png-full',
      label: `One pixel per sample, ${width} × ${height} (PNG)`,
      name: fileName(file, { kind: pane.kind, channel }, 'full.png'),
      make: (signal, onProgress) =>
        withLayers(source, card, { x: 0, y: 0, width, height }, (layers) =>
          fullPng({
            pane,
            texts: { Title: file, Description: describe(source, card) },
            draw(target, part) {
              drawPart(full, layers, target, part, part);
              if (pane.scaleBar.peek() && rowsOf(pane) === null) barsOver(target, pane, { width, height }, part);
              noteOver(target, pictureNote(source, card), { width, height }, part);
              target.save();
              target.translate(-part.x, -part.y);
              paintShapes(target, over, { width, height });
              target.restore();
            },
            signal,
            onProgress,
          }),
        ),
    },
  ];
  // The page does not have the samples of a far plane.
  return card.channels.some(({ far }) => far.value) ? jobs.filter(({ id }) => id !== 'png-full') : jobs;
}

/** Min size of a picture with a note, which would cover a smaller one; the description in the file has it as well. */
const MIN_NOTED: Size = { width: 300, height: 60 };

function noteOver(target: CanvasRenderingContext2D, note: string, { width, height }: Size, part: Rect): void {
  if (width < MIN_NOTED.width || height < MIN_NOTED.height) return;
  target.save();
  target.translate(-part.x, -part.y);
  paintNote(target, note, { x: 0, y: height });
  target.restore();
}

/** Paints the scale bars of the whole picture into a part of it. */
function barsOver(target: CanvasRenderingContext2D, pane: Pane, area: Size, part: Rect): void {
  target.save();
  target.translate(-part.x, -part.y);
  paintScaleBars(target, { pane, card: labeledCard(pane), view: { x: 0, y: 0, ...area }, area, palette: PRINT });
  target.restore();
}

/** Returns files of the figure that the preview shows. */
export function figureJobs(source: Omit<PictureSource, 'withMarks'>, choices: FigureChoices): Job[] {
  const { pane } = source;
  const name = nameOf(source);
  const nameWith = (ending: string) => fileName(name, { kind: pane.kind, channel: null }, `figure.${ending}`);
  const draw = (signal: AbortSignal) => paneFigure({ ...figureRequest(source, choices), signal });
  return [
    {
      id: 'figure-png',
      label: 'Save PNG',
      name: nameWith('png'),
      make: async (signal) => figurePng({ ...(await draw(signal)), dpi: choices.dpi }, signal),
    },
    {
      id: 'figure-svg',
      label: 'Save SVG',
      name: nameWith('svg'),
      make: async (signal) => new Blob([(await draw(signal)).svg], { type: 'image/svg+xml' }),
    },
    {
      id: 'figure-pdf',
      label: 'Save PDF',
      name: nameWith('pdf'),
      make: async (signal) => figurePdf((await draw(signal)).svg),
    },
  ];
}

/** Returns a figure with its title, and what it says even without one: projections and steps entered by hand. */
export function figureRequest(
  source: Omit<PictureSource, 'withMarks'>,
  choices: FigureChoices,
): Omit<FigureRequest, 'signal'> {
  const { document, pane } = source;
  const info = document.info.value;
  const ofSource = pane.kind === 'source';
  const montage = montageDim(document, pane, choices);
  // The pictures of a montage say which planes they are.
  const { [montage ?? '']: _, ...selection } = info.selection ?? {};
  const place = ofSource ? planeWords({ ...info, selection }, document.measured.value) : '';
  const projected = ofSource && !choices.title ? projectionWords(info) : '';
  return {
    source: { ...source, withMarks: choices.marks },
    choices,
    title: choices.title ? [info.source.name, place].filter(Boolean).join(', ') : '',
    note: [projected, paneNote(document, pane)].filter(Boolean).join(' · '),
  };
}

/** Max bytes of a part of a far plane that the page assembles for a TIFF or CSV file. */
const MAX_FAR_PART = 2 ** 28;

/**
 * Returns files with the samples of a part of a channel, in the type of the source. They do not depend on the contrast.
 * Of a far plane, only parts of up to 256 MiB can be other files than `.npy`.
 */
export function planeJobs(
  source: Pick<PictureSource, 'pane' | 'document'>,
  channel: ChannelView,
  part: SavedRegion,
): Job[] {
  const { pane, document } = source;
  const { region } = part;
  const whole = channel.data.value;
  const far = channel.far.value;
  const [y, x] = pane.plane.axes;
  if ((whole === null && far === null) || y === undefined || x === undefined) return [];
  const shape = regionShape(region);
  const origin = [region.rows[0], region.columns[0]] as const;
  const axes = [y, x] as const;
  const info = document.info.peek();
  const toType = (some: Samples) => (pane.kind === 'source' ? inFileType(some, info) : some);
  const samples = async (...work: Parameters<Job['make']>) =>
    far ? farSamples(far, region, toType, ...work) : toType(cropSamples(whole!, pane.shape, region));
  const type = far ? 'type of the file' : sampleType(toType(whole!.subarray(0, 0))).name;
  const nameWith = (ending: string) =>
    fileName(nameOf(source), { kind: pane.kind, channel: channel.index }, `${partName(part, pane)}${ending}`);
  const range = channel.display.peek();
  const note = paneNote(document, pane);
  const bytes = far ? (far.byteLength * (shape[0] * shape[1])) / (pane.shape[0] * pane.shape[1]) : 0;
  const npy: Job = {
    id: 'npy',
    label: `NumPy array, ${type} (.npy)${far ? `: transfers ${formatBytes(bytes)}` : ''}`,
    name: nameWith('npy'),
    make: async (...work) =>
      far ? farNpy(far, region, toType, ...work) : new Blob(npyParts(await samples(...work), shape)),
  };
  if (far && (part.id === 'whole' || bytes > MAX_FAR_PART)) return [npy];
  return [
    npy,
    {
      id: 'tiff',
      label: `TIFF, ${type}, calibrated for ImageJ`,
      name: nameWith('tif'),
      make: async (...work) =>
        new Blob(tiffParts({ data: await samples(...work), shape, axes, origin, range, note }), { type: 'image/tiff' }),
    },
    {
      id: 'csv',
      label: 'CSV with positions',
      name: nameWith('csv'),
      make: async (signal, onProgress) => {
        const rowTimes = pane.rowTimes.peek();
        const options = { lineScan: pane.lineScan, note, rowTimes, origin, signal, onProgress };
        const data = await samples(signal, onProgress);
        return new Blob(await planeCsvParts(data, shape, axes, options), { type: 'text/csv' });
      },
    },
  ];
}

/** Returns the name of the file, with the time point and section or the projection that is shown: `scan.nd2.T3.Zmax`. */
function nameOf({ document, pane }: Pick<PictureSource, 'pane' | 'document'>): string {
  const info = document.info.value;
  return info.source.name + (pane.kind === 'source' ? placeSuffix(info) : '');
}

function describe(source: PictureSource, card: CardChoice): string {
  const { document, pane } = source;
  const axes = pane.plane.axes.map(({ name, label = name, size, step, unit }) => `${label}: ${size} × ${step} ${unit}`);
  const channels = card.channels.map(({ name, display }) => {
    const { lut, invert, min, max, scale, gamma } = display.peek();
    return `${name}: ${min} to ${max}, ${scale === 'log' ? 'logarithmic, ' : ''}gamma ${gamma}, ${isTableLut(lut) ? 'table from a file' : lut}${invert ? ' inverted' : ''}`;
  });
  const plane = pane.kind === 'source' ? planeWords(document.info.value, document.measured.value) : '';
  return [plane, ...axes, ...channels, pictureNote(source, card)].filter((part) => part !== '').join('; ');
}
