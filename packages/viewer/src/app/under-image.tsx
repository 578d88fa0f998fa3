import type { Signal } from '@preact/signals';
import { IconButton } from '../image/tool-buttons.tsx';
import { MarksTable } from '../measure/marks-table.tsx';
import { OverviewBar } from '../measure/overview-bar.tsx';
import { ProfileStrip } from '../measure/profile-strip.tsx';
import { SharedAxis } from '../measure/shared-axis.tsx';
import { VelocityStrip } from '../measure/velocity-strip.tsx';
import type { AcquisitionDocument } from '../model/document.ts';
import { paneKey } from '../model/pane-key.ts';
import { type Page, usePage } from './context.ts';
import { copyText } from './copy.ts';

interface ShownPanels {
  readonly profile: boolean;
  readonly velocity: boolean;
  readonly marks: boolean;
}

/** Returns which panels are shown under the source image: none where the reference is. The velocity is for line scans only. */
function shownPanels(page: Page, { source, reference }: AcquisitionDocument): ShownPanels {
  const { profileShown, velocityShown, marksShown, referenceEnlarged } = page;
  if (referenceEnlarged.value && reference.value !== null) return { profile: false, velocity: false, marks: false };
  const { lineScan } = source.value;
  return {
    profile: profileShown.value ?? lineScan,
    velocity: velocityShown.value && lineScan,
    marks: marksShown.value,
  };
}

/** Panels under the source image: profile, velocity, the overview of a line scan and the table of marks. */
export function UnderImage({ document }: { readonly document: AcquisitionDocument }) {
  const shown = shownPanels(usePage(), document);
  const pane = document.source.value;
  const active = document.pane.value;
  return (
    <div class="app-under" data-part="strips">
      {shown.velocity && <VelocityStrip key={paneKey(pane)} document={document} pane={pane} />}
      {shown.profile && <ProfileStrip document={document} pane={pane} />}
      {(shown.velocity || shown.profile) && <SharedAxis key={`axis ${paneKey(pane)}`} pane={pane} />}
      <OverviewBar key={`overview ${paneKey(pane)}`} pane={pane} />
      {shown.marks && <MarksTable key={`marks ${paneKey(active)}`} document={document} pane={active} copy={copyText} />}
    </div>
  );
}

/** Buttons that show and hide the panels. */
export function UnderImageButtons({ document }: { readonly document: AcquisitionDocument }) {
  const page = usePage();
  const { profileShown, velocityShown, marksShown } = page;
  const { profile, velocity, marks } = shownPanels(page, document);
  const show = (panel: Signal<boolean> | Signal<boolean | null>, shown: boolean) => {
    page.referenceEnlarged.value = false;
    panel.value = shown;
  };
  return (
    <>
      <IconButton
        icon="profile"
        label="Profile"
        hint="values along the image, under it"
        pressed={profile}
        act={() => show(profileShown, !profile)}
      />
      {document.source.value.lineScan && (
        <IconButton
          icon="velocity"
          label="Velocity"
          hint="of cells over time, computed in windows along the lines"
          pressed={velocity}
          act={() => show(velocityShown, !velocity)}
        />
      )}
      <IconButton
        icon="table"
        label="Marks"
        hint="table of the marks, under the image"
        pressed={marks}
        act={() => show(marksShown, !marks)}
      />
    </>
  );
}
