// Runs the control page of the desktop application from source, without a window: prints its address, until Ctrl-C.
// With --picture FILE it makes the picture of docs/desktop.md instead. Build first: docs/desktop.md says how.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const DESKTOP = join(dirname(fileURLToPath(import.meta.url)), '..');
const ROOT = join(DESKTOP, '..', '..');
const { values } = parseArgs({ options: { picture: { type: 'string' } } });
/** @type {{ startSupervisor: import('../src/interfaces.js').StartSupervisor }} */
const { startSupervisor } = await import(join(DESKTOP, 'dist', 'supervisor', 'index.js'));

const folder = mkdtempSync(join(tmpdir(), 'acqstore-window-'));
// Not the port of a server that may be running.
writeFileSync(join(folder, 'settings.json'), '{ "port": 8799 }\n');
const supervisor = await startSupervisor({
  serverProgram: {
    command: process.execPath,
    args: [join(ROOT, 'packages', 'server', 'dist', 'cli', 'main.js'), 'serve'],
  },
  stateDir: folder,
  settingsFile: join(folder, 'settings.json'),
  logFile: join(folder, 'acqstore.log'),
  version: JSON.parse(readFileSync(join(ROOT, 'packages', 'server', 'package.json'), 'utf8')).version,
  assets: readAsset,
  onQuit: () => void end(),
});
if (values.picture === undefined) {
  console.log(supervisor.url);
  process.once('SIGINT', () => void end());
} else {
  await takePicture(supervisor.url, values.picture);
  await end();
}

async function end() {
  await supervisor.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** @param {string} name */
function readAsset(name) {
  try {
    return readFileSync(join(DESKTOP, 'page', 'dist', name));
  } catch {
    return undefined;
  }
}

/**
 * @param {string} url
 * @param {string} file
 */
async function takePicture(url, file) {
  const { chromium } = await import('playwright-core');
  const sample = join(folder, 'vessel-kymograph.ome.tif');
  copyFileSync(join(ROOT, 'examples', 'vessel-kymograph.ome.tif'), sample);
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const page = await browser.newPage({
    viewport: { width: 900, height: 600 },
    deviceScaleFactor: 2,
    colorScheme: 'light',
  });
  await page.goto(url);
  await page.getByText(/^Answers in/).waitFor();
  await supervisor.openFile(sample);
  await page.getByRole('button', { name: /^vessel-kymograph/ }).waitFor();
  await page.screenshot({ path: file });
  await browser.close();
}
