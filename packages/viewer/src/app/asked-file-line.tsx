import { Icon } from '../icons/icon.tsx';
import { visiblePath } from './asked-file.ts';
import { usePage } from './context.ts';

/** Shows the file that is named in the address, with a button that opens it. */
export function AskedFileLine() {
  const { asked } = usePage();
  const target = asked.pending.value;
  if (target === null) return null;
  return (
    <section class="app-notice app-asked" aria-label="File in the address">
      <p>
        The address of this page contains a file on the server’s computer. It has not been opened yet:
        <bdi>{visiblePath(target.path)}</bdi>
      </p>
      <button type="button" class="primary" onClick={() => void asked.accept()}>
        Open this file
      </button>
      <button
        type="button"
        class="quiet icon"
        aria-label="Do not open the file in the address"
        title="Do not open it"
        onClick={() => asked.dismiss()}
      >
        <Icon name="close" />
      </button>
    </section>
  );
}
