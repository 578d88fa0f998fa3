/** The scanned line: `coordinates` elements of the image properties, in pixels of the reference image. */
import type { XmlElement } from '../../io/xml.js';

export interface RawPath {
  x: number[];
  y: number[];
  /** A text beside the coordinates calls the region a polyline or free line. */
  calledBent: boolean;
}

const BENT = /poly|free/i;
/** Vertices of a free line are a few thousand at most. */
const MAX_VERTICES = 100_000;
/** Ends that meet: positions are written with some digits only. */
const TOUCH = 1e-3;

/**
 * Every scan path of the document, in its order. Known from real files: one `coordinates` element with the attributes
 * x1 y1 x2 y2, a straight line. Bent lines are understood in the two forms that this schema allows for: consecutive
 * segments of that kind under one parent, each beginning where the last one ended, and a list of elements with x and y.
 */
export function pathsOf(root: XmlElement): RawPath[] {
  const paths: RawPath[] = [];
  const stack: { element: XmlElement; about: string }[] = [{ element: root, about: '' }];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { element, about } = top;
    const own = describe(element);
    for (const path of pathsUnder(element, `${about} ${own}`)) paths.push(path);
    for (let i = element.children.length - 1; i >= 0; i--) {
      stack.push({ element: element.children[i] as XmlElement, about: own });
    }
  }
  return paths;
}

function pathsUnder(parent: XmlElement, about: string): RawPath[] {
  const paths: RawPath[] = [];
  let open: RawPath | undefined;
  for (const child of parent.children) {
    if (child.name !== 'coordinates') continue;
    const calledBent = BENT.test(about + describe(child));
    const listed = pointsOf(child);
    const segment = segmentOf(child);
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

function meets(path: RawPath, [x, y]: readonly number[]): boolean {
  const dx = (path.x.at(-1) as number) - (x as number);
  const dy = (path.y.at(-1) as number) - (y as number);
  return path.x.length < MAX_VERTICES && Math.abs(dx) <= TOUCH && Math.abs(dy) <= TOUCH;
}

function segmentOf(element: XmlElement): [number, number, number, number] | undefined {
  const { x1, y1, x2, y2 } = element.attributes;
  const numbers = [x1, y1, x2, y2].map((text) => (text?.trim() ? Number(text) : Number.NaN));
  return numbers.every(Number.isFinite) ? (numbers as [number, number, number, number]) : undefined;
}

/** Children that each have an x and a y, as attributes or as elements; at least two. */
function pointsOf(element: XmlElement): { x: number[]; y: number[] } | undefined {
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

/** Attribute values and the texts of childless children: where a region says its type. */
function describe(element: XmlElement): string {
  const texts = element.children.filter(({ children }) => children.length === 0).map(({ text }) => text.slice(0, 40));
  return [...Object.values(element.attributes), ...texts.slice(0, 20)].join(' ').slice(0, 2000);
}
