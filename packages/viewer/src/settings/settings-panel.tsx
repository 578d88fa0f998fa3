import { messageOf } from '../model/message-of.ts';
import './settings.css';
import type { MetadataEntry, VendorMetadata } from '@acquisition-store/client/contract/vendor-metadata.js';
import { type Signal, useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { copyText } from '../app/copy.ts';
import type { OpenedAcquisition } from '../model/client.ts';
import { formatNumber } from '../model/number-text.ts';
import { findHighlights } from './highlights.ts';
import { groupEntries, searchEntries, toLines } from './settings-list.ts';

/** Rows that are shown at first, and with each click on the button below them. */
const ROWS = 100;

/** The vendor's own metadata of an acquisition, read when the section is opened. */
export function MicroscopeSettings({ acquisition }: { acquisition: OpenedAcquisition }) {
  const isOpen = useSignal(false);
  return (
    <details
      class="settings"
      open={isOpen.value}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>
        <h3>Microscope settings</h3>
      </summary>
      {isOpen.value && <LoadedSettings acquisition={acquisition} />}
    </details>
  );
}

type Loading =
  | { state: 'loading' }
  | { state: 'failed'; message: string }
  | { state: 'loaded'; metadata: VendorMetadata };

function LoadedSettings({ acquisition }: { acquisition: OpenedAcquisition }) {
  const loading = useSignal<Loading>({ state: 'loading' });
  const attempt = useSignal(0);
  useEffect(() => read(acquisition, loading), [acquisition, attempt.value]);
  const now = loading.value;
  if (now.state === 'loading')
    return (
      <p class="app-muted" role="status">
        Reading the settings…
      </p>
    );
  if (now.state === 'failed') {
    return (
      <div role="alert">
        <p>{now.message}</p>
        <button type="button" onClick={() => attempt.value++}>
          Try again
        </button>
      </div>
    );
  }
  const { entries } = now.metadata;
  if (entries.length === 0) return <p class="app-muted">The file does not contain settings of the microscope.</p>;
  return <SettingsList metadata={now.metadata} />;
}

/** @returns a function that stops reading */
function read(acquisition: OpenedAcquisition, loading: Signal<Loading>): () => void {
  const stop = new AbortController();
  loading.value = { state: 'loading' };
  acquisition.metadata({ signal: stop.signal }).then(
    (metadata) => {
      if (!stop.signal.aborted) loading.value = { state: 'loaded', metadata };
    },
    (error: unknown) => {
      if (stop.signal.aborted) return;
      loading.value = { state: 'failed', message: messageOf(error) };
    },
  );
  return () => stop.abort();
}

function SettingsList({ metadata: { entries, truncated } }: { metadata: VendorMetadata }) {
  const search = useSignal('');
  const rows = useSignal(ROWS);
  const isCopied = useSignal(false);
  const matches = useComputed(() => searchEntries(entries, search.value));
  const count = matches.value.length;
  const counted =
    count === entries.length
      ? `${formatNumber(count)} settings`
      : `${formatNumber(count)} of ${formatNumber(entries.length)}`;
  return (
    <>
      <Highlights entries={entries} />
      <div class="settings-search">
        <input
          type="search"
          aria-label="Search names and values"
          placeholder="Search names and values"
          spellcheck={false}
          value={search.value}
          onInput={(event) => {
            search.value = event.currentTarget.value;
            rows.value = ROWS;
            isCopied.value = false;
          }}
        />
        <button
          type="button"
          disabled={count === 0}
          title="Copy the listed names and values, for a spreadsheet"
          onClick={async () => {
            isCopied.value = await copyText(toLines(matches.value));
          }}
        >
          {isCopied.value ? 'Copied' : 'Copy'}
        </button>
      </div>
      <p class="settings-count app-muted" role="status">
        {count === 0 ? 'Nothing matches.' : counted}
        {truncated && ' The file contains more, which are not listed.'}
      </p>
      {count > 0 && <SettingsTable entries={matches.value.slice(0, rows.value)} />}
      {count > rows.value && (
        <button
          type="button"
          onClick={() => {
            rows.value += ROWS * 5;
          }}
        >
          Show more ({formatNumber(count - rows.value)})
        </button>
      )}
    </>
  );
}

function Highlights({ entries }: { entries: readonly MetadataEntry[] }) {
  const highlights = findHighlights(entries);
  if (highlights.length === 0) return null;
  return (
    <table class="app-facts" aria-label="Main settings">
      <tbody>
        {highlights.map(({ label, value, names }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td title={names.join('\n')}>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SettingsTable({ entries }: { entries: readonly MetadataEntry[] }) {
  return (
    <section class="settings-list" aria-label="All settings">
      <table>
        <colgroup>
          <col class="settings-names" />
          <col />
        </colgroup>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        {groupEntries(entries).map(({ path, rows }, i) => (
          <tbody key={`${i} ${path}`}>
            {path !== '' && (
              <tr class="settings-path">
                <th scope="rowgroup" colSpan={2}>
                  {path.split('/').join(' › ')}
                </th>
              </tr>
            )}
            {rows.map(({ name, entry }, row) => (
              <tr key={row}>
                <th scope="row">{breakable(name)}</th>
                <td>
                  {entry.value} {entry.note !== undefined && <span class="app-muted">{entry.note}</span>}
                </td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}

/** Lets a name like `hRoiManager.scanZoomFactor` continue on the next line at its parts. */
function breakable(name: string): ComponentChildren[] {
  return name
    .split(/(?<=[a-z\d])(?=[A-Z])|(?<=[._])/)
    .flatMap((part, i) => (i === 0 ? [part] : [<wbr key={i} />, part]));
}
