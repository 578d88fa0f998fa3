import { Icon } from '../icons/icon.tsx';
import { toggleBeside } from './beside.ts';
import { usePage } from './context.ts';

/** The button next to the tabs. */
export function BesideButton() {
  const { beside, workspace } = usePage();
  return (
    <button
      type="button"
      class="quiet icon app-beside-button"
      aria-label="Side by side"
      aria-pressed={beside.pair.value !== null}
      aria-keyshortcuts="Alt+S"
      title="Show two acquisitions side by side (Alt+S)"
      onClick={() => toggleBeside({ beside, workspace })}
    >
      <Icon name="beside" />
    </button>
  );
}

/** The switch that links zoom and cursor of both acquisitions. */
export function LinkFiles() {
  const { linked } = usePage().beside;
  return (
    <button
      type="button"
      class="image-tool app-link-files"
      aria-pressed={linked.value}
      aria-label="Link files"
      aria-keyshortcuts="Alt+K"
      title="Same part and same cursor in both: in seconds and µm where both are calibrated, otherwise in samples (Alt+K)"
      onClick={() => {
        linked.value = !linked.value;
      }}
    >
      <Icon name="link" />
      <span class="image-tool-word">Link files</span>
    </button>
  );
}
