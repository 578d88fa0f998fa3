import { useId, useRef } from 'preact/hooks';
import { Icon } from '../icons/icon.tsx';
import { usePage } from './context.ts';
import { looksLikePath, toPath } from './path-text.ts';

/** Buttons that open the file dialog on the server's computer, or the list of its folders, and files beside the shown one. */
export function PickButtons() {
  const { ways } = usePage().workspace;
  return (
    <span class="app-pick">
      <button
        type="button"
        aria-keyshortcuts="Control+O"
        title="Choose a file (Ctrl+O)"
        onClick={() => void ways.pick('file')}
      >
        Open…
      </button>
      {ways.offers('folders') ? (
        <>
          <button
            type="button"
            class="icon"
            aria-label="Browse folders"
            title="List the folders of the server's computer in this page"
            onClick={ways.browse}
          >
            <Icon name="folder" />
          </button>
          <StepButton step={-1} label="Previous file in the folder" keys="Alt+ArrowUp" sign="↑" />
          <StepButton step={1} label="Next file in the folder" keys="Alt+ArrowDown" sign="↓" />
        </>
      ) : (
        <button
          type="button"
          class="icon"
          aria-label="Open a folder…"
          title="Open a folder: OME-Zarr, Bruker Prairie View (Ctrl+Shift+O)"
          onClick={() => void ways.pick('folder')}
        >
          <Icon name="folder" />
        </button>
      )}
    </span>
  );
}

function StepButton({ step, label, keys, sign }: { step: 1 | -1; label: string; keys: string; sign: string }) {
  const { ways } = usePage().workspace;
  return (
    <button
      type="button"
      class="icon"
      aria-label={label}
      aria-keyshortcuts={keys}
      title={`${label} (Alt+${sign})`}
      onClick={() => void ways.openNeighbor(step)}
    >
      <Icon name={step > 0 ? 'next' : 'previous'} />
    </button>
  );
}

/** A field for a path, which may have quotes, `file://` or the escaped spaces of a terminal. */
export function PathForm({ placeholder = 'Path of a file' }: { placeholder?: string }) {
  const { workspace } = usePage();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const submit = (event: Event) => {
    event.preventDefault();
    const path = toPath(input.current?.value ?? '');
    if (path === '') input.current?.focus();
    else if (!looksLikePath(path)) {
      workspace.notices.show({
        kind: 'error',
        message: `“${path}” is only a part of a path.`,
        hint: 'Type all of it, such as /data/scan.oir, ~/scan.oir or C:\\data\\scan.oir.',
      });
    } else {
      if (input.current) input.current.value = path;
      void workspace.open({ path }).then((opened) => {
        // Keep a path that could not be opened, so that it can be corrected, and anything typed in the meantime.
        if (opened && input.current?.value === path) input.current.value = '';
      });
    }
  };
  return (
    <form class="app-path" onSubmit={submit}>
      <label class="visually-hidden" for={id}>
        Path of a file or folder
      </label>
      <input
        id={id}
        ref={input}
        name="path"
        type="text"
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
      />
      <button type="submit">Open path</button>
    </form>
  );
}
