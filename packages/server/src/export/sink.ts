import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** Bytes handed to the system at a time: some systems refuse more than 2 GiB. */
const PIECE_BYTES = 16 * 2 ** 20;

/** A new file that is written from its start. Errors are those of the system. */
export class FileSink {
  /** Bytes written so far: the position of the next `write`. */
  length = 0;
  private readonly fd: number;
  private readonly onPiece: (bytes: number) => void;
  private isOpen = true;

  /** @param onPiece called after each piece that was written, with its bytes */
  constructor(path: string, onPiece: (bytes: number) => void = () => {}) {
    this.fd = openSync(path, 'wx');
    this.onPiece = onPiece;
  }

  write(bytes: NodeJS.ArrayBufferView): void {
    this.put(bytes, this.length);
    this.length += bytes.byteLength;
  }

  /** Replaces bytes that were written before. */
  patch(position: number, bytes: NodeJS.ArrayBufferView): void {
    this.put(bytes, position);
  }

  /** Waits until the disk has the bytes, and closes the file. */
  finish(): void {
    fsyncSync(this.fd);
    this.close();
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    closeSync(this.fd);
  }

  private put(bytes: NodeJS.ArrayBufferView, position: number): void {
    for (let done = 0; done < bytes.byteLength; ) {
      const count = Math.min(PIECE_BYTES, bytes.byteLength - done);
      // A short write, on a disk that is nearly full, continues with the rest, which then fails.
      const written = writeSync(this.fd, bytes, done, count, position + done);
      done += written;
      this.onPiece(written);
    }
  }
}
