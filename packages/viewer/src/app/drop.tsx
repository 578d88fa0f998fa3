import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { readDropped } from '../files/dropped.ts';
import { isRoiName } from '../measure/pick-rois.ts';
import { usePage } from './context.ts';
import { takeRois } from './dropped-rois.ts';
import { fileLink, looksLikePath, toPaths } from './path-text.ts';
import { whereRead } from './privacy.ts';
import type { Workspace } from './workspace.ts';

/** Opens files, folders and paths that are dropped anywhere on the page. */
export function DropZone() {
  const { workspace } = usePage();
  const over = useSignal(false);
  useEffect(() => {
    const accept = (event: DragEvent) => {
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
  }, [workspace]);
  if (!over.value) return null;
  return (
    <div class="app-drop">
      <p>
        <strong>
          {workspace.server.isThere
            ? 'Drop files, a folder or a path to open them'
            : 'Drop files or a folder to open them'}
        </strong>
        <span>{whereRead(workspace.server.isThere)}</span>
      </p>
    </div>
  );
}

const TYPES = ['text/uri-list', 'text/plain'];

/** False for what is dragged within the page. */
function hasPathOrFile(transfer: DataTransfer | null): boolean {
  return transfer?.types.some((type) => type === 'Files' || TYPES.includes(type)) ?? false;
}

function openDropped(transfer: DataTransfer, workspace: Workspace): void {
  for (const text of [...TYPES.map((type) => transfer.getData(type)), fileLink(transfer.getData('text/html'))]) {
    const paths = toPaths(text).filter(looksLikePath);
    // The page cannot read ROIs by their path.
    if (paths.length === 0 || (paths.some(isRoiName) && transfer.types.includes('Files'))) continue;
    for (const path of paths) void workspace.open({ path });
    return;
  }
  if (transfer.types.includes('Files')) void workspace.ways.openDropped(takeRois(readDropped(transfer), workspace));
  else {
    const pick = { label: 'Open…', run: () => void workspace.ways.pick('file') };
    workspace.notices.show({ message: 'The dropped text is not an absolute path.', action: pick });
  }
}
