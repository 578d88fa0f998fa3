import './measure.css';
import { useComputed } from '@preact/signals';
import { imageAreaOf } from '../image/pane-state.ts';
import type { AcquisitionDocument, Pane } from '../model/document.ts';
import { paneKey } from '../model/pane-key.ts';
import { followCurves } from './curves.ts';
import { profileTitle } from './describe.ts';
import { ProfilePlot } from './profile-plot.tsx';
import { SaveProfile } from './save-profile.tsx';
import { useFollow } from './use-follow.ts';

interface ProfileStripProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
}

/**
 * The profile along the horizontal axis of a pane, aligned with its first image, so that each value is below its
 * sample.
 */
export function ProfileStrip(props: ProfileStripProps) {
  const { transposed } = props.pane.orientation.value;
  return <Strip key={`${paneKey(props.pane)} ${transposed}`} {...props} along={transposed ? 'column' : 'row'} />;
}

function Strip({ document, pane, along }: ProfileStripProps & { readonly along: 'row' | 'column' }) {
  const { curves } = useFollow(() => followCurves(pane, along), [pane, along]);
  const area = imageAreaOf(pane);
  const window = useComputed(() => {
    const { x, width } = area.value?.view ?? { x: 0, width: 1 };
    return { from: x, to: x + width };
  });
  if (area.value === null) return null;
  const now = curves.value;
  const { left, width } = area.value;
  return (
    <section
      class="measure-strip"
      aria-label="Profile along the image"
      style={{ marginLeft: `${left}px`, width: `${width}px` }}
    >
      <div class="measure-line">
        <h3>{now ? profileTitle(pane, along, now.subject) : 'Point at the image or draw a region to see a profile'}</h3>
        <SaveProfile document={document} pane={pane} curves={curves} />
      </div>
      <ProfilePlot pane={pane} curves={curves} window={window} linked />
    </section>
  );
}
