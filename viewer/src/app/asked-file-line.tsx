import { visiblePath } from './asked-file.ts';
import { usePage } from './context.ts';
import { Icon } from './icons.tsx';

/** The address names a file: its path is shown, and a click opens it. */
export function AskedFileLine() {
  const { asked } = usePage();
  const wish = asked.wish.value;
  if (wish === null) return null;
  return (
    <section class="app-notice app-asked" aria-label="File named by the address">
      <p>
        The address of this page names a file on the server’s computer. It has not been opened yet:
        <bdi>{visiblePath(wish.path)}</bdi>
      </p>
      <button type="button" class="primary" onClick={() => void asked.accept()}>
        Open this file
      </button>
      <button
        type="button"
        class="quiet icon"
        aria-label="Do not open the file named by the address"
        title="Do not open it"
        onClick={() => asked.dismiss()}
      >
        <Icon name="close" />
      </button>
    </section>
  );
}
