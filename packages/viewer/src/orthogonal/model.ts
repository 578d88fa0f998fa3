/** The orthogonal views of a document: their panes, what keeps them filled, and what keeps them together. */
import type { OrthogonalPart, OrthogonalPicture } from '../image/orthogonal-part.ts';
import { paneState, visibleChannels } from '../image/pane-state.ts';
import type { Overlay } from '../model/extension.ts';
import type { MeasuredAxis } from '../model/measured-axis.ts';
import { type CrossPane, linkCross } from './cross.ts';
import { CrossSectionLines } from './cross-section-lines.ts';
import { alongOf, type CrossSectionShape, type Side, sectionPane } from './cross-section-pane.ts';
import { type CrossSection, type Cut, followSection, followSlab, sectionKey, sectionRange } from './cross-sections.ts';
import { CROSS } from './cross-tool.ts';
import { type Fill, fillSections } from './fill.ts';
import type { PicturesLayout } from './layout.ts';
import { notReadOverlay } from './not-read.ts';
import { linkViews } from './view-link.ts';
import { orthogonalSample, planeTitle, sectionTitle } from './words.ts';

export interface CrossSectionView extends CrossSection {
  readonly overlays: readonly Overlay[];
}

export interface OrthogonalModel {
  /** Unique to the model. */
  readonly id: number;
  readonly cut: Cut;
  readonly sections: readonly CrossSectionView[];
  /** Where the pictures lie; set by the component that shows them. */
  layout: PicturesLayout | null;
  /** Starts to read and to follow. Returns what it reads, and a function that stops it. */
  start(overlays: readonly Overlay[]): { readonly fill: Fill; stop(): void };
}

let created = 0;

export function createOrthogonal(
  cut: Cut,
  shape: Pick<CrossSectionShape, 'depth' | 'fit'>,
  times: MeasuredAxis | null,
): OrthogonalModel {
  const { source, third, stack } = cut;
  const orientation = source.orientation.peek();
  const sections = (['right', 'below'] as const).map((side): CrossSectionView => {
    const along = alongOf(side, orientation);
    const pane = sectionPane(source, { ...shape, side, along, third, times });
    const lines = new CrossSectionLines(third, pane.shape[1]);
    const range = sectionRange(cut, along);
    const visible = () => {
      void lines.version.value;
      return lines.missing(visibleChannels(source).map(({ index }) => index));
    };
    const overlays = [notReadOverlay(third, visible), CROSS];
    return { side, along, pane, lines, range, key: sectionKey(cut, range), overlays };
  });
  const panes: CrossPane[] = [{ pane: source }, ...sections.map(({ pane, along }) => ({ pane, along }))];
  created += 1;
  const model: OrthogonalModel = {
    id: created,
    cut,
    sections,
    layout: null,
    start(overlays) {
      const pictures = () => shownPictures(model, overlays);
      const part = (labels: OrthogonalPart['labels']): OrthogonalPart => ({
        plane: source,
        labels,
        read: () => orthogonalSample(cut, panes, sections),
        planeTitle: () => planeTitle(cut),
        pictures,
      });
      paneState(source).orthogonal.value = part({ left: true, bottom: false });
      for (const { side, pane } of sections) {
        paneState(pane).orthogonal.value = part({ left: side === 'below', bottom: true });
      }
      const fill = fillSections(cut, sections);
      const stops = [
        linkCross(source, panes, stack, third),
        linkViews(source, sections, stack, third),
        followSlab(cut),
        ...sections.map((section) => followSection(cut, section)),
        fill.stop,
        () => (paneState(source).orthogonal.value = null),
      ];
      return {
        fill,
        stop() {
          for (const stop of stops) stop();
        },
      };
    },
  };
  return model;
}

function shownPictures({ cut, sections, layout }: OrthogonalModel, overlays: readonly Overlay[]): OrthogonalPicture[] {
  if (layout === null) return [];
  const box = (side: Side) => layout[side];
  return [
    { pane: cut.source, title: planeTitle(cut), overlays, box: layout.plane },
    ...sections.map((section) => {
      const { pane, side } = section;
      return { pane, title: sectionTitle(cut, section), overlays: section.overlays, box: box(side) };
    }),
  ];
}
