/** Converts a canvas to PNG. */
export function canvasPng(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob);
      else reject(new Error('This browser could not make a PNG of that size. Save at a smaller size.'));
    }, 'image/png');
  });
}
