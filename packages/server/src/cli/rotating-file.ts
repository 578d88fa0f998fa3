import { closeSync, fstatSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * A text file that is rotated when it is full: `name`, `name.1` … `name.4`; the oldest is dropped. Writes are
 * synchronous, so that the last line before the process ends is on disk; a line takes a few microseconds.
 */
export class RotatingFile {
  readonly path: string;
  private readonly maxBytes: number;
  private readonly files: number;
  private fd: number;
  private bytes = 0;

  /** Creates the folder (0700) and the file (0600). @throws the system's error when that is not possible */
  constructor(path: string, maxBytes = 2_000_000, files = 5) {
    this.path = path;
    this.maxBytes = maxBytes;
    this.files = files;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.fd = this.reopen();
  }

  write(text: string): void {
    const data = Buffer.from(text);
    if (this.bytes > 0 && this.bytes + data.length > this.maxBytes) this.rotate();
    try {
      this.bytes += writeSync(this.fd, data);
    } catch {
      // A full disk must not stop the server; the terminal still shows the line.
    }
  }

  close(): void {
    closeSync(this.fd);
  }

  private reopen(): number {
    this.fd = openSync(this.path, 'a', 0o600);
    this.bytes = fstatSync(this.fd).size;
    return this.fd;
  }

  private rotate(): void {
    const current = statSync(this.path, { throwIfNoEntry: false });
    // Another server of this user may already have rotated the file; then only open the new one.
    const isCurrent = current?.ino === fstatSync(this.fd).ino;
    closeSync(this.fd);
    for (let i = this.files - 1; isCurrent && i >= 1; i--) {
      rename(i === 1 ? this.path : `${this.path}.${i - 1}`, `${this.path}.${i}`);
    }
    this.reopen();
  }
}

/** Renames a file. Windows refuses while another process has it open; then the file grows until the next attempt. */
function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {}
}
