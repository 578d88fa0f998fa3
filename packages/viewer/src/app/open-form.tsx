import type { Signal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { usePage } from './context.ts';
import { looksLikePath, toPath } from './path-text.ts';
import type { Workspace } from './workspace.ts';

interface PathFormProps {
  readonly placeholder?: string;
  /** Keeps a path that could not be opened while the field is not there. */
  readonly kept?: Signal<string>;
  /** True for a field that takes the focus when it appears. */
  readonly hasFocus?: boolean;
  /** Called when a path is being opened. */
  readonly after?: () => void;
}

/** Not one of the acquisition beside the opened one, which would become the active one. */
const PICTURE = '[role="application"]:not([data-active="false"] *)';

/** Opens a file, and gives its picture the focus, which the field has lost; or lists a folder. */
async function openOrList(path: string, { open, ways }: Workspace): Promise<boolean> {
  if (!(await open({ path }))) return ways.browseTo(path);
  if (document.activeElement === document.body) document.querySelector<HTMLElement>(PICTURE)?.focus();
  return true;
}

/** A field for a path, which may have quotes, `file://` or the escaped spaces of a terminal. */
export function PathForm({ placeholder = 'Path of a file', kept, hasFocus = false, after }: PathFormProps) {
  const { workspace } = usePage();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (hasFocus) input.current?.select();
  }, [hasFocus]);
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
      if (kept) kept.value = path;
      after?.();
      void openOrList(path, workspace).then((opened) => {
        // Keep a path that could not be opened, so that it can be corrected, and anything typed in the meantime.
        if (opened && kept?.value === path) kept.value = '';
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
        defaultValue={kept?.value}
        placeholder={placeholder}
      />
      <button type="submit">Open path</button>
    </form>
  );
}
