import { ContrastPanel } from '../contrast/contrast-panel.tsx';
import { MeasurePanel } from '../measure/measure-panel.tsx';
import { usePage } from './context.ts';
import { DetailsPanel, Warnings } from './details-panel.tsx';
import { ReferencePanel } from './reference-panel.tsx';
import { Section } from './section.tsx';
import { hasChoice, SelectionPanel } from './selection-panel.tsx';
import type { Tab } from './tab.ts';

export function SideBar({ tab }: { tab: Tab }) {
  const { dialog, luts, sideWidth, phone } = usePage();
  const sheet = phone.isNarrow.value ? phone.sheet.value : null;
  const closeSheet = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || sheet === null || event.defaultPrevented) return;
    phone.sheet.value = null;
    document.querySelector<HTMLElement>(`.app-sheet-bar [data-sheet="${sheet}"]`)?.focus();
  };
  const info = tab.document.info.value;
  return (
    <aside
      class="app-side"
      aria-label="Settings and details"
      onKeyDown={closeSheet}
      data-part={sheet === null ? 'panel' : 'sheet'}
      data-sheet={sheet ?? undefined}
      style={sideWidth.value === null || sheet !== null ? undefined : { width: `${sideWidth.value}px` }}
    >
      <Warnings tab={tab} />
      {hasChoice(info) && (
        <Section id="selection" title="Selection">
          <SelectionPanel key={tab.document.id} tab={tab} />
        </Section>
      )}
      <Section id="contrast" title="Channels and contrast">
        <ContrastPanel document={tab.document} luts={luts} />
      </Section>
      {tab.document.reference.value && (
        <Section id="reference" title="Reference">
          <ReferencePanel tab={tab} />
        </Section>
      )}
      <Section id="measure" title="Measure">
        <MeasurePanel
          document={tab.document}
          onCalibrate={() => {
            dialog.value = 'calibration';
          }}
        />
      </Section>
      <Section id="details" title="Details">
        <DetailsPanel tab={tab} />
      </Section>
    </aside>
  );
}
