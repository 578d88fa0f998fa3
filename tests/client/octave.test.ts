import { copyFileSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeKitFiles } from '../../packages/conformance/src/index.js';
import { COLD, MAIN, REPOSITORY, SAMPLE } from '../support/cli.js';
import { describeWithPrograms } from '../support/desktop.js';
import { octave } from '../support/octave.js';
import { createServer, type RunningServer } from '../support/server.js';
import { writeSplitRecording } from '../support/split-recording.js';
import { freePort } from '../support/supervisor.js';
import { tempFolder } from '../support/temp.js';

const folder = tempFolder();
const { files } = writeKitFiles(folder);
copyFileSync(files.frame, join(dirname(files.frame), 'Größe µm é.ome.tif'));

describeWithPrograms('the client for MATLAB and Octave', ['octave-cli', 'curl'], () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
  });
  afterAll(() => server.close());

  it('passes its own tests', async () => {
    expect(await octave(`test_client('${files.folder}', '${server.url}')`)).toMatch(/^58 checks passed$/m);
  });

  it('runs the programs of docs/matlab.md', async () => {
    const page = readFileSync(join(REPOSITORY, 'docs/matlab.md'), 'utf8');
    const programs = [...page.matchAll(/```matlab\n([\s\S]*?)```/g)].map(([, text]) => text as string);
    expect(programs).toHaveLength(3);
    const printed = [];
    for (const program of programs) {
      const code = program.replaceAll('/data/scan.tif', SAMPLE).replaceAll('/data/stack.nd2', files.stack);
      printed.push(await octave(code, { ACQSTORE_URL: server.url }));
    }
    expect(printed[0]).toBe('4000 lines of 96 pixels, 0.00117 seconds per line\n');
    expect(printed[1]).toBe('4 x 6 x 3 x 2\n');
    expect(printed[2]).toMatch(/^acqstore:path_not_found\n\S/);
  });

  it('opens all files of a recording', async () => {
    const path = writeSplitRecording(tempFolder());
    const code =
      `one = acqopen('${path}'); all = acqopen('${path}', 'parts', 'all'); r = one.source.recording; p = acqread(all, 0, 'T', 9);` +
      `fprintf('%d of %d by %s: T %d, all %s: T %d, last %d\\n', r.part, r.parts, r.evidence, one.header.sizes.T, ` +
      `all.parts, all.header.sizes.T, p(1));`;
    const printed = await octave(code, { ACQSTORE_URL: server.url });
    expect(printed).toBe('1 of 3 by frame numbers: T 4, all all: T 10, last 10\n');
    await expect(octave(`acqopen('${path}', 'parts', 'some');`, { ACQSTORE_URL: server.url })).rejects.toThrow('parts');
  });

  it('starts a server that outlives it, and stops it', async () => {
    const port = await freePort();
    const env = {
      ...COLD,
      ACQSTORE_URL: `http://127.0.0.1:${port}`,
      ACQSTORE_COMMAND: `"${process.execPath}" "${MAIN}"`,
      ACQSTORE_STATE_DIR: join(folder, 'own-server'),
    };
    const open = `acq = acqopen('${SAMPLE}'); p = acqread(acq, 'Vessel', 'type', 'native'); fprintf('%d %s\\n', sum(p(:)), class(p));`;
    expect(await octave(`disp(acqserver()); disp(acqserver()); ${open}`, env)).toBe(
      `http://127.0.0.1:${port}\nhttp://127.0.0.1:${port}\n17807085 uint16\n`,
    );
    expect(await octave(`${open} acqserver('stop');`, env)).toBe('17807085 uint16\n');
    await expect(octave(open, env)).rejects.toThrow('No server answers');
    await expect(octave(`acqserver('halt');`, env)).rejects.toThrow('expected');
    const missing = { ...env, ACQSTORE_URL: 'http://example.org' };
    await expect(octave('acqserver();', missing)).rejects.toThrow('on this computer alone');
  });

  it('sends the token and text in UTF-8, and leaves no file with them', async () => {
    const received: string[] = [];
    const listener = createHttpServer((request, response) => {
      request.setEncoding('utf8').on('data', (body: string) => received.push(body));
      request.on('end', () => {
        received.push(request.headers.authorization ?? '');
        response.setHeader('content-type', 'application/json').end('{"ok":true}');
      });
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const temporary = mkdtempSync(join(folder, 'octave-'));
    try {
      const { port } = listener.address() as AddressInfo;
      const to = `struct('url', 'http://127.0.0.1:${port}', 'token', 'a "b" \\ $HOME')`;
      await octave(`acqrequest(${to}, 'POST', '/x?y=$HOME&z', struct('path', '/a "é" µ'));`, { TMPDIR: temporary });
      expect(received).toEqual(['{"path":"/a \\"é\\" µ"}', 'Bearer a "b" \\ $HOME']);
      expect(readdirSync(temporary)).toEqual([]);
    } finally {
      listener.close();
    }
  });
});
