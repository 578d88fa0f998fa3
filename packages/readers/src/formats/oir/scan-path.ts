/** Parses the scanned line: `coordinates` elements of the image properties, in pixels of the reference image. */
import type { XmlElement } from '../../io/xml.js';

export interface RawPath {
  x: number[];
  y: number[];
  /** True when a text beside the coordinates calls the region a polyline or free line. */
  calledBent: boolean;
}

const BENT = /poly|free/i;
/** Real free lines have a few thousand vertices. */
const MAX_VERTICES = 100_000;
/** Ends closer than this meet: positions are written with a few digits. */
const TOUCH = 1e-3;

/**
 * Returns the scan paths of a document in its order. Real files have one `coordinates` element with the attributes
 * x1 y1 x2 y2, a straight line. Bent lines are read in the two forms that this schema allows: consecutive segments of
 * that kind under one parent, each starting where the last one ended, and a list of elements with x and y.
 */
export function parsePaths(root: XmlElement): RawPath[] {
  const paths: RawPath[] = [];
  const stack: { element: XmlElement; about: string }[] = [{ element: root, about: '' }];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { element, about } = top;
    const text = describe(element);
    for (const path of parseChildren(element, `${about} ${text}`)) paths.push(path);
    for (let i = element.children.length - 1; i >= 0; i--) {
      stack.push({ element: element.children[i]!, about: text });
    }
  }
  return paths;
}

function parseChildren(parent: XmlElement, about: string): RawPath[] {
  const paths: RawPath[] = [];
  let open: RawPath | undefined;
  for (const child of parent.children) {
    if (child.name !== 'coordinates') continue;
    const calledBent = BENT.test(about + describe(child));
    const listed = parsePoints(child);
    const segment = parseSegment(child);
    if (listed) paths.push({ ...listed, calledBent });
    if (listed || !segment) continue;
    if (open && meets(open, segment)) {
      open.x.push(segment[2]);
      open.y.push(segment[3]);
    } else {
      open = { x: [segment[0], segment[2]], y: [segment[1], segment[3]], calledBent };
      paths.push(open);
    }
  }
  return paths;
}

function meets(path: RawPath, [x, y]: readonly [number, number, number, number]): boolean {
  const dx = path.x.at(-1)! - x;
  const dy = path.y.at(-1)! - y;
  return path.x.length < MAX_VERTICES && Math.abs(dx) <= TOUCH && Math.abs(dy) <= TOUCH;
}

function parseSegment(element: XmlElement): [number, number, number, number] | undefined {
  const { x1, y1, x2, y2 } = element.attributes;
  const numbers = [x1, y1, x2, y2].map((text) => (text?.trim() ? Number(text) : Number.NaN));
  return numbers.every(Number.isFinite) ? (numbers as [number, number, number, number]) : undefined;
}

/** Parses children that each have an x and a y, as attributes or as elements; at least two. */
function parsePoints(element: XmlElement): { x: number[]; y: number[] } | undefined {
  const x: number[] = [];
  const y: number[] = [];
  for (const child of element.children.slice(0, MAX_VERTICES)) {
    const [px, py] = ['x', 'y'].map((axis) => {
      const text = child.attributes[axis] ?? child.children.find(({ name }) => name === axis)?.text;
      return text?.trim() ? Number(text) : Number.NaN;
    }) as [number, number];
    if (!Number.isFinite(px) || !Number.isFinite(py)) return undefined;
    x.push(px);
    y.push(py);
  }
  return x.length >= 2 ? { x, y } : undefined;
}

/** Returns attribute values and the texts of childless children, which include the type of a region. */
function describe(element: XmlElement): string {
  const texts = element.children.filter(({ children }) => children.length === 0).map(({ text }) => text.slice(0, 40));
  return [...Object.values(element.attributes), ...texts.slice(0, 20)].join(' ').slice(0, 2000);
}
