/** One opened part of files in the page: answers what a session of the server answers, by the same functions. */
import type { NativeArray, NativeSamples, WindowChoice } from '@acquisition-store/client';
import type { AskedPlane } from '@acquisition-store/client/answers/describe.js';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { copyGrid } from '@acquisition-store/readers/model/samples/rectangle.js';
import { PlaneParts, type SentSamples } from './coming-plane.ts';
import type { Form, SessionAnswers } from './protocol.ts';
import { type OpenSession, type PlaneSource, SessionPlanes } from './session-planes.ts';

const loadMeasuring = () => import('./measuring.ts');
const loadZarr = () => import('./zarr-values.ts');
const loadDescribing = () => import('./describing.ts');

/** The answers, which take their time. */
type Answering = {
  [M in keyof SessionAnswers]: (
    signal: AbortSignal,
    ...args: Parameters<SessionAnswers[M]>
  ) => Promise<ReturnType<SessionAnswers[M]>>;
};
type AnswerArgs<M extends keyof SessionAnswers> = Parameters<SessionAnswers[M]>;

export class PageSession implements Answering, OpenSession {
  readonly info: OpenResponse;
  readonly source: PlaneSource;
  readonly images: SessionPlanes;

  constructor(source: PlaneSource, info: OpenResponse) {
    this.source = source;
    this.info = info;
    this.images = new SessionPlanes(source);
  }

  async plane(signal: AbortSignal, asked: AskedPlane, form: Form): Promise<NativeSamples> {
    const { segments } = await this.images.read(asked, form, signal);
    return segments[0]!.samples.slice() as NativeSamples;
  }

  /** Sends the first rows while it reads the others. Returns the samples that were not sent. */
  async comingPlane(
    signal: AbortSignal,
    send: (part: SentSamples) => void,
    asked: AskedPlane,
    form: Form,
  ): Promise<NativeSamples> {
    const parts = new PlaneParts(send);
    const { segments } = await this.images.read(asked, form, signal, parts.add);
    return parts.rest(segments[0]!.samples as NativeSamples);
  }

  async window(signal: AbortSignal, asked: AskedPlane, choice: WindowChoice, form: Form): Promise<NativeArray> {
    const window = this.images.windowOf(asked, choice);
    const [rowStep, columnStep] = choice.every ?? [1, 1];
    const rows = Math.ceil((window.endRow - window.firstRow) / rowStep);
    const columns = Math.ceil((window.endColumn - window.firstColumn) / columnStep);
    const isFar = this.images.isFar(asked);
    const data = isFar
      ? await this.images.region(asked, window, form, signal)
      : await this.images.read(asked, form, signal);
    const [firstRow, firstColumn] = isFar ? [0, 0] : [window.firstRow, window.firstColumn];
    const samples = copyGrid(data, { firstRow, rows, rowStep, firstColumn, columns, columnStep });
    return { shape: [rows, columns], samples: samples as NativeSamples };
  }

  async overview(signal: AbortSignal, ...args: AnswerArgs<'overview'>) {
    return (await loadMeasuring()).overviewOf(this, signal, ...args);
  }

  async statistics(signal: AbortSignal, ...args: AnswerArgs<'statistics'>) {
    return (await loadMeasuring()).statisticsOf(this, signal, ...args);
  }

  async profile(signal: AbortSignal, ...args: AnswerArgs<'profile'>) {
    return (await loadMeasuring()).profileOf(this, signal, ...args);
  }

  async profileArrays(signal: AbortSignal, ...args: AnswerArgs<'profileArrays'>) {
    return (await loadMeasuring()).profileArrayOf(this, signal, ...args);
  }

  async traces(signal: AbortSignal, ...args: AnswerArgs<'traces'>) {
    return (await loadMeasuring()).tracesOf(this, signal, ...args);
  }

  async coordinates(signal: AbortSignal) {
    return (await loadDescribing()).coordinatesOf(this, signal);
  }

  async planes(signal: AbortSignal) {
    return (await loadDescribing()).planeTableOf(this, signal);
  }

  async metadata(signal: AbortSignal) {
    return (await loadDescribing()).metadataOf(this, signal);
  }

  async zarrValue(signal: AbortSignal, ...args: AnswerArgs<'zarrValue'>) {
    return (await loadZarr()).zarrValueOf(this, signal, ...args);
  }
}
