import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { useId } from 'preact/hooks';
import { formatNumber } from '../model/number-text.ts';
import { stackDims } from '../stack/place.ts';
import { usePage } from './context.ts';
import { missingPlanes } from './planes.ts';
import type { Tab } from './tab.ts';

/** Chooses the scene and the channels to load. */
export function SelectionPanel({ tab }: { tab: Tab }) {
  const { workspace } = usePage();
  const info = tab.document.info.value;
  return (
    <div class="app-selection">
      {info.source.scenes && <SceneChoice info={info} choose={(index) => chooseScene(index)} />}
      {info.header.numChannels > 1 && <ChannelChoice tab={tab} />}
      <Missing tab={tab} />
    </div>
  );

  /** Keeps the time point and section where the new scene, which may be smaller, has them. */
  function chooseScene(index: number): void {
    const sizes = info.source.scenes?.find((scene) => scene.index === index)?.sizes ?? {};
    const selection = stackDims(info).flatMap((dim) => {
      const at = info.selection?.[dim] ?? 0;
      return at < (sizes[dim] ?? 1) ? [[dim, at] as const] : [];
    });
    void workspace.select(tab, { selection: { ...Object.fromEntries(selection), S: index } });
  }
}

export function hasChoice({ header, source }: OpenResponse): boolean {
  return header.numChannels > 1 || source.scenes !== undefined;
}

function SceneChoice({ info, choose }: { info: OpenResponse; choose: (index: number) => void }) {
  const id = useId();
  return (
    <div class="app-choice">
      <label for={id}>Scene</label>
      <select
        id={id}
        name="S"
        value={String(info.selection?.['S'] ?? 0)}
        onChange={(event) => choose(Number(event.currentTarget.value))}
      >
        {info.source.scenes?.map(({ index, name, sizes }) => (
          <option key={index} value={String(index)}>
            {`${index + 1}: ${name} (${sizesText(sizes)})`}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Width, height and what else there is: `128 × 96, T 20`. */
function sizesText({ Y = 1, X = 1, C: _, ...more }: Readonly<Record<string, number>>): string {
  return [
    `${formatNumber(X)} × ${formatNumber(Y)}`,
    ...Object.entries(more).map(([dim, size]) => `${dim} ${size}`),
  ].join(', ');
}

function ChannelChoice({ tab }: { tab: Tab }) {
  const { workspace } = usePage();
  const info = tab.document.info.value;
  const chosen = info.channels.map(({ index }) => index);
  const toggle = (index: number) => {
    const next = chosen.includes(index)
      ? chosen.filter((other) => other !== index)
      : [...chosen, index].sort((a, b) => a - b);
    // The session began with another time point or section than the shown one.
    const { selection } = info;
    if (next.length > 0) void workspace.select(tab, { channelIndices: next, ...(selection ? { selection } : {}) });
  };
  return (
    <details class="app-channels" open={chosen.length < info.header.numChannels}>
      <summary>
        Channels: {chosen.length} of {info.header.numChannels} loaded
      </summary>
      {Array.from({ length: info.header.numChannels }, (_, index) => (
        <label key={index}>
          <input
            type="checkbox"
            checked={chosen.includes(index)}
            disabled={chosen.length === 1 && chosen.includes(index)}
            onChange={() => toggle(index)}
          />
          <span>
            <span class="visually-hidden">Load </span>
            {tab.names.value.get(index) ?? `Channel ${index + 1}`}
          </span>
        </label>
      ))}
    </details>
  );
}

/** Lists the channels whose transfer failed or was canceled. */
function Missing({ tab }: { tab: Tab }) {
  const { workspace } = usePage();
  const missing = missingPlanes(tab.document).filter(({ channel }) => channel.load.value.state === 'failed');
  if (missing.length === 0) return null;
  const names = missing.map(({ channel }) => channel.name).join(', ');
  return (
    <p class="app-missing">
      Not loaded: {names}{' '}
      <button type="button" onClick={() => void workspace.loadRest(tab)}>
        Load
      </button>
    </p>
  );
}
