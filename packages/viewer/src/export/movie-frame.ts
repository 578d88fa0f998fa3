/** Draws the frames of a movie: the pictures of a pane at any time point or section, by the code that draws figures. */
import { LABEL_FONT, PILL, PILL_TEXT } from '../image/paint-shapes.ts';
import { paintPill } from '../image/pill.ts';
import type { Rect, Size } from '../model/geometry.ts';
import type { Samples } from '../model/samples.ts';
import { documentAxis, type Place, placeLabel, placeOf, projectionWords } from '../stack/place.ts';
import { drawPart, type PictureSource, paintCard, withLayers } from './card-picture.ts';
import { columnsOf } from './figure-choices.ts';
import type { MovieChoices } from './movie-choices.ts';
import { isFarCard, type ReadPlane, readPlanes, withPlanes } from './other-planes.ts';
import { type ChosenPicture, figurePictures } from './pane-figure.ts';

export interface MovieSource {
  readonly source: PictureSource;
  readonly choices: MovieChoices;
}

/** Where the pictures of every frame are, in pixels of the movie. */
export interface MovieLayout extends Size {
  readonly pictures: readonly (ChosenPicture & { readonly box: Rect })[];
}

/** Max width and height, which encoders of all browsers have. */
const MAX_SIDE = 4096;
const GAP = 4;
const STYLE = { font: LABEL_FONT, height: 20, padding: 7, ground: PILL, text: PILL_TEXT };

/** @throws Error when nothing is on screen, or the movie would be too large */
export function layoutMovie({ source: { pane }, choices }: MovieSource): MovieLayout {
  const pictures = figurePictures(pane, choices);
  const first = pictures[0];
  if (first === undefined) throw new Error('No image is on screen.');
  if (pictures.some(({ card }) => isFarCard(card))) {
    throw new Error('These planes are too large for a movie: the page has only parts of them.');
  }
  const count = pictures.length;
  const columns = columnsOf(choices.layout, count);
  const width = Math.max(2, Math.round(first.part.width * choices.zoom));
  const height = Math.max(2, Math.round(width * first.ratio));
  const placed = pictures.map((picture, i) => ({
    ...picture,
    box: { x: (i % columns) * (width + GAP), y: Math.floor(i / columns) * (height + GAP), width, height },
  }));
  const size = {
    width: columns * (width + GAP) - GAP,
    height: Math.ceil(count / columns) * (height + GAP) - GAP,
  };
  if (size.width > MAX_SIDE || size.height > MAX_SIDE) {
    throw new Error(
      `A movie of ${size.width} × ${size.height} pixels is larger than ${MAX_SIDE} pixels. Choose a smaller size.`,
    );
  }
  return { ...size, pictures: placed };
}

/** Returns the place of a frame. */
export function placeAt({ source, choices }: MovieSource, index: number): Place {
  return { ...placeOf(source.document.info.peek()), [choices.dim]: index };
}

/** Reads the planes of all pictures of a frame, by channel. */
export function readFrame(
  { pictures }: MovieLayout,
  place: Place,
  read: ReadPlane,
  stopped: AbortSignal,
): Promise<ReadonlyMap<number, Samples>> {
  return readPlanes(
    pictures.flatMap(({ card }) => card.channels),
    place,
    read,
    stopped,
  );
}

/** Draws a frame onto a canvas that has the size of the movie. */
export async function drawFrame(
  context: CanvasRenderingContext2D,
  movie: MovieSource,
  layout: MovieLayout,
  place: Place,
  planes: ReadonlyMap<number, Samples>,
): Promise<void> {
  const { source, choices } = movie;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = '#000';
  context.fillRect(0, 0, layout.width, layout.height);
  const unit = unitOf(layout);
  // A projection says so in the corner.
  const below = projectionWords(source.document.info.peek()) === '' ? 8 : 34;
  for (const { card, part, box } of layout.pictures) {
    const shown = withPlanes(source, card, planes);
    await withLayers(shown.source, shown.card, part, async (layers) =>
      drawPart(shown.source, layers, context, part, box, box),
    );
    const area = { width: box.width / unit, height: box.height / unit };
    context.save();
    context.beginPath();
    context.rect(box.x, box.y, box.width, box.height);
    context.clip();
    context.transform(unit, 0, 0, unit, box.x, box.y);
    paintCard(context, { ...source, withMarks: choices.marks }, { card, view: part, area, scaleBar: choices.scaleBar });
    if (layout.pictures.length > 1) paintPill(context, card.name, { x: 8, y: below }, STYLE);
    context.restore();
  }
  if (!choices.stamp) return;
  const first = layout.pictures[0]!.box;
  context.setTransform(unit, 0, 0, unit, 0, 0);
  paintPill(context, stampText(movie, place), { x: first.width / unit - 8, y: 8, align: 'right' }, STYLE);
  context.setTransform(1, 0, 0, 1, 0, 0);
}

/** Returns pixels of the movie per unit, so that text has the same share of large pictures, and is legible on small ones. */
function unitOf({ pictures }: MovieLayout): number {
  const { width, height } = pictures[0]!.box;
  const side = Math.min(width, height);
  return side < 200 ? Math.max(0.6, side / 200) : Math.max(1, side / 360);
}

/** Returns what is written on a frame. */
export function stampText({ source, choices }: MovieSource, place: Place): string {
  return placeLabel(documentAxis(source.document, choices.dim), place[choices.dim]);
}
