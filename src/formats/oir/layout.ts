/** How the bands of one plane of one channel fit together. Pure. */

/** One pixel block. */
export interface Band {
  /** Which file of the set. */
  file: number;
  /** Offset of the first pixel byte in that file. */
  offset: number;
  /** Pixel bytes that the file has. */
  length: number;
  /** Pixel bytes that the tag announces; more than `length` where the file is cut off. */
  announced: number;
  /** Where the tag says that the band begins in its plane. */
  planeOffset: number;
  number: number;
}

export interface PlaneLayout {
  /** In plane order, without a hole up to `bytes`. */
  bands: Band[];
  /** Bytes of the plane from its start that are there without a hole. */
  bytes: number;
  /** Bytes that the bands span in all; more than `bytes` when something is missing between or at the end. */
  span: number;
}

/**
 * Orders the bands of one plane. Their offsets in the plane decide; where these overlap (some writers leave them 0, or
 * start again in every file) the band numbers do, and where those repeat the order in the file set does. A hole ends
 * the plane: what comes behind it has no place that is certain.
 */
export function layoutPlane(found: readonly Band[]): PlaneLayout {
  const bands = found.length > 1 ? [...found].sort((a, b) => a.planeOffset - b.planeOffset) : [...found];
  if (!overlaps(bands)) return upToHole(bands, (band) => band.planeOffset);
  const distinct = withoutRepeats(bands);
  if (!overlaps(distinct)) return upToHole(distinct, (band) => band.planeOffset);
  const numbered = [...found].sort((a, b) => a.file - b.file || a.number - b.number);
  if (risesInEveryFile(numbered)) return concatenated(numbered, true);
  return concatenated([...found], false);
}

function overlaps(sorted: readonly Band[]): boolean {
  let end = 0;
  for (const band of sorted) {
    if (band.planeOffset < end) return true;
    end = band.planeOffset + band.announced;
  }
  return false;
}

/** The same band written twice in one file: the later one counts, as with documents. */
function withoutRepeats(sorted: readonly Band[]): Band[] {
  const last = new Map<string, Band>();
  for (const band of sorted) last.set(`${band.file} ${band.planeOffset} ${band.announced} ${band.number}`, band);
  return [...last.values()];
}

function upToHole(sorted: Band[], place: (band: Band) => number): PlaneLayout {
  const bands: Band[] = [];
  let bytes = 0;
  let whole = true;
  let span = 0;
  for (const band of sorted) {
    span = place(band) + band.announced;
    whole &&= place(band) === bytes;
    if (!whole) continue;
    bands.push(band);
    bytes += band.length;
    whole = band.length === band.announced;
  }
  return { bands, bytes, span };
}

/** Numbers 0, 1, 2 … within each file, or on from the file before. */
function risesInEveryFile(sorted: readonly Band[]): boolean {
  return sorted.every((band, i) => {
    const before = sorted[i - 1];
    return !before || before.file !== band.file || band.number > before.number;
  });
}

function concatenated(ordered: Band[], byNumber: boolean): PlaneLayout {
  const bands: Band[] = [];
  let bytes = 0;
  let span = 0;
  let whole = true;
  for (const [i, band] of ordered.entries()) {
    const before = ordered[i - 1];
    span += band.announced;
    if (byNumber) whole &&= before ? follows(before, band) : band.number === 0;
    if (!whole) continue;
    bands.push(band);
    bytes += band.length;
    whole = band.length === band.announced;
  }
  return { bands, bytes, span };
}

function follows(before: Band, band: Band): boolean {
  if (band.number === before.number + 1) return true;
  return band.file !== before.file && band.number === 0;
}
