import './stack.css';
import type { ReadonlySignal } from '@preact/signals';
import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from '../icons/icon.tsx';
import { usePanel } from '../image/close-elsewhere.ts';
import { centeredPoints, kindName } from '../measure/marks.ts';
import type { AcquisitionDocument, Mark } from '../model/document.ts';
import { isPath } from '../model/mark-kind.ts';
import { capital, formatNumber } from '../model/number-text.ts';
import { useRegionLabel } from '../model/region-label.ts';
import type { KymographLine } from './kymograph.ts';
import {
  axisPosition,
  documentAxis,
  fileDims,
  PLURALS,
  PROJECTION_METHODS,
  type Projection,
  projectionWords,
  SINGULARS,
  type StackAxis,
  type StackDim,
  stackDims,
} from './place.ts';
import { RATES, type Rate } from './player.ts';
import { realTime } from './real-time.ts';
import type { Stack } from './stack.ts';
import { Track } from './stack-track.tsx';

interface StackBarProps {
  readonly document: AcquisitionDocument;
  readonly stack: Stack;
  /** Opens a projection, or single planes again. */
  project(projection: Projection | null): void;
  openKymograph(line: KymographLine): void;
  /** Shows the file as it is now, after it has changed. */
  readonly update: { readonly label: string; run(): void };
  /** Further controls, beside the sliders. */
  readonly children?: ComponentChildren;
}

/** The time points and sections under the picture, side by side, with what is set once behind a button. */
export function StackBar(props: StackBarProps) {
  const { document, stack } = props;
  const dims = useComputed(() => fileDims(document.info.value).join('')).value;
  const label = useRegionLabel('Time points and sections');
  if (dims === '') return null;
  return (
    <section class="stack-bar" data-part="slider" aria-label={label}>
      {[...dims].map((dim) => (
        <Row key={dim} {...props} dim={dim as StackDim} isFirst={dim === dims[0]} />
      ))}
      <ShownRate shown={stack.shownRate} />
      {props.children}
      <Settings {...props} dims={[...dims] as StackDim[]} />
      <Failure {...props} />
    </section>
  );
}

type RowProps = StackBarProps & { readonly dim: StackDim };

function Row(props: RowProps & { readonly isFirst: boolean }) {
  const { document, dim } = props;
  const method = useComputed(() => document.info.value.projection?.[dim]).value;
  if (method === undefined) return <PlaneRow {...props} />;
  return (
    <div class="stack-row stack-projected">
      <span>{capital(SINGULARS[dim])}</span>
      <span>{capital(projectionWords(document.info.value))}</span>
      <button type="button" onClick={() => props.project(null)}>{`Single ${PLURALS[dim]}`}</button>
    </div>
  );
}

/** Chooses whether single planes of a dimension are shown, or a projection of all of them. */
function Projecting({ document, dim, project }: RowProps) {
  const method = document.info.value.projection?.[dim];
  const choose = (value: string) => {
    const next = PROJECTION_METHODS.find((known) => known === value);
    project(next === undefined ? null : { [dim]: next });
  };
  return (
    <label title={`One of the ${PLURALS[dim]}, or the maximum or mean of all of them`}>
      <span>{`Projection of the ${PLURALS[dim]}`}</span>
      <select name={`projection-${dim}`} value={method ?? ''} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">Single</option>
        <option value="max">Maximum</option>
        <option value="mean">Mean</option>
      </select>
    </label>
  );
}

function PlaneRow(props: RowProps & { readonly isFirst: boolean }) {
  const { document, stack, dim, isFirst } = props;
  const id = useId();
  const axis = useComputed(() => documentAxis(document, dim)).value;
  const index = useComputed(() => stack.wanted.value[dim]);
  const playing = stack.player.playing.value === dim;
  // The key stops what plays, or else plays the first.
  const hasKey = playing || (isFirst && stack.player.playing.value === null);
  const verb = playing ? 'Stop' : 'Play';
  return (
    <div class="stack-row">
      <button
        type="button"
        class="quiet icon"
        aria-label={`${verb} the ${PLURALS[dim]}`}
        title={`${verb} the ${PLURALS[dim]}${hasKey ? ' (\\)' : ''}`}
        onClick={() => stack.toggle(dim)}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d={playing ? 'M4.500 3v10M11.500 3v10' : 'M4.500 2.500l8.500 5.500l-8.500 5.500z'} />
        </svg>
      </button>
      <label for={id}>{capital(SINGULARS[dim])}</label>
      <Track document={document} stack={stack} dim={dim} axis={axis} />
      <span class="stack-place">
        <input
          id={id}
          name={dim}
          type="number"
          min="1"
          max={axis.size}
          step="1"
          value={index.value + 1}
          onChange={(event) => stack.go(dim, event.currentTarget.valueAsNumber - 1)}
        />
        <span>{placeText(axis, index.value)}</span>
      </span>
    </div>
  );
}

