import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { usePage } from './context.ts';
import { looksLikePath, toPaths } from './path-text.ts';
import type { Workspace } from './workspace.ts';

/** Opens a path that is dropped anywhere on the page, and explains why a dropped file cannot be opened. */
export function DropZone() {
  const { workspace } = usePage();
  const over = useSignal(false);
  useEffect(() => {
    const dragover = (event: DragEvent) => {
      if (!hasPathOrFile(event.dataTransfer)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
      over.value = true;
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) over.value = false;
    };
    const drop = (event: DragEvent) => {
      over.value = false;
      if (!hasPathOrFile(event.dataTransfer) || event.dataTransfer === null) return;
      event.preventDefault();
      openDropped(event.dataTransfer, workspace);
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
  return over.value ? <div class="app-drop">Drop the path of an acquisition here</div> : null;
}

const TYPES = ['text/uri-list', 'text/plain'];

/** False for what is dragged within the page. */
function hasPathOrFile(transfer: DataTransfer | null): boolean {
  return transfer?.types.some((type) => type === 'Files' || TYPES.includes(type)) ?? false;
}

function openDropped(transfer: DataTransfer, workspace: Workspace): void {
  for (const type of TYPES) {
    const paths = toPaths(transfer.getData(type)).filter(looksLikePath);
    if (paths.length === 0) continue;
    for (const path of paths) void workspace.open({ path });
    return;
  }
  const pick = { label: 'Open…', run: () => void workspace.pick('file') };
  const [file] = transfer.files;
  if (file) {
    workspace.notices.show({
      message: `The browser does not give this page the path of ${file.name}, which the server needs to open it.`,
      hint: 'Open it with Open…, or paste its path.',
      action: pick,
    });
  } else {
    workspace.notices.show({ message: 'The dropped text is not an absolute path.', action: pick });
  }
}
