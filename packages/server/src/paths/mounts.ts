import { readFileSync } from 'node:fs';
import { posix, win32 } from 'node:path';

/** Milliseconds. Reading the list takes longer than a look-up, and one open needs it several times. */
const FRESH_MS = 50;

/** The mount points of this machine. */
export class MountTable {
  private readonly platform: NodeJS.Platform;
  private readonly now: () => number;
  private readAt = Number.NEGATIVE_INFINITY;
  private text = Buffer.alloc(0);
  private points: readonly string[] = [];

  /** @param now returns milliseconds */
  constructor(platform: NodeJS.Platform, now = () => performance.now()) {
    this.platform = platform;
    this.now = now;
  }

  /**
   * Returns the mount points of a moment ago; none where the system has no list of them. Reads a file of the kernel, which
   * answers also when a mount hangs, and parses it when it has changed.
   */
  read(): readonly string[] {
    if (this.platform !== 'linux') return [];
    const now = this.now();
    if (now - this.readAt < FRESH_MS) return this.points;
    try {
      const text = readFileSync('/proc/self/mountinfo');
      if (!text.equals(this.text)) this.points = parseMountInfo(text.toString());
      this.text = text;
      this.readAt = now;
    } catch {
      return [];
    }
    return this.points;
  }
}

/** Mount points of `/proc/self/mountinfo` (proc(5)): the fifth field, blanks and backslashes in octal. */
export function parseMountInfo(text: string): string[] {
  const points = text.split('\n').flatMap((line) => line.split(' ')[4] ?? []);
  return points.map((point) =>
    point.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))),
  );
}

/**
 * The storage that an absolute path lies on, by its name alone: the closest mount point above it, a volume, a drive, a
 * share. Links on the way are for whoever follows them to ask about.
 */
export function storageOf(path: string, points: readonly string[], platform: NodeJS.Platform): string {
  if (platform === 'win32') return win32.parse(path).root.toLowerCase();
  if (platform === 'darwin') return /^\/(Volumes|Network)\/[^/]+/.exec(path)?.[0] ?? '/';
  let closest: string = posix.sep;
  for (const point of points) if (point.length > closest.length && isAbove(point, path)) closest = point;
  return closest;
}

/** The storages on the way to a path, the one that it lies on last. */
export function storagesTo(path: string, points: readonly string[], platform: NodeJS.Platform): string[] {
  const own = storageOf(path, points, platform);
  if (platform === 'win32') return [own];
  const parts = path.split('/');
  const above = parts.map((_, i) => storageOf(parts.slice(0, i + 1).join('/') || '/', points, platform));
  return [...new Set([...above.filter((storage) => storage !== own), own])];
}

function isAbove(point: string, path: string): boolean {
  if (!path.startsWith(point)) return false;
  return path.length === point.length || point.endsWith('/') || path[point.length] === '/';
}