/** Returns `of 6 · 4.0 s`, to be read after the field with the number. */
function placeText(axis: StackAxis, index: number): string {
  const position = axisPosition(axis, index);
  return `of ${formatNumber(axis.size)}${position === '' ? '' : ` · ${position}`}`;
}

/** What is set once: speed, loop, projection; and the kymograph of a line. */
function Settings(props: StackBarProps & { readonly dims: readonly StackDim[] }) {
  const { document, stack, dims } = props;
  const { open, root, button, onKeyDown } = usePanel();
  const panel = useId();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape bubbles up from the controls inside
    <div class="stack-settings" ref={root} onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        class="quiet icon"
        aria-label="Speed, loop and projection"
        aria-expanded={open.value}
        aria-controls={panel}
        title="Speed, loop, projection and kymograph"
        onClick={() => {
          open.value = !open.value;
        }}
      >
        <Icon name="gear" />
      </button>
      <div id={panel} class="stack-panel" hidden={!open.value}>
        {dims.map((dim) => (
          <Projecting key={dim} {...props} dim={dim} />
        ))}
        <Playing document={document} stack={stack} />
        <KymographButton {...props} />
      </div>
    </div>
  );
}

/** Rate and loop of the player. */
function Playing({ document, stack }: Pick<StackBarProps, 'document' | 'stack'>) {
  const { rate, loop } = stack.player;
  const real = useComputed(() => {
    return stackDims(document.info.value).includes('T') ? realTime(documentAxis(document, 'T')) : null;
  }).value;
  return (
    <>
      <label>
        <span>Speed</span>
        <select
          name="rate"
          value={String(rate.value)}
          onChange={(event) => (rate.value = toRate(event.currentTarget.value))}
        >
          {RATES.map((value) => (
            <option key={value} value={String(value)}>{`${value} per second`}</option>
          ))}
          {real !== null && <option value="real">{real.label}</option>}
        </select>
      </label>
      {rate.value === 'real' && real?.note && <span class="stack-muted">{real.note}</span>}
      <label>
        <span>Loop</span>
        <input
          type="checkbox"
          name="loop"
          checked={loop}
          onChange={(event) => (loop.value = event.currentTarget.checked)}
        />
      </label>
    </>
  );
}

/** Opens a kymograph of the selected line, or of the only one. */
function KymographButton({ document, openKymograph }: StackBarProps) {
  const hint = useSignal('');
  if (!stackDims(document.info.value).includes('T')) return null;
  const open = () => {
    const pane = document.source.value;
    const lines = pane.marks.value.filter(({ kind }) => isPath(kind));
    const line = lines.find(({ id }) => id === pane.selectedMark.value) ?? (lines.length === 1 ? lines[0] : undefined);
    hint.value = '';
    if (line !== undefined) return openKymograph(toKymographLine(line));
    if (lines.length === 0) pane.tool.value = 'line';
    hint.value =
      lines.length === 0 ? 'Draw a line on the image, then press Kymograph.' : 'Select one of the lines first.';
  };
  return (
    <div class="stack-kymograph">
      <button type="button" title="The samples along a line at every time point, in a tab of its own" onClick={open}>
        Kymograph
      </button>
      <span role="status">{hint}</span>
    </div>
  );
}

function toKymographLine(mark: Mark): KymographLine {
  return {
    name: mark.name ?? `${kindName(mark.kind)} ${mark.id}`,
    points: centeredPoints(mark),
    width: mark.width ?? 1,
  };
}

function toRate(text: string): Rate {
  return text === 'real' ? text : Number(text);
}

function ShownRate({ shown }: { readonly shown: ReadonlySignal<number | null> }) {
  const text = shown.value === null ? '' : `${formatNumber(shown.value, 2)} shown per second`;
  return <span class="stack-muted">{text}</span>;
}

function Failure({ stack, update }: Pick<StackBarProps, 'stack' | 'update'>) {
  const failure = stack.failure.value;
  const hasChanged = failure?.code === 'source_changed';
  const reason = hasChanged ? 'The file has changed since it was opened.' : failure?.message;
  return (
    <div role="status" class="stack-failure">
      {failure !== null && (
        <>
          <span>{`The image still shows the plane before. ${reason}`}</span>
          <button type="button" onClick={() => (hasChanged ? update.run() : stack.retry())}>
            {hasChanged ? update.label : 'Try again'}
          </button>
        </>
      )}
    </div>
  );
}
