/** WebKitGTK's MiniBrowser on a virtual screen, driven by selenium-webdriver. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Builder, Capabilities, Key, Origin, type WebDriver } from 'selenium-webdriver';
import { programPath, startDesktop, until } from '../desktop.js';
import { type EngineKind, type EnginePage, type Point, splitKeys, VIEWPORT } from './types.js';

const BROWSERS = ['4.1', '6.0', '4.0'].map((api) => `/usr/lib/${triplet()}/webkit2gtk-${api}/MiniBrowser`);

function triplet(): string {
  return process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
}

const miniBrowser = () => BROWSERS.find((path) => existsSync(path));

const KEYS: Record<string, string> = {
  Enter: Key.ENTER,
  Escape: Key.ESCAPE,
  Tab: Key.TAB,
  Delete: Key.DELETE,
  ArrowLeft: Key.ARROW_LEFT,
  ArrowRight: Key.ARROW_RIGHT,
  ArrowUp: Key.ARROW_UP,
  ArrowDown: Key.ARROW_DOWN,
};

function drive(driver: WebDriver): EnginePage {
  const at = ({ x, y }: Point) => ({ x: Math.round(x), y: Math.round(y), origin: Origin.VIEWPORT, duration: 20 });
  const keys = (text: string) => driver.actions().sendKeys(text).perform();
  return {
    goto: (url) => driver.get(url),
    reload: () => driver.navigate().refresh(),
    // The policy of the page forbids eval, so the expression has to be the script.
    evaluate: (expression) =>
      driver.executeAsyncScript(`const done = arguments[0]; Promise.resolve(${expression}).then(done);`),
    move: (to) => driver.actions().move(at(to)).perform(),
    click: (to) => driver.actions().move(at(to)).press().release().perform(),
    drag: async (from, to) => {
      const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
      await driver.actions().move(at(from)).press().move(at(middle)).move(at(to)).release().perform();
    },
    press: async (combination) => {
      const [held, key] = splitKeys(combination);
      if (held === null) return keys(KEYS[key] ?? key);
      await driver.actions().keyDown(Key.CONTROL).sendKeys(key).keyUp(Key.CONTROL).perform();
    },
    type: keys,
    screenshot: async () => Buffer.from(await driver.takeScreenshot(), 'base64'),
  };
}

/** A port of this computer that nobody uses now. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function answers(address: string): Promise<boolean> {
  try {
    return (await fetch(`${address}/status`)).ok;
  } catch {
    return false;
  }
}

export const webkit: EngineKind = {
  name: 'WebKitGTK',
  missing: () => {
    const programs = ['WebKitWebDriver', 'Xvfb', 'openbox', 'xdotool'];
    return [
      ...programs.filter((program) => programPath(program) === undefined),
      ...(miniBrowser() === undefined ? ['MiniBrowser of webkit2gtk-driver'] : []),
    ];
  },
  async start() {
    const desktop = await startDesktop({ screen: '1600x1100' });
    const downloads = join(desktop.folder, 'Downloads');
    const config = join(desktop.folder, '.config');
    for (const folder of [downloads, config]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(config, 'user-dirs.dirs'), 'XDG_DOWNLOAD_DIR="$HOME/Downloads"\n');
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const env = { ...desktop.env, HOME: desktop.folder };
    const server = spawn('WebKitWebDriver', [`--port=${port}`], { env, stdio: 'ignore' });
    let ready = false;
    const asking = setInterval(() => void answers(address).then((yes) => (ready ||= yes)), 100);
    await until('WebKitWebDriver', () => ready).finally(() => clearInterval(asking));
    const options = { binary: miniBrowser(), args: ['--automation'] };
    const capabilities = new Capabilities({ browserName: 'MiniBrowser', 'webkitgtk:browserOptions': options });
    const driver = await new Builder().usingServer(address).withCapabilities(capabilities).build();
    const chrome = await driver.executeScript<number>('return outerHeight - innerHeight');
    await driver
      .manage()
      .window()
      .setRect({ x: 0, y: 0, width: VIEWPORT.width, height: VIEWPORT.height + chrome });
    return {
      page: drive(driver),
      downloads,
      async close() {
        await driver.quit();
        server.kill();
        await desktop.stop();
      },
    };
  },
};
