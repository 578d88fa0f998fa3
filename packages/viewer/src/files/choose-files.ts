import { type DroppedFile, readChosen } from './dropped.ts';

export type ChosenKind = 'file' | 'folder';

/** Shows the dialog of the browser for files, or for a folder. Returns none when the user cancels. Call it for a click. */
export function chooseFiles(kind: ChosenKind): Promise<DroppedFile[]> {
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
