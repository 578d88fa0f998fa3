import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /** Resolves when every answer that runs is sent, or after `milliseconds`; then no connection is left. */
  drain(milliseconds: number): Promise<void>;
}

/**
 * Follows the connections of a server to end it well. Node's own `close` cuts off an answer whose last bytes wait for
 * a slow client, and waits for connections that never asked anything, as browsers keep in reserve.
 */
export function trackConnections(server: Server): Connections {
  /** Answers under way on each connection. */
  const answers = new Map<Socket, number>();
  let drained: (() => void) | undefined;

  const release = (socket: Socket) => {
    const left = (answers.get(socket) ?? 1) - 1;
    if (answers.has(socket)) answers.set(socket, left);
    if (drained && left === 0) socket.destroySoon();
  };
  server.on('connection', (socket) => {
    if (drained) {
      socket.destroy();
      return;
    }
    answers.set(socket, 0);
    socket.once('close', () => {
      answers.delete(socket);
      if (answers.size === 0) drained?.();
    });
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    answers.set(socket, (answers.get(socket) ?? 0) + 1);
    response.once('close', () => release(socket));
  });

  return {
    drain: (milliseconds) =>
      new Promise((resolve) => {
        const deadline = setTimeout(() => {
          for (const socket of answers.keys()) socket.destroy();
        }, milliseconds);
        drained = () => {
          clearTimeout(deadline);
          resolve();
        };
        for (const [socket, running] of answers) {
          if (running === 0) socket.destroy();
        }
        if (answers.size === 0) drained();
      }),
  };
}
