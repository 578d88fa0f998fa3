/** Signing in at a server with users: with a token, and through the login of a proxy. */

import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../../packages/server/src/server/auth/tokens.js';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { SAMPLE } from '../../support/cli.js';
import { AUDIENCE, ISSUER, Issuer } from '../../support/issuer.js';
import { tempFolder } from '../../support/temp.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: signing in was not tested in a browser');

const folder = tempFolder();
const alice = createToken({ name: 'alice' });

/** A proxy with a login, like oauth2-proxy: a cookie that it turns into a token; API requests without one get 401. */
class LoginProxy {
  /** Returns the token of the person with the cookie. */
  token: () => Promise<string> = async () => '';
  private readonly server: Server;

  constructor(target: () => number) {
    this.server = createServer((incoming, outgoing) => {
      const { url = '/', method } = incoming;
      if (url.startsWith('/login/out')) {
        outgoing.writeHead(200, { 'set-cookie': 'login=; Path=/; Max-Age=0', 'content-type': 'text/html' });
        outgoing.end('<!doctype html><title>Logged out</title>');
      } else if (!/\blogin=yes\b/.test(incoming.headers.cookie ?? '')) this.askToLogIn(incoming, outgoing);
      else {
        void this.token().then((token) => {
          const headers = { ...incoming.headers, authorization: `Bearer ${token}`, 'x-forwarded-for': '192.0.2.7' };
          const onward = request({ host: '127.0.0.1', port: target(), path: url, method, headers }, (answer) => {
            outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
            answer.pipe(outgoing);
          });
          incoming.pipe(onward);
        });
      }
    });
  }

  private askToLogIn({ url = '/' }: IncomingMessage, outgoing: import('node:http').ServerResponse): void {
    if (url.startsWith('/api/')) outgoing.writeHead(401, { 'content-type': 'text/plain' }).end('Unauthorized');
    // The person types a password here.
    else outgoing.writeHead(302, { 'set-cookie': 'login=yes; Path=/; SameSite=Lax', location: url }).end();
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe.runIf(available)('viewer: signing in', () => {
  const pages = new ViewerPages();
  let viewer: ViewerPage;
  let issuer: Issuer;
  let withTokens: string;
  beforeAll(async () => {
    await pages.start();
    issuer = await Issuer.start();
    const tokensFile = join(folder, 'tokens.jsonl');
    writeFileSync(tokensFile, JSON.stringify(alice.line), { mode: 0o600 });
    const args = ['--tokens-file', tokensFile, '--root', dirname(SAMPLE), '--log-level', 'warn'];
    ({ url: withTokens } = await pages.cli.serve(args));
  });
  afterAll(async () => {
    await pages.close();
    await issuer.close();
  });
  afterEach(() => viewer.end());

  const userMenu = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  it('with a token: asks for it, says who is signed in, and signs out', async () => {
    viewer = await pages.open('/demo/v2/', {}, withTokens);
    const { page } = viewer;
    const field = page.getByLabel('Sign in with your token');
    await field.fill('acqs_wrong');
    await page.keyboard.press('Enter');
    await page.getByText('does not accept this token').waitFor();
    await field.fill(alice.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await userMenu(page, 'alice').waitFor();
    expect(await field.count()).toBe(0);
    await viewer.openSample();
    // A reload keeps the user.
    await page.reload();
    await page.getByRole('tab', { name: 'vessel-kymograph' }).waitFor();
    // Others may use this browser, and must not see pictures of her files.
    expect(await page.evaluate(() => localStorage.getItem('acqstore.recents'))).not.toContain('data:image');
    await userMenu(page, 'alice').click();
    await page.getByText('Signed in as alice with a token.').waitFor();
    expect(await complaints(page)).toEqual([]);
    const ended = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect((await ended).status()).toBe(200);
    await field.waitFor();
    expect(await userMenu(page, 'alice').count()).toBe(0);
    expect(await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]))).not.toMatch(
      /acqs_|vessel-kymograph/,
    );
  });

  it('at the login of a proxy: follows it, says who is signed in, and leads to it again when it has ended', async () => {
    let port = 0;
    const proxy = new LoginProxy(() => port);
    const url = await proxy.listen();
    try {
      const oidc = ['--oidc-issuer', ISSUER, '--oidc-audience', AUDIENCE, '--oidc-jwks', issuer.jwks];
      const outside = ['--allow-host', '127.0.0.1', '--sign-out-url', '/login/out', '--root', dirname(SAMPLE)];
      ({ port } = await pages.cli.serve([...oidc, ...outside, '--log-level', 'warn']));
      proxy.token = () => issuer.sign({ name: 'Alice Example' });
      viewer = await pages.open('/demo/v2/', {}, url);
      const { page } = viewer;
      await userMenu(page, 'Alice Example').waitFor();
      await viewer.openSample();
      // The login ends at the proxy.
      await page.context().clearCookies();
      await page.getByRole('button', { name: 'Log in' }).waitFor({ timeout: 15_000 });
      expect(await page.getByText('No server is running').count()).toBe(0);
      expect(await page.getByLabel('token').count()).toBe(0);
      await page.getByRole('button', { name: 'Log in' }).click();
      await userMenu(page, 'Alice Example').waitFor();
      await page.getByRole('tab', { name: 'vessel-kymograph' }).waitFor();
      // The server refuses what the proxy sends.
      proxy.token = () => issuer.sign({ aud: 'other' });
      await page.getByRole('button', { name: 'Log in' }).waitFor({ timeout: 15_000 });
      proxy.token = () => issuer.sign({ name: 'Alice Example' });
      await page.getByRole('button', { name: 'Log in' }).click();
      await userMenu(page, 'Alice Example').click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.waitForURL(`${url}/login/out`);
      expect(await page.title()).toBe('Logged out');
    } finally {
      proxy.close();
    }
  });
});
