import { grouped } from '@acquisition-store/readers/base/wording.js';
import type { Progress } from '../export/index.js';
import { visible, visibleLines } from './visible.js';

/** Time between two changes of the line, in ms. */
const INTERVAL_MS = 100;

/** What `process.stderr` has. */
export interface ProgressStream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

interface Running {
  progress: Progress | undefined;
  startedAt: number;
}

/** Shows on a terminal how far an export is, in one line that is rewritten. Elsewhere only complete lines are written. */
export class ExportProgress {
  private readonly stream: ProgressStream;
  private readonly isLive: boolean;
  private readonly running = new Map<number, Running>();
  private names: readonly string[] = [];
  private shownAt = 0;
  private hasLine = false;

  constructor(stream: ProgressStream, { quiet = false } = {}) {
    this.stream = stream;
    this.isLive = !quiet && stream.isTTY === true;
  }

  /** @param names of all files */
  start(names: readonly string[]): void {
    this.names = names;
  }

  begin(index: number): void {
    this.running.set(index, { progress: undefined, startedAt: performance.now() });
    this.show();
  }

  update(index: number, progress: Progress): void {
    const running = this.running.get(index);
    if (running) running.progress = progress;
    this.show();
  }

  end(index: number): void {
    this.running.delete(index);
  }

  /** Writes a line that stays. */
  line(text: string): void {
    this.clear();
    this.stream.write(`${visibleLines(text)}\n`);
  }

  finish(): void {
    this.clear();
    this.running.clear();
  }

  private show(): void {
    const now = performance.now();
    if (!this.isLive || now - this.shownAt < INTERVAL_MS) return;
    this.shownAt = now;
    const [oldest] = this.running;
    if (!oldest) return;
    const [index, running] = oldest;
    const text = visible(describe(running, { index, name: this.names[index] ?? '', count: this.names.length }));
    this.stream.write(`\r\u001b[K${text.slice(0, (this.stream.columns ?? 80) - 1)}`);
    this.hasLine = true;
  }

  private clear(): void {
    if (!this.hasLine) return;
    this.stream.write('\r\u001b[K');
    this.hasLine = false;
  }
}

/** `2/14 scan.oir  plane 37/120  31 %  410 MB/s` */
function describe(
  { progress, startedAt }: Running,
  { index, name, count }: { index: number; name: string; count: number },
): string {
  const start = `${grouped(index + 1)}/${grouped(count)} ${name}`;
  if (!progress) return start;
  const { planes, planeCount, bytes } = progress;
  const seconds = Math.max(0.001, (performance.now() - startedAt) / 1000);
  const percent = Math.floor((100 * planes) / planeCount);
  const rate = Math.round(bytes / seconds / 1e6);
  return `${start}  plane ${grouped(planes)}/${grouped(planeCount)}  ${percent} %  ${grouped(rate)} MB/s`;
}
