/** Writes ROI files of ImageJ by the layout in `ij.io.RoiDecoder`. Independent of the reader on purpose. */

export interface RoiSpec {
  /** As in the file: 0 polygon, 1 rectangle, 2 oval, 3 line, 4 freeline, 5 polyline, 7 freehand, 8 traced, 9 angle, 10 point. */
  type: number;
  /** Top, left, bottom, right. */
  bounds: readonly [number, number, number, number];
  /** x and y from the left and top. */
  points?: readonly (readonly [number, number])[];
  /** x and y of each point with subpixel resolution. */
  fine?: readonly (readonly [number, number])[];
  /** The four numbers at 18: ends of a line, or x, y, width and height. */
  floats?: readonly number[];
  options?: number;
  subtype?: number;
  arc?: number;
  shapeSize?: number;
  position?: number;
  /** Written instead of the true number of points. */
  count?: number;
  second?: { c?: number; z?: number; t?: number; name?: string; width?: number };
}

export function roiBytes(spec: RoiSpec): Uint8Array<ArrayBuffer> {
  const { points = [], fine = [], floats = [], second } = spec;
  const n = Math.max(points.length, fine.length);
  const body = 4 * n + 8 * fine.length;
  const name = second?.name ?? '';
  const view = new DataView(new ArrayBuffer(64 + body + (second ? 64 + 2 * name.length : 0)));
  for (const [i, letter] of [...'Iout'].entries()) view.setUint8(i, letter.charCodeAt(0));
  view.setInt16(4, 227);
  view.setUint8(6, spec.type);
  for (const [i, value] of spec.bounds.entries()) view.setInt16(8 + 2 * i, value);
  view.setUint16(16, spec.count ?? n);
  for (const [i, value] of floats.entries()) view.setFloat32(18 + 4 * i, value);
  view.setInt32(36, spec.shapeSize ?? 0);
  view.setInt16(48, spec.subtype ?? 0);
  view.setInt16(50, (spec.options ?? 0) | (fine.length > 0 ? 128 : 0));
  view.setInt16(54, spec.arc ?? 0);
  view.setInt32(56, spec.position ?? 0);
  for (const [i, [x, y]] of points.entries()) {
    view.setInt16(64 + 2 * i, x);
    view.setInt16(64 + 2 * n + 2 * i, y);
  }
  for (const [i, [x, y]] of fine.entries()) {
    view.setFloat32(64 + 4 * n + 4 * i, x);
    view.setFloat32(64 + 8 * n + 4 * i, y);
  }
  if (second) {
    const at = 64 + body;
    view.setInt32(60, at);
    view.setInt32(at + 4, second.c ?? 0);
    view.setInt32(at + 8, second.z ?? 0);
    view.setInt32(at + 12, second.t ?? 0);
    view.setInt32(at + 16, at + 64);
    view.setInt32(at + 20, name.length);
    view.setFloat32(at + 36, second.width ?? 0);
    for (let i = 0; i < name.length; i++) view.setUint16(at + 64 + 2 * i, name.charCodeAt(i));
  }
  return new Uint8Array(view.buffer);
}
