import { useEffect, useRef } from 'preact/hooks';
import { lutTable } from '../luts/luts.ts';

/** A color table as a strip, from its first color to its last. */
export function LutStrip({ lut, invert }: { readonly lut: string; readonly invert: boolean }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context) return;
    const table = lutTable(lut, invert);
    const image = context.createImageData(256, 1);
    for (let i = 0; i < 256; i++) {
      image.data.set(table.subarray(3 * i, 3 * i + 3), 4 * i);
      image.data[4 * i + 3] = 255;
    }
    context.putImageData(image, 0, 0);
  }, [lut, invert]);
  return <canvas ref={canvas} class="contrast-strip" width={256} height={1} />;
}
