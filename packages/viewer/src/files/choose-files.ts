import { AcqClientError } from '@acquisition-store/client';
import { formatNumber } from '../model/number-text.ts';
import { type DroppedFile, readChosen } from './dropped.ts';

export type ChosenKind = 'file' | 'folder';

/** File System Access, where the browser has it: in pages of `https` and of this computer. */
interface Pickers {
  showOpenFilePicker?(options: { multiple: boolean }): Promise<FileSystemFileHandle[]>;
  showDirectoryPicker?(): Promise<FileSystemDirectoryHandle>;
}

/** A folder that holds an acquisition has fewer; that of all recordings of a year may have more. */
const MAX_FILES = 100_000;
/** Files that are looked at together. */
const AT_ONCE = 64;

/**
 * Shows the dialog of the browser for files, or for a folder. Call it for a click. Nothing is read of the files but their names and
 * sizes, and the page forgets them with the acquisition.
 * @throws AbortError when the user cancels; the dialog of a form then returns no files
 */
export async function chooseFiles(kind: ChosenKind): Promise<DroppedFile[]> {
  const pickers: Pickers = window as Pickers;
  try {
    if (kind === 'file' && pickers.showOpenFilePicker)
      return await readHandles((await pickers.showOpenFilePicker({ multiple: true })).map((file) => ['', file]));
    if (kind === 'folder' && pickers.showDirectoryPicker) {
      const folder = await pickers.showDirectoryPicker();
      return await readHandles(await filesBelow(folder));
    }
  } catch (error) {
    // Some pages may not use it, such as those in a frame of another site.
    if (!(error instanceof DOMException && error.name === 'SecurityError')) throw error;
  }
  return chooseInput(kind);
}

/** Shows the dialog of a form. Browsers say “upload” there, although nothing is sent. */
function chooseInput(kind: ChosenKind): Promise<DroppedFile[]> {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.webkitdirectory = kind === 'folder';
  return new Promise((resolve) => {
    input.addEventListener('change', () => resolve(readChosen(input.files ?? [])));
    input.addEventListener('cancel', () => resolve([]));
    input.click();
  });
}

type Found = [folder: string, file: FileSystemFileHandle];

async function filesBelow(root: FileSystemDirectoryHandle): Promise<Found[]> {
  const found: Found[] = [];
  const folders: [path: string, folder: FileSystemDirectoryHandle][] = [[`${root.name}/`, root]];
  for (const [path, folder] of folders) {
    for await (const entry of folder.values()) {
      if (found.length + folders.length >= MAX_FILES) throw tooMany(root.name);
      if (entry.kind === 'file') found.push([path, entry]);
      else folders.push([`${path}${entry.name}/`, entry]);
    }
  }
  return found;
}

function tooMany(name: string): AcqClientError {
  const hint = 'Choose the folder of one acquisition.';
  return new AcqClientError('unsupported_format', `${name} has more than ${formatNumber(MAX_FILES)} files.`, {
    hint,
  });
}

async function readHandles(found: readonly Found[]): Promise<DroppedFile[]> {
  const files: DroppedFile[] = [];
  for (let at = 0; at < found.length; at += AT_ONCE) {
    const some = found.slice(at, at + AT_ONCE);
    files.push(
      ...(await Promise.all(
        some.map(async ([path, file]) => ({ path: path + file.name, data: await file.getFile() })),
      )),
    );
  }
  return files;
}
