import type { ChannelView, LoadState } from '../model/document.ts';
import { formatBytes } from '../model/number-text.ts';

interface CardLoadingProps {
  readonly channels: readonly ChannelView[];
  readonly onRetry?: ((channel: ChannelView) => void) | undefined;
}

/**
 * Shows the progress over the image until all its channels have loaded, at its lower end once there is something to see,
 * and failures with a button to try again.
 */
export function CardLoading({ channels, onRetry }: CardLoadingProps) {
  const failed = channels.filter((channel) => channel.load.value.state === 'failed');
  const loading = channels.filter(({ load }) => load.value.state === 'loading' || load.value.state === 'waiting');
  if (failed.length === 0 && loading.length === 0) return null;
  const partly = channels.some(({ coming }) => coming.value !== null);
  return (
    <div class={`image-loading${partly ? ' image-loading-low' : ''}`}>
      {failed.map((channel) => (
        <div class="image-failure" role="alert" key={channel.index}>
          <p>
            <strong>{channel.name}</strong> could not be loaded: {(channel.load.value as Failed).message}
          </p>
          {onRetry && (
            <button type="button" class="control" onClick={() => onRetry(channel)}>
              Try again
            </button>
          )}
        </div>
      ))}
      {loading.map((channel) => (
        <ChannelProgress channel={channel} key={channel.index} />
      ))}
    </div>
  );
}

type Failed = Extract<LoadState, { state: 'failed' }>;

function ChannelProgress({ channel }: { readonly channel: ChannelView }) {
  const load = channel.load.value;
  const received = load.state === 'loading' ? load.received : 0;
  const total = load.state === 'loading' ? load.total : 0;
  return (
    <div class="image-progress">
      <span>
        {channel.name}: {load.state === 'waiting' ? 'waiting' : `${formatBytes(received)} of ${formatBytes(total)}`}
      </span>
      <progress aria-label={`Loading ${channel.name}`} max={Math.max(1, total)} value={received} />
    </div>
  );
}
