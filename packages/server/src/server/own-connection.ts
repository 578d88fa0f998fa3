/** A connection of the server to itself: what it asks runs all the code that the request of a client runs. */
import { once } from 'node:events';
import { Agent, request, type Server } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { ownSockets } from './policy.js';

const IPV4 = '127.0.0.1';

/** Asks the server, one request after the other, until the connection is closed by either end. */
export class OwnConnection {
  readonly #client: Socket;
  readonly #host: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** Aborts when the connection is closed: Node would wait for the answer to a request that was never sent. */
  readonly #closed = new AbortController();

  private constructor(client: Socket, host: string) {
    this.#client = client;
    this.#host = host;
    this.#agent.createConnection = () => client;
    client.once('close', () => this.#closed.abort());
  }

  /**
   * Connects over a listener of its own, which takes no other connection: nobody can send requests as the server itself.
   * @throws the system's error; when another program was faster
   */
  static async to(server: Server): Promise<OwnConnection> {
    const listener = createServer({ noDelay: true });
    const arrived: Socket[] = [];
    listener.on('connection', (socket) => arrived.push(socket.on('error', ignore)));
    await once(listener.listen({ host: IPV4, port: 0, exclusive: true }), 'listening');
    const { port } = listener.address() as AddressInfo;
    const client = connect({ host: IPV4, port, noDelay: true }).unref().on('error', ignore);
    let accepted: Socket | undefined;
    try {
      await Promise.all([once(listener, 'connection'), once(client, 'connect')]);
      accepted = arrived.find((socket) => isOtherEnd(socket, client));
      if (!accepted) throw new Error('another program connected to the listener of the warm-up');
      ownSockets.add(accepted);
      server.emit('connection', accepted);
      return new OwnConnection(client, `${IPV4}:${port}`);
    } finally {
      listener.close();
      for (const socket of accepted ? arrived : [...arrived, client]) if (socket !== accepted) socket.destroy();
    }
  }

  /**
   * @param body sent as JSON
   * @throws when the connection is closed before the whole answer is there
   */
  async ask(method: string, path: string, headers: Record<string, string>, body?: unknown) {
    const { signal } = this.#closed;
    signal.throwIfAborted();
    const json = body === undefined ? undefined : JSON.stringify(body);
    const type =
      json === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) };
    const asked = request({ agent: this.#agent, method, path, headers: { host: this.#host, ...headers, ...type } });
    asked.on('error', ignore).end(json);
    const [response] = await once(asked, 'response', { signal });
    return { status: response.statusCode as number, text: await text(response) };
  }

  close(): void {
    this.#client.destroy();
  }
}

/** Whoever waits for the connection learns of it. */
const ignore = () => {};

/** Ports are numbers of an address: programs at others may have the same. */
function isOtherEnd({ remoteAddress, remotePort }: Socket, { localAddress, localPort }: Socket): boolean {
  return remoteAddress !== undefined && remoteAddress === localAddress && remotePort === localPort;
}
