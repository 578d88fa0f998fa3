import type { FolderEntry } from '@acquisition-store/client';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { usePage } from '../app/context.ts';
import { Icon } from '../icons/icon.tsx';
import { formatBytes } from '../model/number-text.ts';
import type { ViewWatch } from './in-view.ts';
import { type RowText, rowText } from './recording-text.ts';

interface FileRowProps {
  readonly entry: FolderEntry;
  readonly choose: (entry: FolderEntry) => void;
  readonly view: ViewWatch;
}

/** A folder, or a file with its picture once it has been in view. */
export function FileRow({ entry, choose, view }: FileRowProps) {
  const { name, path, size, modified, openable } = entry;
  const { row, picture, facts } = useRow(entry, view);
  const text = rowText(entry, facts.value);
  const { recorded, notes } = text;
  const { address = null, note = '' } = picture.value ?? {};
  const details = facts.value && 'details' in facts.value ? facts.value.details : null;
  const bytes = details?.size ?? size;
  return (
    <button
      ref={row}
      type="button"
      class={`quiet files-row${openable ? ' files-row-file' : ''}`}
      title={[...new Set([path, ...notes, note])].filter((line) => line !== '').join('\n')}
      onClick={() => choose(entry)}
    >
      {address === null ? (
        <span class="files-picture">
          <Icon name={openable ? 'file' : 'folder'} />
        </span>
      ) : (
        <img class="files-picture" src={address} alt="" width="72" height="48" />
      )}
      <span class="files-text">
        <span class="files-name">{name}</span>
        <RowKind text={text} />
      </span>
      <span class="app-muted files-size">{bytes === null ? '' : formatBytes(bytes)}</span>
      <span class="app-muted files-date" title={recorded === '' ? 'Last change of the file' : 'Start of the recording'}>
        {recorded !== '' ? recorded : modified === null ? '' : dateText(modified)}
      </span>
    </button>
  );
}

/** Returns the row, and what is known of it, which is asked for once it has been in view. */
function useRow(entry: FolderEntry, view: ViewWatch) {
  const { path, size, modified, openable } = entry;
  const { pictures, recordings } = usePage().workspace.ways;
  const row = useRef<HTMLButtonElement>(null);
  const picture = useSignal(pictures.known(entry));
  const facts = useSignal(recordings.known(entry));
  useEffect(() => {
    if (!openable || !row.current) return;
    return view.watch(row.current, () => {
      const leaves = [
        recordings.want(entry, (found) => {
          facts.value = found;
        }),
        pictures.want(entry, (drawn) => {
          picture.value = drawn;
        }),
      ];
      return () => {
        for (const leave of leaves) leave();
      };
    });
  }, [path, size, modified]);
  return { row, picture, facts };
}

/** The format is cut first where there is no room. */
function RowKind({ text: { what, warnings, format, problem } }: { text: RowText }) {
  if (problem === '' && what === '' && format === '') return null;
  return (
    <span class="app-muted files-kind">
      {problem === '' ? what : problem}
      {warnings !== '' && <span class="files-warnings"> · {warnings}</span>}
      {problem === '' && format !== '' && (what === '' ? format : ` · ${format}`)}
    </span>
  );
}

function dateText(milliseconds: number): string {
  const date = new Date(milliseconds);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
