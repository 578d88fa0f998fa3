/** Where measuring and export hook into the cards without the cards knowing them. */
import type { AcquisitionDocument, ChannelView, Pane, ToolId } from './document.ts';
import type { PlanePoint, Point, Size } from './geometry.ts';

/** One card as tools and overlays see it. */
export interface CardContext {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  /** Null on a composite card. */
  readonly channel: ChannelView | null;
  /** Of the image area, in CSS pixels. */
  readonly size: Size;
  toScreen(point: PlanePoint): Point;
  toPlane(point: Point): PlanePoint;
}

export interface Drag {
  move(point: PlanePoint, event: PointerEvent): void;
  end(point: PlanePoint, event: PointerEvent): void;
  /** Escape, or the pointer was lost: as if it had not begun. */
  cancel(): void;
}

export interface Tool {
  readonly id: ToolId;
  readonly label: string;
  /** Single letter that selects it. */
  readonly key: string;
  /** Path data of a 16 × 16 icon, stroked. */
  readonly icon: string;
  readonly cursor: string;
  /** Null: not for this place; the card pans or zooms. */
  begin(point: PlanePoint, event: PointerEvent, card: CardContext): Drag | null;
}

/** Drawn over the image, in CSS pixels of the image area. Reads signals; the card repaints when they change. */
export interface Overlay {
  readonly id: string;
  paint(context: CanvasRenderingContext2D, card: CardContext): void;
}
