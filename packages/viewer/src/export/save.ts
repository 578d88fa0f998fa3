/** Saves a file: in a folder that the user chooses if the browser has a dialog for that, otherwise as a download. */

interface FilePickerWindow {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

/** Where a file will be written. It is chosen first, because browsers only show the dialog right after a click. */
interface Destination {
  write(content: Blob): Promise<void>;
}

/** Returns null when the user has closed the dialog. */
export async function chooseDestination(name: string): Promise<Destination | null> {
  const picker = (window as FilePickerWindow).showSaveFilePicker;
  if (picker === undefined) return { write: async (content) => download(name, content) };
  try {
    const handle = await picker.call(window, { suggestedName: name });
    return { write: (content) => writeTo(handle, content) };
  } catch (error) {
    if ((error as Error).name === 'AbortError') return null;
    // Frames and policies can forbid the dialog; a download still works.
    return { write: async (content) => download(name, content) };
  }
}

async function writeTo(handle: FileSystemFileHandle, content: Blob): Promise<void> {
  const stream = await handle.createWritable();
  await stream.write(content);
  await stream.close();
}

function download(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // Some browsers start reading it only some time after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
