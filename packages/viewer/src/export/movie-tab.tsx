import { type ReadonlySignal, type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { formatNumber, formatQuantity } from '../model/number-text.ts';
import { documentAxis } from '../stack/place.ts';
import type { PictureSource } from './card-picture.ts';
import { firstMovie, frameSeconds, keepMovie, type MovieChoices } from './movie-choices.ts';
import { MovieFields, readableZoom } from './movie-fields.tsx';
import { contextOf } from './movie-film.ts';
import { drawFrame, layoutMovie, placeAt, readFrame, stampText } from './movie-frame.ts';
import { movieJobs, useVideo, type Video } from './movie-jobs.ts';
import { planeReader } from './other-planes.ts';
import type { ExportProps } from './props.ts';
import { Jobs, type Work } from './work.tsx';

/** A movie through time points or sections, with a preview of each frame. */
export function MovieTab({ work, ...props }: ExportProps & { readonly work: Work }) {
  const first = firstMovie(props);
  if (first !== null) return <Movie first={first} source={{ ...props, withMarks: true }} work={work} />;
  return (
    <section>
      <p class="export-hint">
        {props.document.info.value.projection
          ? 'Only a projection is shown. Show single planes to save them as a movie.'
          : 'A movie needs several time points or sections. Only one plane is shown.'}
      </p>
    </section>
  );
}

interface MovieProps {
  readonly first: MovieChoices;
  readonly source: PictureSource;
  readonly work: Work;
}

function Movie({ first, source, work }: MovieProps) {
  const choices = useSignal<MovieChoices>({ ...first, zoom: readableZoom(source, first) });
  const frame = useSignal(first.from);
  const failure = useSignal('');
  const video = useVideo(source, choices);
  const change = (changed: Partial<MovieChoices>) => {
    choices.value = { ...choices.value, ...changed };
    keepMovie(changed);
  };
  return (
    <div class="figure-tab">
      <Preview source={source} choices={choices} frame={frame} failure={failure} />
      <div class="figure-settings">
        <MovieFields source={source} choices={choices.value} change={change} />
        <Jobs
          work={work}
          jobs={failure.value === '' ? movieJobs({ source, choices: choices.value }, video.value) : []}
        />
        <p class="export-hint">{VIDEO_HINTS[video.value ?? 'H.264']}</p>
      </div>
    </div>
  );
}

const VIDEO_HINTS: Readonly<Record<Exclude<Video, null>, string>> = {
  'H.264': '',
  VP9: 'This browser encodes MP4 as VP9, which plays in browsers and VLC, but not in PowerPoint or QuickTime.',
  '': 'This browser cannot encode video for this page. An animated PNG plays in every browser.',
};

interface PreviewProps {
  readonly source: PictureSource;
  readonly choices: ReadonlySignal<MovieChoices>;
  readonly frame: Signal<number>;
  readonly failure: Signal<string>;
}

/** Shows a frame of the movie, drawn by the code that writes the file. */
function Preview({ source, choices, frame, failure }: PreviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSignal('');
  useSignalEffect(() => {
    const movie = { source, choices: choices.value };
    const index = shownFrame(movie.choices, frame.value);
    const stopping = new AbortController();
    const { signal } = stopping;
    const show = async () => {
      const element = canvas.current;
      if (element === null) return;
      const layout = layoutMovie(movie);
      const place = placeAt(movie, index);
      const planes = await readFrame(layout, place, planeReader(source), signal);
      signal.throwIfAborted();
      if (element.width !== layout.width) element.width = layout.width;
      if (element.height !== layout.height) element.height = layout.height;
      await drawFrame(contextOf(element), movie, layout, place, planes);
      size.value = `${formatNumber(layout.width, 9)} × ${formatNumber(layout.height, 9)} px`;
      failure.value = '';
    };
    show().catch((error: unknown) => {
      if (!signal.aborted) failure.value = (error as Error).message;
    });
    return () => stopping.abort();
  });
  const { dim, from, to } = choices.value;
  const shown = shownFrame(choices.value, frame.value);
  const movie = { source, choices: choices.value };
  return (
    <div class="figure-preview">
      <p class="figure-size">
        <b>Preview</b> {size.value} {durationText(movie)}
      </p>
      <div class="figure-paper">
        <canvas ref={canvas} role="img" aria-label={`Frame of the movie: ${stampText(movie, placeAt(movie, shown))}`} />
        {failure.value !== '' && <p role="alert">{failure.value}</p>}
      </div>
      <input
        type="range"
        aria-label={dim === 'T' ? 'Time point of the preview' : 'Section of the preview'}
        aria-valuetext={`${shown + 1}`}
        min={from + 1}
        max={to + 1}
        value={shown + 1}
        onInput={(event) => (frame.value = Number(event.currentTarget.value) - 1)}
      />
    </div>
  );
}

/** Returns the chosen frame, or the nearest one of the movie. */
function shownFrame({ from, to }: MovieChoices, chosen: number): number {
  return Math.min(to, Math.max(from, chosen));
}

/** Returns `· 14 frames, 1.4 s`. */
function durationText({ source, choices }: { source: PictureSource; choices: MovieChoices }): string {
  const { dim, from, to, rate } = choices;
  const axis = documentAxis(source.document, dim);
  let seconds = 0;
  for (let index = from; index <= to; index++) seconds += frameSeconds(axis, index, rate);
  const count = to - from + 1;
  return `· ${formatNumber(count, 9)} ${count === 1 ? 'frame' : 'frames'}, ${formatQuantity(seconds, 'seconds', 3)}`;
}
