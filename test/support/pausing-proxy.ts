import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy on loopback that holds everything back for a while, in both directions, without closing connections. */
export interface PausingProxy {
  /** `host:port` to connect to. */
  address: string;
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

/** `target`: `host:port`. */
export async function startPausingProxy(target: string): Promise<PausingProxy> {
  const [host = '', port = ''] = target.split(':');
  const sockets = new Set<Socket>();
  let isPaused = false;
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on('data', (data) => to.write(data));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
    if (isPaused) from.pause();
  };
  const server = createServer((client) => {
    const upstream = connect({ host, port: Number(port) });
    pass(client, upstream);
    pass(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    pause() {
      isPaused = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      isPaused = false;
      for (const socket of sockets) socket.resume();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
