import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { usePage } from './context.ts';
import { looksLikePath, toPaths } from './path-text.ts';
import type { Workspace } from './workspace.ts';

/** Text of a path is opened wherever it is dropped; a file cannot be, and is explained. */
export function DropZone() {
  const { workspace } = usePage();
  const over = useSignal(false);
  useEffect(() => {
    const dragover = (event: DragEvent) => {
      if (!brings(event.dataTransfer)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
      over.value = true;
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) over.value = false;
    };
    const drop = (event: DragEvent) => {
      over.value = false;
      if (!brings(event.dataTransfer) || event.dataTransfer === null) return;
      event.preventDefault();
      take(event.dataTransfer, workspace);
    };
    addEventListener('dragover', dragover);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', dragover);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [workspace]);
  return over.value ? <div class="app-drop">Drop the path of an acquisition</div> : null;
}

const TYPES = ['text/uri-list', 'text/plain'];

/** Not what is dragged within the page. */
function brings(transfer: DataTransfer | null): boolean {
  return transfer?.types.some((type) => type === 'Files' || TYPES.includes(type)) ?? false;
}

function take(transfer: DataTransfer, workspace: Workspace): void {
  for (const type of TYPES) {
    const paths = toPaths(transfer.getData(type)).filter(looksLikePath);
    if (paths.length === 0) continue;
    for (const path of paths) void workspace.open({ path });
    return;
  }
  const pick = { label: 'Open…', run: () => void workspace.pick('file') };
  const [file] = transfer.files;
  if (file) {
    workspace.notices.tell({
      message: `Browsers do not tell this page where ${file.name} lies, and the server reads files at their place.`,
      hint: 'Choose it with Open…, or paste its path.',
      action: pick,
    });
  } else {
    workspace.notices.tell({ message: 'What was dropped is not the path of a file.', action: pick });
  }
}
