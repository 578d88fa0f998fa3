/** A connection of the server to itself: what it asks runs all the code that the request of a client runs. */
import { once } from 'node:events';
import { Agent, request, type Server } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { ownSockets } from './policy.js';

const IPV4 = '127.0.0.1';

/** Asks the server, one request after the other. */
export class OwnConnection {
  readonly #client: Socket;
  readonly #host: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  private constructor(client: Socket, host: string) {
    this.#client = client;
    this.#host = host;
    this.#agent.createConnection = () => client;
  }

  /**
   * Connects over a listener that takes this one connection: nobody can send requests as the server itself.
   * @throws the system's error; when another program was faster
   */
  static async to(server: Server): Promise<OwnConnection> {
    const listener = createServer({ noDelay: true });
    await once(listener.listen({ host: IPV4, port: 0, exclusive: true }), 'listening');
    const { port } = listener.address() as AddressInfo;
    const client = connect({ host: IPV4, port, noDelay: true }).unref();
    const [[accepted]] = (await Promise.all([once(listener, 'connection'), once(client, 'connect')])) as [
      [Socket],
      unknown,
    ];
    listener.close();
    if (accepted.remotePort !== client.localPort) {
      accepted.destroy();
      client.destroy();
      throw new Error('another program connected to the listener of the warm-up');
    }
    ownSockets.add(accepted);
    server.emit('connection', accepted);
    return new OwnConnection(client, `${IPV4}:${port}`);
  }

  /** @param body sent as JSON */
  async ask(method: string, path: string, headers: Record<string, string>, body?: unknown) {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const type =
      json === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) };
    const asked = request({ agent: this.#agent, method, path, headers: { host: this.#host, ...headers, ...type } });
    asked.end(json);
    const [response] = await once(asked, 'response');
    return { status: response.statusCode as number, text: await text(response) };
  }

  close(): void {
    this.#client.destroy();
  }
}
