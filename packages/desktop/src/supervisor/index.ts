/** The supervisor: serves the control page, and runs the image server as a child process. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { StartSupervisor, Supervisor, SupervisorOptions } from '../interfaces.js';
import { Controls } from './controls.js';
import { servePage } from './http.js';

/** Starts the control page and the image server. */
export const startSupervisor: StartSupervisor = async (options: SupervisorOptions): Promise<Supervisor> => {
  mkdirSync(options.stateDir, { recursive: true, mode: 0o700 });
  const token = randomBytes(32).toString('base64url');
  const controls = new Controls(options);
  const { server, port } = await servePage({
    token,
    assets: options.assets,
    handlers: controls.handlers(),
    listen: (response) => controls.listen(response),
  });
  // The page shows why the server does not start.
  const started = controls.server.start().catch(() => {});
  void controls.updates.checkIfWanted();
  if (options.openAtStart !== undefined) {
    const path = options.openAtStart;
    void started.then(() => controls.opening.openForApplication(path));
  }
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await controls.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${port}/#token=${token}`,
    openFile: (path) => controls.opening.openForApplication(path),
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
};
