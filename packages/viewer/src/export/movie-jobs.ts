/** The files that a movie can be. */
import { type ReadonlySignal, type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { documentAxis } from '../stack/place.ts';
import type { Job } from './jobs.ts';
import type { MovieFilm } from './movie.ts';
import { frameSeconds, type MovieChoices } from './movie-choices.ts';
import { writeAnimatedPng, writeMp4, writePngs } from './movie-files.ts';
import { movieFilm, movieName } from './movie-film.ts';
import { layoutMovie, type MovieSource } from './movie-frame.ts';
import { findEncoder, isH264 } from './video-encoder.ts';
import { MAX_ENTRIES } from './zip.ts';

/** Name of the video that the browser can encode; empty when it cannot, null while it is asked. */
export type Video = 'H.264' | 'VP9' | '' | null;

/** Asks the browser which video of the chosen size it can encode. */
export function useVideo(source: MovieSource['source'], choices: ReadonlySignal<MovieChoices | null>): Signal<Video> {
  const video = useSignal<Video>(null);
  useSignalEffect(() => {
    const chosen = choices.value;
    if (chosen === null) return;
    let stopped = false;
    void findVideo({ source, choices: chosen }).then((found) => {
      if (!stopped) video.value = found;
    });
    return () => {
      stopped = true;
    };
  });
  return video;
}

async function findVideo({ source, choices }: MovieSource): Promise<Video> {
  try {
    const axis = documentAxis(source.document, choices.dim);
    const size = layoutMovie({ source, choices });
    const config = await findEncoder(size, 1 / frameSeconds(axis, choices.from, choices.rate));
    return config === null ? '' : isH264(config) ? 'H.264' : 'VP9';
  } catch {
    return '';
  }
}

export function movieJobs(movie: MovieSource, video: Video): Job[] {
  const job = (id: string, label: string, ending: string, write: typeof writeMp4): Job => ({
    id,
    label,
    name: movieName(movie, ending),
    make: (signal, onProgress) => naming(movieFilm(movie), (film) => write(film, signal, onProgress)),
  });
  const all = [
    job('movie-png', 'Save animated PNG', 'png', writeAnimatedPng),
    job('movie-pngs', 'Save PNGs (ZIP)', 'zip', writePngs),
  ];
  const { from, to } = movie.choices;
  const files = to - from < MAX_ENTRIES ? all : all.slice(0, 1);
  return video ? [job('movie-mp4', 'Save MP4', 'mp4', writeMp4), ...files] : files;
}

/** Says what to do when a limit is hit. */
async function naming(film: MovieFilm, write: (film: MovieFilm) => Promise<Blob>): Promise<Blob> {
  try {
    return await write(film);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error(`${error.message} Choose a shorter range or a smaller size.`);
  }
}
