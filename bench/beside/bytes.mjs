// One plane by curl: ours, the reference, and nginx with the same bytes from disk.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { curlSpeed, startNginx } from '../processes.mjs';
import { exchange } from './client.mjs';
import { mib, quantile } from './figures.mjs';

/**
 * Prints a row for each file: GiB/s, the servers taking turns.
 * @param {import('./servers.mjs').Server[]} servers
 * @param {import('./files.mjs').Compared[]} files
 * @param {{ folder: string, port: number, rounds: number }} options where nginx takes its bytes from
 * @param {(text?: string) => void} say
 */
export async function bytesTable(servers, files, { folder, port, rounds }, say) {
  const nginx = startNginx(folder, port);
  const file = join(folder, 'plane.f32');
  say('| plane | MiB | ours, GiB/s | reference | nginx | ours ÷ reference | ours ÷ nginx |');
  say('|---|--:|--:|--:|--:|--:|--:|');
  try {
    for (const { name, path } of files) {
      const sessions = [];
      for (const { url } of servers)
        sessions.push({ url, ...(await exchange(url, 'POST', '/api/v2/open', { path })).body });
      const urls = sessions.map(({ url, channels }) => url + channels[0].dataUrl);
      execFileSync('curl', ['-s', '-o', file, urls[0]]);
      if (nginx) urls.push(`${nginx.url}/plane.f32`);
      const speeds = await takeTurns(urls, rounds);
      const [own, other, disk] = speeds.map((values) => quantile(values, 0.5));
      const rate = (value) => (value / 2 ** 30).toFixed(2);
      const share = (value) => (own / value).toFixed(2);
      const theirs = nginx ? [rate(disk), share(other), share(disk)] : ['not installed', share(other), '–'];
      say(`| ${[name, mib(sessions[0].channels[0].byteLength), rate(own), rate(other), ...theirs].join(' | ')} |`);
      for (const { url, sessionId } of sessions) await exchange(url, 'DELETE', `/api/v2/sessions/${sessionId}`);
    }
  } finally {
    nginx?.stop();
    rmSync(file, { force: true });
  }
  say();
}

/** @param {string[]} urls @param {number} rounds @returns {Promise<number[][]>} bytes a second of each */
async function takeTurns(urls, rounds) {
  const speeds = urls.map(() => []);
  for (let i = 0; i < rounds; i++) for (const [k, url] of urls.entries()) speeds[k].push(curlSpeed(url, 1));
  return speeds;
}
