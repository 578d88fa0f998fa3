import { useRef } from 'preact/hooks';
import { Icon } from '../icons/icon.tsx';
import type { IconName } from '../icons/lucide.ts';
import { moveAlong, useOneStop } from '../image/one-stop.ts';
import { usePage } from './context.ts';
import type { SheetName } from './phone.ts';

const SHEETS: readonly { readonly id: SheetName; readonly label: string; readonly icon: IconName }[] = [
  { id: 'channels', label: 'Channels', icon: 'channels' },
  { id: 'measure', label: 'Measure', icon: 'region' },
  { id: 'file', label: 'File', icon: 'file' },
];

/** On a phone, the buttons that open parts of the sidebar as a sheet, and close them. */
export function SheetBar() {
  const { sheet } = usePage().phone;
  const root = useRef<HTMLDivElement>(null);
  useOneStop(root);
  return (
    <div
      ref={root}
      class="app-sheet-bar"
      data-part="sheet-bar"
      role="toolbar"
      aria-label="Settings and details"
      onKeyDown={moveAlong}
    >
      {SHEETS.map(({ id, label, icon }) => (
        <button
          key={id}
          type="button"
          class="quiet"
          data-sheet={id}
          aria-expanded={sheet.value === id}
          onClick={() => {
            sheet.value = sheet.value === id ? null : id;
          }}
        >
          <Icon name={icon} />
          {label}
        </button>
      ))}
    </div>
  );
}
