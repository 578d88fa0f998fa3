import { useId, useRef } from 'preact/hooks';
import { usePage } from './context.ts';
import { Icon } from './icons.tsx';
import { toPath } from './path-text.ts';

/** The dialogs of the computer that the server runs on. */
export function PickButtons({ primary = false }: { primary?: boolean }) {
  const { workspace } = usePage();
  return (
    <span class="app-pick">
      <button
        type="button"
        class={primary ? 'primary' : ''}
        aria-keyshortcuts="Control+O"
        title="Choose a file in the dialog of this computer (Ctrl+O)"
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

/** Enter opens; quotes, `file://` and the blanks of terminals are understood. */
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
        // What could not be opened stays to be mended; what was typed meanwhile stays as well.
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
