import type { FolderEntry } from '@acquisition-store/client';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { usePage } from '../app/context.ts';
import { Icon } from '../icons/icon.tsx';
import { formatBytes } from '../model/number-text.ts';
import type { ViewWatch } from './in-view.ts';

interface FileRowProps {
  readonly entry: FolderEntry;
  readonly choose: (entry: FolderEntry) => void;
  readonly view: ViewWatch;
}

/** A folder, or a file with its picture once it has been in view. */
export function FileRow({ entry, choose, view }: FileRowProps) {
  const { name, path, size, modified, openable } = entry;
  const { pictures } = usePage().workspace.ways;
  const row = useRef<HTMLButtonElement>(null);
  const picture = useSignal(pictures.known(entry));
  useEffect(() => {
    if (!openable || !row.current) return;
    return view.watch(row.current, () =>
      pictures.want(entry, (drawn) => {
        picture.value = drawn;
      }),
    );
  }, [path, size, modified]);
  const kind = kindText(entry);
  const { address = null, note = '' } = picture.value ?? {};
  return (
    <button
      ref={row}
      type="button"
      class={`quiet files-row${openable ? ' files-row-file' : ''}`}
      title={note === '' ? path : `${path}\n${note}`}
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
        {kind !== '' && <span class="app-muted files-kind">{kind}</span>}
      </span>
      <span class="app-muted files-size">{size === null ? '' : formatBytes(size)}</span>
      <span class="app-muted files-date">{modified === null ? '' : dateText(modified)}</span>
    </button>
  );
}

/** The format of a recording, and how many files it has. */
function kindText({ kind, openable, recording }: FolderEntry): string {
  const format = recording?.format ?? (kind === 'folder' && openable ? 'acquisition' : '');
  const files = recording?.files ?? 1;
  return [format, ...(files > 1 ? [`${files} files`] : [])].filter((text) => text !== '').join(' · ');
}

function dateText(milliseconds: number): string {
  const date = new Date(milliseconds);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
