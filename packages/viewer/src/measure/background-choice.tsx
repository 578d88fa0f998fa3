import type { Pane } from '../model/document.ts';
import { isArea } from '../model/mark-kind.ts';
import { markName } from './marks.ts';

/** Chooses the region that is subtracted from all others. Trace and the table of marks share it. */
export function BackgroundChoice({ pane }: { readonly pane: Pane }) {
  const regions = pane.marks.value.filter(({ kind }) => isArea(kind));
  const chosen = regions.find(({ id }) => id === pane.background.value);
  return (
    <label class="marks-choice">
      Background{' '}
      <select
        name="background"
        value={chosen?.id ?? ''}
        disabled={regions.length === 0}
        onChange={(event) => {
          pane.background.value = event.currentTarget.value || null;
        }}
      >
        <option value="">none</option>
        {regions.map((mark) => (
          <option key={mark.id} value={mark.id}>
            {markName(mark)}
          </option>
        ))}
      </select>
    </label>
  );
}
