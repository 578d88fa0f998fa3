import { Icon } from '../icons/icon.tsx';
import { usePage } from './context.ts';
import { Picture } from './picture.tsx';
import type { Tab } from './tab.ts';

/** The reference image, in the sidebar or, enlarged, in the place of the strips. */
export function ReferencePanel({ tab }: { tab: Tab }) {
  const { referenceEnlarged } = usePage();
  const reference = tab.document.reference.value;
  if (reference === null) return null;
  const isLarge = referenceEnlarged.value;
  return (
    <div class="app-reference">
      <button
        type="button"
        class="quiet icon"
        aria-label="Enlarge the reference"
        aria-pressed={isLarge}
        aria-keyshortcuts="Alt+R"
        title="Show the reference below the images, in place of the plots (Alt+R)"
        onClick={() => {
          referenceEnlarged.value = !isLarge;
        }}
      >
        <Icon name="enlarge" />
      </button>
      {isLarge ? <p class="app-muted">It is shown below the images.</p> : <Picture tab={tab} pane={reference} />}
    </div>
  );
}
