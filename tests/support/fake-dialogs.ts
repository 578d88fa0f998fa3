import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A display that answers and says nothing useful, and dialog programs that are shell scripts. No bus, no portal. */
export interface FakeDialogs {
  /** Everything lies below it. */
  folder: string;
  env: NodeJS.ProcessEnv;
  /** Makes `name` on the PATH a script. */
  program(name: string, script: string): void;
  stop(): void;
}

export async function fakeDialogs(): Promise<FakeDialogs> {
  const folder = mkdtempSync(join(tmpdir(), 'acqstore-dialogs-'));
  mkdirSync(join(folder, 'bin'));
  const display = createServer((socket) => socket.destroy());
  await new Promise<void>((done) => display.listen(join(folder, 'wayland-0'), done));
  return {
    folder,
    env: { PATH: join(folder, 'bin'), HOME: folder, XDG_RUNTIME_DIR: folder, WAYLAND_DISPLAY: 'wayland-0' },
    program(name, script) {
      writeFileSync(join(folder, 'bin', name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
      chmodSync(join(folder, 'bin', name), 0o755);
    },
    stop() {
      display.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
