import { type Signal, signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { HIGH_COLOR, LOW_COLOR } from '../model/display.ts';
import type { AcquisitionDocument, Pane } from '../model/document.ts';
import { ChannelContrast } from './channel-contrast.tsx';
import './contrast.css';
import { LinePhase } from './line-phase.tsx';
import type { AddedLuts } from './lut-choice.tsx';
import { SmoothingChoice } from './smoothing.tsx';
import { Swatch } from './statistics.tsx';

interface ContrastPanelProps {
  readonly document: AcquisitionDocument;
  readonly luts: AddedLuts;
}

/** Contrast of all channels of the active pane. */
export function ContrastPanel({ document, luts }: ContrastPanelProps) {
  const log = useSignal(true);
  const pane = document.pane.value;
  // Different ranges would change the colors of a color image.
  const locked = useMemo(() => signal(pane.colorImage), [pane]);
  const [first, ...others] = pane.channels;
  /** Index of the channel whose panel is open. */
  const opened = useMemo(() => signal(first && others.length === 0 ? first.index : null), [pane]);
  return (
    <div class="contrast-panel" aria-busy={pane.countsStack.value}>
      {document.reference.value && <PaneChoice document={document} />}
      <Options pane={pane} log={log} locked={locked} />
      <SmoothingChoice pane={pane} />
      <LinePhase pane={pane} />
      {pane.channels.map((channel) => (
        <ChannelContrast
          key={`${document.id} ${pane.kind} ${channel.index}`}
          target={{ pane, channel, locked: locked.value && pane.channels.length > 1 }}
          log={log}
          luts={luts}
          open={opened.value === channel.index}
          toggle={() => {
            opened.value = opened.value === channel.index ? null : channel.index;
          }}
        />
      ))}
    </div>
  );
}

function PaneChoice({ document }: { readonly document: AcquisitionDocument }) {
  const { kind } = document.pane.value;
  const choices = [
    { id: 'source', label: 'Acquisition' },
    { id: 'reference', label: 'Reference' },
  ] as const;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    <div class="contrast-choice" role="group" aria-label="Image">
      {choices.map(({ id, label }) => (
        <button
          key={id}
          type="button"
          aria-pressed={kind === id}
          onClick={() => {
            document.activePane.value = id;
          }}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

interface OptionsProps {
  readonly pane: Pane;
  readonly log: Signal<boolean>;
  readonly locked: Signal<boolean>;
}

function Options({ pane, log, locked }: OptionsProps) {
  return (
    <div class="contrast-row contrast-options">
      <Check
        label="Log counts"
        title="Heights of the histograms"
        value={log.value}
        set={(on) => Object.assign(log, { value: on })}
      />
      {pane.channels.length > 1 && (
        <Check label="Lock ranges" value={locked.value} set={(on) => Object.assign(locked, { value: on })} />
      )}
      <Check
        label="Clipping"
        title="Mark samples below the minimum and above the maximum"
        value={pane.pixelMarks.value.clipping}
        set={(clipping) => {
          pane.pixelMarks.value = { ...pane.pixelMarks.value, clipping };
        }}
      >
        <Swatch color={LOW_COLOR} />
        <Swatch color={HIGH_COLOR} />
      </Check>
    </div>
  );
}

interface CheckProps {
  readonly label: string;
  readonly title?: string;
  readonly value: boolean;
  set(value: boolean): void;
  readonly children?: preact.ComponentChildren;
}

function Check({ label, title, value, set, children }: CheckProps) {
  return (
    <label class="contrast-check" title={title}>
      <input type="checkbox" checked={value} onChange={(event) => set(event.currentTarget.checked)} />
      {label}
      {children}
    </label>
  );
}
