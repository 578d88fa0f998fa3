import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { isCertain } from '@acquisition-store/readers/model/recording.js';
import { useSignal } from '@preact/signals';
import { Icon } from '../icons/icon.tsx';
import { Kymograph } from '../stack/kymograph.ts';
import { usePage } from './context.ts';
import type { Tab } from './tab.ts';

type Recording = NonNullable<OpenResponse['source']['recording']>;

/** Tabs whose notice was closed. */
const dismissed = new WeakSet<Tab>();

/** Above the images: says that a file is one of several of a recording, and opens all of them. */
export function RecordingNotice({ tab }: { tab: Tab }) {
  const { workspace } = usePage();
  const closed = useSignal(false);
  const recording = recordingOf(tab);
  if (!recording || tab.document.info.value.parts === 'all' || closed.value || dismissed.has(tab)) return null;
  if (!isCertain(recording)) return null;
  const { parts, part } = recording;
  return (
    <section class="app-notice" aria-label="Recording in several files">
      <p>
        This is file {part + 1} of {parts} of a recording <span class="app-muted">({evidenceText(recording)})</span>.
      </p>
      <button type="button" onClick={() => void workspace.chooseParts(tab, 'all')}>
        Open the whole recording
      </button>
      <button
        type="button"
        class="quiet icon"
        aria-label="Dismiss the notice of the recording"
        title="Dismiss"
        onClick={() => {
          dismissed.add(tab);
          closed.value = true;
        }}
      >
        <Icon name="close" />
      </button>
    </section>
  );
}

/** Among the details of the file: says the same, and goes back to the file alone. */
export function RecordingLine({ tab }: { tab: Tab }) {
  const { workspace } = usePage();
  const recording = recordingOf(tab);
  if (!recording) return null;
  const { parts, part } = recording;
  const isWhole = tab.document.info.value.parts === 'all';
  return (
    <p class="app-recording">
      {isWhole ? `A recording in ${parts} files` : `File ${part + 1} of ${parts} of a recording`}{' '}
      <span class="app-muted">{evidenceText(recording)}</span>{' '}
      <button type="button" onClick={() => void workspace.chooseParts(tab, isWhole ? 'one' : 'all')}>
        {isWhole ? 'Open this file alone' : 'Open the whole recording'}
      </button>
    </p>
  );
}

function recordingOf(tab: Tab): Recording | undefined {
  const { document } = tab;
  return document.opened.value instanceof Kymograph ? undefined : document.info.value.source.recording;
}

function evidenceText({ along, evidence, master }: Recording): string {
  return `along ${along.join(', ')}, by ${master ?? evidence}`;
}
