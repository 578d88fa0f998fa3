import { useId, useRef } from 'preact/hooks';
import { Icon } from '../icons/icon.tsx';
import { usePage } from './context.ts';
import { toPath } from './path-text.ts';

/** Buttons that open the file dialog on the server's computer. */
export function PickButtons({ primary = false }: { primary?: boolean }) {
  const { workspace } = usePage();
  return (
    <span class="app-pick">
      <button
        type="button"
        class={primary ? 'primary' : ''}
        aria-keyshortcuts="Control+O"
        title="Choose a file in the file dialog (Ctrl+O)"
        onClick={() => void workspace.pick('file')}
      >
        Open…
      </button>
      <button
        type="button"
        class="icon"
        aria-label="Open a folder…"
        title="Open a folder: OME-Zarr, Bruker PrairieView (Ctrl+Shift+O)"
        onClick={() => void workspace.pick('folder')}
      >
        <Icon name="folder" />
      </button>
    </span>
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
    else {
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
