// One plane by curl: each server, and nginx with the same bytes from disk.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { curlSpeed, startNginx } from '../processes.mjs';
import { openedPlane } from './client.mjs';
import { mib } from './figures.mjs';
import { addRound, emptyRow } from './report.mjs';

/** @type {import('./report.mjs').Columns} */
export const BYTES = { title: 'plane', facts: ['MiB'], keys: ['plane'] };

/**
 * Milliseconds of one plane. nginx is a server named `nginx`, where it is installed.
 * @param {import('./servers.mjs').Server[]} servers
 * @param {import('./files.mjs').Compared[]} files
 * @param {{ folder: string, port: number, rounds: number }} options where nginx takes its bytes from
 * @returns {Promise<import('./report.mjs').Row[]>}
 */
export async function measureBytes(servers, files, { folder, port, rounds }) {
  const nginx = startNginx(folder, port);
  const began = performance.now();
  const disk = { name: 'nginx', age: () => (performance.now() - began) / 1000 };
  const file = join(folder, 'plane.f32');
  const rows = [];
  try {
    for (const { name, path } of files) {
      const planes = [];
      for (const server of servers) planes.push({ server, ...(await openedPlane(server, path)) });
      execFileSync('curl', ['-s', '-o', file, planes[0].url]);
      const row = emptyRow(name, [mib(planes[0].byteLength)]);
      const urls = planes.map(({ server, url }) => ({ server, url }));
      if (nginx) urls.push({ server: disk, url: `${nginx.url}/plane.f32` });
      for (let round = 0; round < rounds; round++)
        for (const { server, url } of urls)
          addRound(row, server, { plane: (planes[0].byteLength / curlSpeed(url, 1)) * 1000 });
      for (const { end } of planes) await end();
      rows.push(row);
    }
  } finally {
    nginx?.stop();
    rmSync(file, { force: true });
  }
  return rows;
}
