import './measure.css';
import { axesRoom } from '../image/paint-axes.ts';
import { imageAreaOf } from '../image/pane-state.ts';
import type { AcquisitionDocument, Pane } from '../model/document.ts';
import { paneKey } from '../model/pane-key.ts';
import { useRegionLabel } from '../model/region-label.ts';
import { followCurves } from './curves.ts';
import { profileTitle } from './describe.ts';
import { OwnScales } from './own-scales.tsx';
import { ProfileChart } from './profile-chart.tsx';
import { SaveProfile } from './save-profile.tsx';
import { useFollow } from './use-follow.ts';
import { useLast } from './use-last.ts';

/** Height of the plot, CSS pixels. */
const HEIGHT = 64;

interface ProfileStripProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
}

/**
 * The profile along the horizontal axis of a pane, aligned with its first image, so that each value is below its
 * sample. It has its height from the start, so that nothing moves when the pointer comes to the image.
 */
export function ProfileStrip(props: ProfileStripProps) {
  const { transposed } = props.pane.orientation.value;
  return <Strip key={`${paneKey(props.pane)} ${transposed}`} {...props} along={transposed ? 'column' : 'row'} />;
}

function Strip({ document, pane, along }: ProfileStripProps & { readonly along: 'row' | 'column' }) {
  const { curves } = useFollow(() => followCurves(pane, along), [pane, along]);
  const last = useLast(curves);
  const label = useRegionLabel('Profile along the image');
  const area = imageAreaOf(pane).value;
  if (area === null) return null;
  const now = last.value;
  // The vertical axis of the chart lies below that of the image.
  const left = Math.max(area.left, axesRoom().left);
  const right = axesRoom().right;
  return (
    <section
      class="measure-strip"
      aria-label={label}
      style={{ marginLeft: `${area.left - left}px`, width: `${left + area.width + right}px` }}
    >
      <ProfileChart
        {...{ pane, left, right }}
        curves={last}
        screen="x"
        height={HEIGHT}
        isAlone={false}
        heading={(legend) => (
          <div class="measure-line measure-heading" style={{ padding: `0 ${right}px 0 ${left}px` }}>
            <h3>
              {now ? profileTitle(pane, along, now.subject) : 'Point at the image or draw a region to see a profile'}
            </h3>
            {legend}
            <OwnScales pane={pane} curves={last} />
            <SaveProfile document={document} pane={pane} curves={last} />
          </div>
        )}
      />
    </section>
  );
}
