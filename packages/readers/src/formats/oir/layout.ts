/** Arranges the bands of one plane of one channel. Pure. */

/** One pixel block. */
export interface BandBlock {
  /** Index of the file in the set. */
  file: number;
  /** Offset of the first pixel byte in that file. */
  offset: number;
  /** Pixel bytes that the file has. */
  length: number;
  /** Pixel bytes that the tag states; more than `length` where the file is truncated. */
  stated: number;
  /** Offset in the plane where the band starts, according to its tag. */
  planeOffset: number;
  number: number;
}

export interface PlaneLayout {
  /** In plane order, without a gap up to `bytes`. */
  bands: BandBlock[];
  /** Available bytes from the start of the plane to the first gap. */
  bytes: number;
  /** Bytes that the bands span in all; more than `bytes` when some are missing between them or at the end. */
  span: number;
}

/**
 * Orders the bands of one plane by their offsets in the plane. Where these overlap (some writers leave them 0, or start
 * again in every file), by the band numbers, and where those repeat, by the order in the file set. A gap ends the plane,
 * because the position of what follows is uncertain.
 */
export function layoutPlane(unordered: readonly BandBlock[]): PlaneLayout {
  const bands = [...unordered].sort((a, b) => a.planeOffset - b.planeOffset);
  if (!overlaps(bands)) return upToGap(bands);
  const distinct = withoutRepeats(bands);
  if (!overlaps(distinct)) return upToGap(distinct);
  const numbered = [...unordered].sort((a, b) => a.file - b.file || a.number - b.number);
  if (ascendsInEveryFile(numbered)) return concatenate(numbered, true);
  return concatenate([...unordered], false);
}

function overlaps(sorted: readonly BandBlock[]): boolean {
  let end = 0;
  for (const band of sorted) {
    if (band.planeOffset < end) return true;
    end = band.planeOffset + band.stated;
  }
  return false;
}

/** Keeps the later of the same band written twice in one file, as with documents. */
function withoutRepeats(sorted: readonly BandBlock[]): BandBlock[] {
  const last = new Map<string, BandBlock>();
  for (const band of sorted) last.set(`${band.file} ${band.planeOffset} ${band.stated} ${band.number}`, band);
  return [...last.values()];
}

function upToGap(sorted: readonly BandBlock[]): PlaneLayout {
  const bands: BandBlock[] = [];
  let bytes = 0;
  let contiguous = true;
  let span = 0;
  for (const band of sorted) {
    span = band.planeOffset + band.stated;
    contiguous &&= band.planeOffset === bytes;
    if (!contiguous) continue;
    bands.push(band);
    bytes += band.length;
    contiguous = band.length === band.stated;
  }
  return { bands, bytes, span };
}

/** True when the numbers ascend within each file: 0, 1, 2 …, or on from the previous file. */
function ascendsInEveryFile(sorted: readonly BandBlock[]): boolean {
  return sorted.every((band, i) => {
    const previous = sorted[i - 1];
    return !previous || previous.file !== band.file || band.number > previous.number;
  });
}

/** Joins bands one after the other; with `byNumber`, up to a gap in their numbers. */
function concatenate(ordered: BandBlock[], byNumber: boolean): PlaneLayout {
  const bands: BandBlock[] = [];
  let bytes = 0;
  let span = 0;
  let contiguous = true;
  for (const [i, band] of ordered.entries()) {
    const previous = ordered[i - 1];
    span += band.stated;
    if (byNumber) contiguous &&= previous ? follows(previous, band) : band.number === 0;
    if (!contiguous) continue;
    bands.push(band);
    bytes += band.length;
    contiguous = band.length === band.stated;
  }
  return { bands, bytes, span };
}

function follows(previous: BandBlock, band: BandBlock): boolean {
  if (band.number === previous.number + 1) return true;
  return band.file !== previous.file && band.number === 0;
}
