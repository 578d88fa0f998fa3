import { type Signal, useSignal } from '@preact/signals';
import { isLoaded, type Pane } from '../model/document.ts';
import { formatBytes } from '../model/number-text.ts';
import { planeParts } from './crop.ts';
import { stackJobs } from './imagej-stack.ts';
import { planeJobs } from './jobs.ts';
import type { ExportProps } from './props.ts';
import { Jobs, type Work } from './work.tsx';

/** Files with the samples of a channel, or of the whole scene. */
export function NumbersTab({
  work,
  chosen,
  ...props
}: ExportProps & { readonly work: Work; readonly chosen: Signal<number> }) {
  const { pane } = props;
  const channels = pane.channels.filter(isLoaded);
  const parts = planeParts(pane);
  const partId = useSignal('whole');
  const part = parts.find(({ id }) => id === partId.value) ?? parts[0]!;
  const channel = channels.find((item) => item.index === chosen.value) ?? channels[0];
  return (
    <section>
      <ChannelSelect pane={pane} chosen={chosen} />
      {parts.length > 1 && (
        <label class="export-select">
          Part{' '}
          <select value={part.id} onChange={(event) => (partId.value = event.currentTarget.value)}>
            {parts.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      {channel?.far.value && <FarHint bytes={channel.far.value.byteLength} />}
      <Jobs work={work} jobs={[...(channel ? planeJobs(props, channel, part) : []), ...stackJobs(props)]} />
    </section>
  );
}

/** Chooses a loaded channel by its index. */
export function ChannelSelect({ pane, chosen }: { readonly pane: Pane; readonly chosen: Signal<number> }) {
  return (
    <label class="export-select">
      Channel{' '}
      <select value={chosen} onChange={(event) => (chosen.value = Number(event.currentTarget.value))}>
        {pane.channels.filter(isLoaded).map(({ index, name }) => (
          <option key={index} value={index}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Says what can be saved of a plane that the page does not hold. */
function FarHint({ bytes }: { readonly bytes: number }) {
  return (
    <p class="export-hint">
      This plane has {formatBytes(bytes)}, too much for this page. As a whole it can be saved as .npy, which is
      transferred piece by piece. For TIFF or CSV, zoom in and choose the visible part, or choose a region, of up to 256
      MiB. Pictures with one pixel per sample and smoothing are not available.
    </p>
  );
}
