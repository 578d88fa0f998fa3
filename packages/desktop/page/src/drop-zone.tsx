import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Format } from '../../src/supervisor/protocol.ts';
import type { Connection, OpenAnswer } from './connection.ts';
import { canBeFile, type DroppedItem, type FileToFind, readItems, readPaths } from './dropped.ts';
import { DIALOG, type Notice, type Page, usePage } from './page.ts';

/** Opens files, folders and paths that are dropped anywhere on the window. */
export function DropZone() {
  const page = usePage();
  const over = useSignal(false);
  useEffect(() => {
    const accept = (event: DragEvent) => {
      if (!canBeFile(event.dataTransfer)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
      over.value = true;
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) over.value = false;
    };
    const drop = (event: DragEvent) => {
      over.value = false;
      if (event.dataTransfer === null || !canBeFile(event.dataTransfer)) return;
      event.preventDefault();
      openDropped(page, event.dataTransfer);
    };
    // WebKit sends no dragover when the last movement before a drop enters another element.
    addEventListener('dragenter', accept);
    addEventListener('dragover', accept);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragenter', accept);
      removeEventListener('dragover', accept);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [page]);
  if (!over.value) return null;
  return (
    <div class="drop" role="status">
      <p>Drop files or a folder to open them</p>
    </div>
  );
}

function openDropped(page: Page, transfer: DataTransfer): void {
  const { connection } = page;
  const paths = readPaths(transfer);
  const read = readItems(transfer);
  page.attempt(`Opening ${paths[0] ?? 'the dropped file'}…`, async (signal, show) => {
    const open = async (path: string) => show(await connection.post<OpenAnswer>('open', { path }, signal));
    for (const path of paths) await open(path);
    if (paths.length > 0) return;
    const { formats } = await connection.post<{ formats: Format[] }>('formats', {}, signal);
    const missing: DroppedItem[] = [];
    const items = await read(formats.flatMap(({ extensions }) => extensions));
    for (const item of items) {
      const path = item.file && (await locate(connection, item.file, signal));
      if (path) await open(path);
      else missing.push(item);
    }
    if (items.length === 0)
      page.notice.value = { kind: 'error', text: 'The dropped item is not a file on this computer.' };
    if (missing.length > 0) page.notice.value = notFound(page, missing);
  });
}

/** Returns the path of a dropped file, or of the folder that was dropped. */
async function locate(connection: Connection, file: FileToFind, signal: AbortSignal): Promise<string | null> {
  const { path } = await connection.post<{ path: string | null }>('locate', file, signal);
  return path !== null && file.opensFolder ? path.slice(0, -file.name.length - 1) : path;
}

function notFound(page: Page, missing: readonly DroppedItem[]): Notice {
  const [first] = missing;
  const others = missing.length > 1 ? ` and ${missing.length - 1} more` : '';
  const kind = first?.file && first.file.folder === undefined ? 'file' : 'folder';
  return {
    kind: 'error',
    text:
      `${first?.name}${others}: the browser does not tell where a dropped ${kind} is, and no folder that you opened files ` +
      'from has it. Choose it in the dialog, or drop it on the viewer, which works with a copy.',
    actions: [
      { label: `Open ${kind}…`, run: () => page.open(DIALOG, 'pick', { kind }) },
      { label: 'Open viewer', run: () => page.open('Opening the viewer…', 'viewer', {}) },
    ],
  };
}
