// What bench/viewer.mjs runs in the browser: frames of pan, zoom and contrast of a plane of 200,000 lines of 512 samples.
import { createCanvasRenderer } from '../packages/viewer/src/render/canvas-renderer.ts';
import { createGlRenderer } from '../packages/viewer/src/render/gl/gl-renderer.ts';
import { createRenderer } from '../packages/viewer/src/render/renderer.ts';

const ROWS = 200_000;
const COLUMNS = 512;
const WIDTH = 1200;
const HEIGHT = 300;
const FRAMES = 40;

/** Noise with a slow wave, so that contrast and minification have something to do. */
export function plane() {
  const data = new Float32Array(ROWS * COLUMNS);
  let state = 1;
  for (let row = 0, i = 0; row < ROWS; row++) {
    const wave = 40 + 20 * Math.sin(row / 3000);
    for (let column = 0; column < COLUMNS; column++, i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      data[i] = Math.floor(wave + (state >>> 27));
    }
  }
  return data;
}

function card() {
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  document.body.replaceChildren(canvas);
  return canvas.getContext('2d', { alpha: false });
}

const HOME = { x: 0, y: 0, width: ROWS, height: COLUMNS };
const MOVEMENTS = {
  contrast: (i) => [HOME, 100 + i],
  'pan at home scale': (i) => [{ ...HOME, x: i * 500 }, 100],
  'pan at 30,000 lines': (i) => [{ ...HOME, x: i * 400, width: 30_000 }, 100],
  'zoom from all to 300 lines': (i) => {
    const width = ROWS * (300 / ROWS) ** (i / (FRAMES - 1));
    return [{ x: 90_000 * (1 - width / ROWS), y: 0, width, height: COLUMNS }, 100];
  },
};

/** Milliseconds of drawing and between animation frames, for each movement. */
async function measure(draw, frames = FRAMES) {
  const result = {};
  for (const [name, step] of Object.entries(MOVEMENTS)) {
    draw(...step(0));
    await new Promise((resolve) => setTimeout(resolve, 400));
    const times = [];
    const stamps = [];
    for (let i = 0; i < frames; i++) {
      stamps.push(await new Promise(requestAnimationFrame));
      const start = performance.now();
      draw(...step(i));
      times.push(performance.now() - start);
    }
    stamps.push(await new Promise(requestAnimationFrame));
    result[name] = { times, intervals: stamps.slice(1).map((stamp, i) => stamp - stamps[i]) };
  }
  return result;
}

export async function ours(kind, data) {
  const make = { chosen: createRenderer, webgl2: createGlRenderer, canvas: createCanvasRenderer }[kind];
  const renderer = make();
  const start = performance.now();
  let longest = 0;
  const watch = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  });
  watch.observe({ type: 'longtask' });
  const texture = renderer.addPlane(data, [ROWS, COLUMNS]);
  await texture.ready;
  const prepared = performance.now() - start;
  await new Promise((resolve) => setTimeout(resolve, 100));
  watch.disconnect();
  const context = card();
  const display = { lut: 'viridis', invert: false, min: 0, gamma: 1, visible: true, opacity: 1 };
  const movements = await measure((view, max) => {
    renderer.draw(context, {
      width: WIDTH,
      height: HEIGHT,
      view,
      orientation: { transposed: true, upward: true },
      layers: [{ texture, display: { ...display, max } }],
      marks: { clipping: false },
      ground: [0, 0, 0],
      live: true,
    });
  });
  renderer.dispose();
  return { kind: renderer.kind, prepared, longest, movements };
}

/**
 * As pages without a renderer do it: every sample through the colour table into an image as large as the plane, whenever
 * contrast changes; the browser scales that image. In strips, because a canvas of 200,000 pixels does not exist.
 */
export async function wholeImage(data) {
  const context = card();
  const strip = 50_000;
  const strips = Array.from({ length: ROWS / strip }, () => new OffscreenCanvas(strip, COLUMNS));
  let shown = -1;
  const render = (max) => {
    shown = max;
    strips.forEach((canvas, k) => {
      const image = new ImageData(strip, COLUMNS);
      const words = new Uint32Array(image.data.buffer);
      for (let row = 0; row < strip; row++) {
        for (let column = 0; column < COLUMNS; column++) {
          const value = data[(k * strip + row) * COLUMNS + column];
          const grey = Math.round(255 * Math.min(1, Math.max(0, value / max)));
          words[(COLUMNS - 1 - column) * strip + row] = 0xff000000 | (grey << 16) | (grey << 8) | grey;
        }
      }
      canvas.getContext('2d').putImageData(image, 0, 0);
    });
  };
  return measure((view, max) => {
    if (max !== shown) render(max);
    const scale = WIDTH / view.width;
    strips.forEach((canvas, k) => {
      context.drawImage(canvas, (k * strip - view.x) * scale, 0, strip * scale, HEIGHT);
    });
  }, 3);
}
