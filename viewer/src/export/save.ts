/** Gives a file to the user: where the browser has a dialog, in the folder of their choice; else as a download. */

interface FilePickerWindow {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

/** Between dialog and download: `dialog` must be asked for while the click still counts as the user's. */
export interface Destination {
  write(content: Blob): Promise<void>;
}

/** Null: the user closed the dialog. */
export async function chooseDestination(name: string): Promise<Destination | null> {
  const picker = (window as FilePickerWindow).showSaveFilePicker;
  if (picker === undefined) return { write: async (content) => download(name, content) };
  try {
    const handle = await picker.call(window, { suggestedName: name });
    return { write: (content) => writeTo(handle, content) };
  } catch (error) {
    if ((error as Error).name === 'AbortError') return null;
    // Refused in a frame or by policy; the download works there.
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
  // A browser may begin to read it some time after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
