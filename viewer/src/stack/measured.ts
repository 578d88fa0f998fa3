/** Reads the measured times and depths of an acquisition, which are not in its open response. */
import { batch, effect } from '@preact/signals';
import type { AcquisitionDocument } from '../model/document.ts';
import { type MeasuredAxes, toMeasuredAxes } from '../model/measured-axis.ts';

/**
 * Follows what is opened in a document. When the values cannot be read, the mean steps stay, and a warning says so.
 * @returns a function that stops it
 */
export function followMeasured(document: AcquisitionDocument): () => void {
  let reading = new AbortController();
  const use = (axes: MeasuredAxes) =>
    batch(() => {
      document.measured.value = axes;
      document.source.peek().rowTimes.value = axes.Y ?? null;
    });
  const stop = effect(() => {
    const opened = document.opened.value;
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    use({});
    if (opened.info.header.coordinates === undefined) return;
    opened.coordinates({ signal }).then(
      (values) => {
        if (!signal.aborted) use(toMeasuredAxes(values));
      },
      (error: unknown) => {
        if (!signal.aborted) warn(document, error);
      },
    );
  });
  return () => {
    stop();
    reading.abort();
  };
}

function warn({ info }: AcquisitionDocument, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  const warning = `The measured times and positions could not be read, so mean steps are shown. ${reason}`;
  info.value = { ...info.peek(), warnings: [...info.peek().warnings, warning] };
}
