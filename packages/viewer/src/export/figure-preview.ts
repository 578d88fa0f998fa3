/** Keeps a preview of a figure, drawn by the code that writes the file. */
import { type ReadonlySignal, type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isLoaded } from '../model/document.ts';
import type { FigureChoices } from './figure-choices.ts';
import { figureRequest } from './jobs.ts';
import { type PaneFigure, paneFigure } from './pane-figure.ts';
import type { ExportProps } from './props.ts';

export interface FigurePreview {
  /** Null until it is drawn. */
  readonly figure: PaneFigure | null;
  /** Address of the figure as SVG. */
  readonly url: string;
  /** Why there is no figure; empty when there is one. */
  readonly failure: string;
}

/** A finer preview would show nothing more on a screen. */
const MAX_DPI = 300;
/** Typing a number does not draw a figure for each digit. */
const WAIT_MS = 80;

export function useFigurePreview(props: ExportProps, choices: ReadonlySignal<FigureChoices>): Signal<FigurePreview> {
  const preview = useSignal<FigurePreview>({ figure: null, url: '', failure: '' });
  const show = (next: FigurePreview) => {
    const before = preview.peek().url;
    preview.value = next;
    if (before !== '') URL.revokeObjectURL(before);
  };
  useSignalEffect(() => {
    const chosen = choices.value;
    // Another plane, which a stack that plays shows behind the dialog, is another figure.
    for (const channel of props.pane.channels) isLoaded(channel);
    const request = figureRequest(props, { ...chosen, dpi: Math.min(chosen.dpi, MAX_DPI) });
    const stopping = new AbortController();
    const { signal } = stopping;
    const timer = setTimeout(async () => {
      try {
        const figure = await paneFigure({ ...request, signal });
        const url = URL.createObjectURL(new Blob([figure.svg], { type: 'image/svg+xml' }));
        if (signal.aborted) URL.revokeObjectURL(url);
        else show({ figure, url, failure: '' });
      } catch (error) {
        if (!signal.aborted) show({ figure: null, url: '', failure: (error as Error).message });
      }
    }, WAIT_MS);
    return () => {
      stopping.abort();
      clearTimeout(timer);
    };
  });
  useEffect(() => () => URL.revokeObjectURL(preview.peek().url), [preview]);
  return preview;
}
