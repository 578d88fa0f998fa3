/** Movies as files: MP4, animated PNG, and numbered PNGs in a ZIP file. One frame at a time is in memory. */
import { pngChunk, pngEnd } from '@acquisition-store/readers/derive/writers/png-chunks.js';
import type { Size } from '../model/geometry.ts';
import { bytesOf, u16, u32 } from './bytes.ts';
import { FileParts } from './file-parts.ts';
import type { MovieFilm } from './movie.ts';
import { Mp4Writer } from './mp4.ts';
import { compressedRows, pngParts, pngStart } from './png.ts';
import { canvasRows } from './raster.ts';
import { encodeVideo } from './video-encoder.ts';
import { ZipWriter } from './zip.ts';

type Write = (film: MovieFilm, signal: AbortSignal, onProgress: (fraction: number) => void) => Promise<Blob>;

export const writeMp4: Write = async (film, signal, onProgress) => {
  const writer = new Mp4Writer();
  const track = await encodeVideo(film, film.frames(signal, onProgress), writer, signal);
  if (writer.frames !== film.count) {
    throw new Error(`The browser encoded ${writer.frames} of ${film.count} frames. Save an animated PNG instead.`);
  }
  return writer.end(track);
};

/** (PNG 1.2 with acTL, fcTL and fdAT of the third edition.) */
export const writeAnimatedPng: Write = async (film, signal, onProgress) => {
  const file = new FileParts();
  const [signature, ihdr, ...rest] = pngStart({ ...film, texts: { Title: film.title } });
  // Plays without an end.
  file.push(signature!, ihdr!, pngChunk('acTL', bytesOf(u32(film.count, 0))), ...rest);
  let sequence = 0;
  let first = true;
  for await (const { canvas, seconds } of film.frames(signal, onProgress)) {
    file.push(pngChunk('fcTL', frameControl(sequence++, film, seconds)));
    for await (const data of compressedRows({ ...film, signal }, canvasRows(canvas))) {
      file.push(first ? pngChunk('IDAT', data) : pngChunk('fdAT', bytesOf(u32(sequence++), data)));
    }
    first = false;
  }
  file.push(pngEnd());
  return file.blob('image/png');
};

export const writePngs: Write = async (film, signal, onProgress) => {
  const zip = new ZipWriter(new Date());
  for await (const { canvas, words, name } of film.frames(signal, onProgress)) {
    const texts = { Title: film.title, Description: words };
    const parts = await pngParts({ width: film.width, height: film.height, texts, signal }, canvasRows(canvas));
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    zip.add(name, bytes);
  }
  return zip.end();
};

/** Replaces the whole picture; `seconds` as a fraction of two numbers of 16 bits. */
function frameControl(sequence: number, { width, height }: Size, seconds: number): Uint8Array<ArrayBuffer> {
  const perSecond = Math.round(1 / seconds);
  const isRate = perSecond > 0 && Math.abs(perSecond * seconds - 1) < 1e-9;
  const [part, whole] = isRate
    ? [1, perSecond]
    : seconds < 60
      ? [Math.round(1000 * seconds), 1000]
      : [Math.min(0xffff, Math.round(seconds)), 1];
  return bytesOf(u32(sequence, width, height, 0, 0), u16(part!, whole!), [0, 0]);
}
