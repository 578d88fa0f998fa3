// Child process of run.mjs: one file through the library, without a server. Prints one JSON line.
//   node bench/library.mjs time FILE      open, first plane, all planes, and the bare read + Float32Array.set beside them
//   node bench/library.mjs memory FILE    growth of the resident set while plane 0 is read
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { Float32Target } from '../packages/readers/dist/model/samples/plane-target.js';
import { openAcquisition } from '../packages/server/dist/open.js';

const [mode, path, rounds = '7'] = process.argv.slice(2);
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function timed(work) {
  const start = performance.now();
  const result = await work();
  return { ms: performance.now() - start, result };
}

async function readPlanes(opened, count) {
  const [scene] = opened.acquisition.info.scenes;
  for (let channel = 0; channel < count; channel++) {
    const target = new Float32Target(scene.sizes.Y, scene.sizes.X);
    await opened.acquisition.readPlane({ scene: 0, channel, t: 0, z: 0 }, target);
  }
}

/** The least that any reader must do: the planes' bytes read in pieces, and widened. */
function bare(bytes, planes) {
  const fd = openSync(path, 'r');
  const from = Math.max(0, fstatSync(fd).size - bytes * planes);
  const piece = new Uint8Array(2 ** 21);
  for (let plane = 0; plane < planes; plane++) {
    const out = new Float32Array(bytes / 2);
    for (let done = 0; done < bytes; done += piece.length) {
      const n = Math.min(piece.length, bytes - done);
      readSync(fd, piece, 0, n, from + plane * bytes + done);
      out.set(new Uint16Array(piece.buffer, 0, n / 2), done / 2);
    }
  }
  closeSync(fd);
}

if (mode === 'time') {
  const rows = { open: [], first: [], all: [], bare: [] };
  let planes = 1;
  let bytes = 0;
  for (let i = 0; i < Number(rounds); i++) {
    const open = await timed(() => openAcquisition(path));
    const [scene] = open.result.acquisition.info.scenes;
    planes = scene.channels.length;
    bytes = scene.sizes.Y * scene.sizes.X * 2;
    rows.open.push(open.ms);
    rows.first.push((await timed(() => readPlanes(open.result, 1))).ms);
    rows.all.push((await timed(() => readPlanes(open.result, planes))).ms);
    open.result.close();
    rows.bare.push((await timed(() => bare(bytes, planes))).ms);
  }
  const result = Object.fromEntries(Object.entries(rows).map(([key, values]) => [key, median(values)]));
  console.log(JSON.stringify({ ...result, coldOpen: rows.open[0], coldAll: rows.all[0], planes, bytes }));
}

if (mode === 'memory') {
  const peak = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
  const opened = await openAcquisition(path);
  const [scene] = opened.acquisition.info.scenes;
  const before = process.memoryUsage().rss;
  const target = new Float32Target(scene.sizes.Y, scene.sizes.X);
  await opened.acquisition.readPlane({ scene: 0, channel: 0, t: 0, z: 0 }, target);
  console.log(JSON.stringify({ growth: peak() - before, planeBytes: target.data.byteLength }));
  opened.close();
}
