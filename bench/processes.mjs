// Programs that run beside the measurement: our server, nginx, curl, cat.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';

/** Starts the server on `port` and waits until it answers. `keepsOutput` keeps what it prints, for `output()`. */
export async function startServer(
  root,
  folder,
  port,
  { flags = [], nodeFlags = [], env = {}, keepsOutput = false } = {},
) {
  const settings = ['--port', String(port), '--state-dir', join(folder, 'state'), ...flags];
  const child = spawn(
    process.execPath,
    [...nodeFlags, join(root, 'packages/server/dist/cli/main.js'), 'serve', ...settings],
    {
      stdio: ['ignore', keepsOutput ? 'pipe' : 'ignore', 'ignore'],
      env: { ...process.env, ...env },
    },
  );
  let output = '';
  child.stdout?.on('data', (part) => {
    output += part;
  });
  const url = `http://127.0.0.1:${port}`;
  for (let i = 0; ; i++) {
    if (await ok(`${url}/api/v2/health`)) break;
    if (i > 200) throw new Error('the server did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    pid: child.pid,
    rss: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) * 1024,
    peak: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) * 1024,
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
    /** Processor time of all threads. Those that have ended are not counted. */
    processorMs: () => {
      const tasks = `/proc/${child.pid}/task`;
      const times = readdirSync(tasks).map(
        (task) => readFileSync(join(tasks, task, 'schedstat'), 'utf8').split(' ')[0],
      );
      return times.reduce((sum, nanoseconds) => sum + Number(nanoseconds) / 1e6, 0);
    },
    output: () => output,
    threads: () => readdirSync(`/proc/${child.pid}/task`).length,
    stop: () => child.kill('SIGTERM'),
  };
}

function ok(url) {
  return new Promise((resolve) => {
    const req = request(url, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    req.on('error', () => resolve(false));
    req.end();
  });
}

/** nginx from the system, serving `folder` from disk; `undefined` when it is not installed. */
export function startNginx(folder, port) {
  const home = join(folder, 'nginx');
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const conf = join(home, 'nginx.conf');
  writeFileSync(
    conf,
    `daemon off; pid ${home}/pid; error_log ${home}/error.log; worker_processes 2;
events { worker_connections 64; }
http { access_log off; sendfile on; tcp_nopush on; client_body_temp_path ${home}; proxy_temp_path ${home};
fastcgi_temp_path ${home}; uwsgi_temp_path ${home}; scgi_temp_path ${home};
server { listen 127.0.0.1:${port}; root ${folder}; } }\n`,
  );
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const child = spawn('nginx', ['-c', conf, '-p', home], { stdio: 'ignore' });
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill('SIGTERM') };
}

/** Bytes a second that curl reports for one download, best of `rounds`. */
export function curlSpeed(url, rounds = 7) {
  let best = 0;
  for (let i = 0; i < rounds; i++) {
    const out = execFileSync('curl', ['-s', '-o', '/dev/null', '-w', '%{speed_download}', url], { encoding: 'utf8' });
    best = Math.max(best, Number(out));
  }
  return best;
}

/** Milliseconds of `cat FILE > /dev/null`, median. */
export function catTime(path, rounds = 5) {
  const times = [];
  for (let i = 0; i < rounds; i++) {
    const start = performance.now();
    execFileSync('sh', ['-c', 'cat "$1" | cat > /dev/null', 'sh', path]);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)];
}

/** One JSON request; `{ status, body, ms }`. */
export function call(method, url, body) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const req = request(url, { method, headers }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => {
        const bytes = Buffer.concat(parts);
        const isJson = response.headers['content-type']?.startsWith('application/json');
        const ms = performance.now() - start;
        resolve({ status: response.statusCode, body: isJson ? JSON.parse(bytes.toString()) : bytes, ms });
      });
    });
    req.on('error', reject);
    req.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
