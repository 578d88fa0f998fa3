/** Writes a PDF of one page: objects, their places in the file, and what the page uses. */

export class PdfFile {
  private readonly parts: Uint8Array<ArrayBuffer>[] = [];
  private readonly offsets: number[] = [];
  private length = 0;

  constructor() {
    this.write('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n');
  }

  /** Adds an object, and returns its number. */
  add(dictionary: string, stream?: Uint8Array<ArrayBuffer>): number {
    this.offsets.push(this.length);
    const id = this.offsets.length;
    if (stream === undefined) {
      this.write(`${id} 0 obj\n${dictionary}\nendobj\n`);
      return id;
    }
    this.write(`${id} 0 obj\n${dictionary.replace(/>>$/, `/Length ${stream.length}>>`)}\nstream\n`);
    this.append(stream);
    this.write('\nendstream\nendobj\n');
    return id;
  }

  /** Ends the file; `catalog` is the number of its first object. */
  end(catalog: number): Blob {
    const start = this.length;
    const entries = this.offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
    const size = this.offsets.length + 1;
    this.write(
      `xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<</Size ${size}/Root ${catalog} 0 R>>\nstartxref\n${start}\n%%EOF\n`,
    );
    return new Blob(this.parts, { type: 'application/pdf' });
  }

  private write(text: string): void {
    this.append(Uint8Array.from(text, (letter) => letter.charCodeAt(0)));
  }

  private append(bytes: Uint8Array<ArrayBuffer>): void {
    this.parts.push(bytes);
    this.length += bytes.length;
  }
}

export async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
