// npm passes SIGTERM to the shell between it and its script, and no other signal; that shell does not pass it on. So a script
// that runs for long watches both, and stops when one of them has ended.
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';

const INTERVAL_MS = 250;

/** Sends SIGTERM to this process once npm, or the shell below it, has ended. Does nothing when npm did not start it. */
export function stopWithNpm() {
  const npm = process.env.npm_node_execpath;
  if (npm === undefined || process.platform === 'win32') return;
  const shell = process.ppid;
  const above = findNpm(shell, npm);
  const timer = setInterval(() => {
    if (process.ppid === shell && isAlive(above)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, INTERVAL_MS);
  timer.unref();
}

/**
 * Returns the process of npm: the parent of the shell, or the parent itself where the shell has replaced itself by the script.
 * @param {number} parent
 * @param {string} npm path of the Node that runs npm
 */
function findNpm(parent, npm) {
  try {
    if (readlinkSync(`/proc/${parent}/exe`) === realpathSync(npm)) return parent;
    const stat = readFileSync(`/proc/${parent}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // Without /proc: macOS, whose shell replaces itself.
    return parent;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
