import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { LOOPBACK } from '../../infra/local/state/ports.ts';

/** One address before several servers, like a Service of Kubernetes: each new connection goes to the chosen one. */
export interface Forwarder {
  host: string;
  port: number;
  /** Closes all connections; their clients open new ones. */
  drop(): void;
  stop(): Promise<void>;
}

/**
 * `choose`: the `host:port` for a new connection; undefined: nobody can take it, and it is closed. An open connection lasts as
 * long as its server, even when another one is chosen for new ones.
 */
export async function startForwarder(choose: () => string | undefined): Promise<Forwarder> {
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const [host = '', port] = choose()?.split(':') ?? [];
    if (port === undefined) return void client.destroy();
    const behind = connect({ host, port: Number(port), noDelay: true });
    for (const [socket, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, LOOPBACK, resolve));
  const { port } = server.address() as AddressInfo;
  const drop = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    host: LOOPBACK,
    port,
    drop,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      drop();
      await closed;
    },
  };
}
