/** Interfaces through which measuring and export extend the cards. */
import type { IconName } from '../icons/lucide.ts';
import type { AcquisitionDocument, ChannelView, Pane, ToolId } from './document.ts';
import type { PlanePoint, Point, Size } from './geometry.ts';
import type { DrawnShape } from './shapes.ts';

/** The card that a tool or overlay works on. */
export interface CardContext {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  /** Null on a composite card. */
  readonly channel: ChannelView | null;
  /** Size of the image area in CSS pixels. */
  readonly size: Size;
  toScreen(point: PlanePoint): Point;
  toPlane(point: Point): PlanePoint;
}

/** A request for the context menu of a card. */
export interface MenuRequest {
  readonly card: CardContext;
  /** Key of the card in its pane. */
  readonly cardKey: string;
  /** Where the menu opens, in CSS pixels of the window. */
  readonly at: Point;
  /** Point of the plane that was clicked; null when the menu was opened with a key. */
  readonly point: PlanePoint | null;
  /** Gets the focus back. */
  readonly stage: HTMLElement;
}

export interface Drag {
  move(point: PlanePoint, event: PointerEvent): void;
  end(point: PlanePoint, event: PointerEvent): void;
  /** Undoes the drag, after Escape or when the pointer was lost. */
  cancel(): void;
}

export interface Tool {
  readonly id: ToolId;
  readonly label: string;
  /** Explains the tool where the label is not enough. */
  readonly hint?: string;
  /** Tools of one group share a button of the toolbar, which shows the one that was used last. */
  readonly group?: 'region' | 'line';
  /** Letter that selects the tool. */
  readonly key: string;
  readonly icon: IconName;
  readonly cursor: string;
  /** Starts a drag. Null when the tool has nothing to do at this point; the card then pans or zooms. */
  begin(point: PlanePoint, event: PointerEvent, card: CardContext): Drag | null;
  /** Places the next point with the keyboard, and returns what is said of it to those who do not see it. */
  place?(pane: Pane, point: PlanePoint): string;
  /** Ends what waits for its next point; returns false when nothing does. */
  finish?(pane: Pane): boolean;
}

/**
 * Painted over the image, in CSS pixels of the image area. The card repaints when a signal that `paint` reads changes.
 */
export interface Overlay {
  readonly id: string;
  paint(context: CanvasRenderingContext2D, card: CardContext): void;
  /** Returns what a figure shows of it, in CSS pixels of the image area; absent for what belongs to the screen only. */
  shapes?(card: CardContext): readonly DrawnShape[];
}
