/** The frames of a movie in their order, each drawn when the file asks for it. */
import { pauseEvery } from '../model/yield-to-page.ts';
import { documentAxis, planeWords } from '../stack/place.ts';
import { fileName } from './file-name.ts';
import type { MovieFilm, MovieFrame } from './movie.ts';
import { frameSeconds, type MovieChoices } from './movie-choices.ts';
import { drawFrame, layoutMovie, type MovieSource, placeAt, readFrame } from './movie-frame.ts';
import { planeReader } from './other-planes.ts';

/** Returns the name of a movie, with its time points or sections, counted from 1: `scan.tif.T1-14.mp4`. */
export function movieName({ source, choices }: MovieSource, ending: string): string {
  const { from, to, dim } = choices;
  return nameOf(source, `${placePart(source, choices)}${dim}${from + 1}-${to + 1}.${ending}`);
}

const nameOf = ({ document, pane }: MovieSource['source'], ending: string) =>
  fileName(document.info.peek().source.name, { kind: pane.kind, channel: null }, ending);

/** Returns the dimension that stays, or is projected: `Z3.`. */
function placePart({ document }: MovieSource['source'], { dim }: MovieChoices): string {
  const { header, selection, projection } = document.info.peek();
  const other = dim === 'T' ? 'Z' : 'T';
  if ((header.sizes[other] ?? 1) < 2) return '';
  return `${other}${projection?.[other] ?? (selection?.[other] ?? 0) + 1}.`;
}

/** @throws Error when nothing is on screen, or the movie would be too large */
export function movieFilm(movie: MovieSource): MovieFilm {
  const { source, choices } = movie;
  const layout = layoutMovie(movie);
  const { dim, from, to, rate } = choices;
  const count = to - from + 1;
  const canvas = movieCanvas(layout.width, layout.height);
  const axis = documentAxis(source.document, dim);
  const digits = String(axis.size).length;
  const frame = (index: number): MovieFrame => ({
    canvas,
    seconds: frameSeconds(axis, index, rate),
    words: wordsAt(movie, index),
    name: nameOf(source, `${placePart(source, choices)}${dim}${String(index + 1).padStart(digits, '0')}.png`),
  });
  return {
    width: layout.width,
    height: layout.height,
    count,
    title: source.document.info.peek().source.name,
    async *frames(signal, onProgress) {
      const read = planeReader(source);
      const planesOf = (index: number) => readFrame(layout, placeAt(movie, index), read, signal);
      const context = contextOf(canvas);
      const pause = pauseEvery(8);
      let next = planesOf(from);
      for (let index = from; index <= to; index++) {
        const planes = await next;
        signal.throwIfAborted();
        if (index < to) {
          // The next frame is read while this one is drawn and encoded.
          next = planesOf(index + 1);
          next.catch(() => undefined);
        }
        await drawFrame(context, movie, layout, placeAt(movie, index), planes);
        yield frame(index);
        onProgress((index - from + 1) / count);
        await pause(signal);
      }
    },
  };
}

function wordsAt({ source, choices }: MovieSource, index: number): string {
  const info = source.document.info.peek();
  const selection = { ...info.selection, [choices.dim]: index };
  return planeWords({ ...info, selection }, source.document.measured.peek());
}

function movieCanvas(width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  return canvas;
}

/** @throws Error when the browser has no memory for the canvas */
export function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
  if (context === null) throw new Error('This browser has no memory left for a canvas. Close other tabs.');
  return context;
}
