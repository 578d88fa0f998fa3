/** An OpenID Connect issuer of the tests: keys of its own, served on loopback. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export const ISSUER = 'https://login.example/realms/lab';
export const AUDIENCE = 'acqstore';

export interface Signing {
  key?: CryptoKey | Uint8Array;
  header?: { alg: string; kid?: string };
  /** Claims to leave out. */
  without?: string[];
}

export class Issuer {
  /** Requests for the keys. */
  fetches = 0;
  /** Answers 500 when false. */
  isUp = true;
  readonly keys: Record<'ES256' | 'RS256' | 'EdDSA' | 'ES384', { publicKey: CryptoKey; privateKey: CryptoKey }>;
  private readonly server: Server;

  private constructor(server: Server, keys: Issuer['keys']) {
    this.server = server;
    this.keys = keys;
  }

  static async start(): Promise<Issuer> {
    const options = { extractable: true };
    const keys = {
      ES256: await generateKeyPair('ES256', options),
      RS256: await generateKeyPair('RS256', options),
      EdDSA: await generateKeyPair('EdDSA', options),
      // Not among those that the server accepts.
      ES384: await generateKeyPair('ES384', options),
    };
    const jwks = await Promise.all(
      Object.entries(keys).map(async ([alg, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid: alg, alg })),
    );
    const server = createServer((_request, response) => {
      issuer.fetches++;
      response.writeHead(issuer.isUp ? 200 : 500, { 'content-type': 'application/json' });
      response.end(issuer.isUp ? JSON.stringify({ keys: jwks }) : '');
    });
    const issuer = new Issuer(server, keys);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return issuer;
  }

  get jwks(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/keys`;
  }

  /** Signs a token that is valid for five minutes, with other claims, another key or another header. */
  sign(claims: JWTPayload = {}, { key = this.keys.ES256.privateKey, header, without = [] }: Signing = {}) {
    const now = Math.floor(Date.now() / 1000);
    const all = { iss: ISSUER, aud: AUDIENCE, sub: 'alice', iat: now, exp: now + 300, ...claims };
    const kept = Object.fromEntries(Object.entries(all).filter(([name]) => !without.includes(name)));
    return new SignJWT(kept).setProtectedHeader(header ?? { alg: 'ES256', kid: 'ES256' }).sign(key);
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
