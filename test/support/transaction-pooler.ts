import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Client } from 'pg';

/**
 * A pooler in transaction mode, as PgBouncer: each transaction runs in another session of the server than the one before, and settings of a
 * connection that it does not know are refused. The pooler asks for no password.
 */
export interface TransactionPooler {
  databaseUrl: string;
  close(): Promise<void>;
}

const SESSIONS = 3;
const KNOWN = ['user', 'database', 'client_encoding', 'application_name', 'datestyle', 'timezone'];
const SSL_REQUEST = 80_877_103;

/** One session of the server. */
interface Session {
  stream: Socket;
  client: Socket | null;
  /** Bytes of an incomplete message. */
  rest: Buffer;
}

export async function startTransactionPooler(databaseUrl: string): Promise<TransactionPooler> {
  const upstreams = Array.from({ length: SESSIONS }, () => new Client(databaseUrl));
  const free: Session[] = [];
  const waiting: ((session: Session) => void)[] = [];
  const release = (session: Session): void => {
    session.client = null;
    const next = waiting.shift();
    if (next === undefined) free.push(session);
    else next(session);
  };
  for (const upstream of upstreams) {
    await upstream.connect();
    upstream.on('error', () => undefined);
    const { stream } = (upstream as unknown as { connection: { stream: Socket } }).connection;
    const session: Session = { stream, client: null, rest: Buffer.alloc(0) };
    stream.removeAllListeners('data');
    stream.on('data', (bytes) => {
      session.client?.write(bytes);
      if (endsTransaction(session, bytes)) release(session);
    });
    free.push(session);
  }

  const serve = (client: Socket): void => {
    let session: Session | null = null;
    let isStarted = false;
    client.on('error', () => undefined);
    client.on('data', (bytes) => {
      if (!isStarted) {
        isStarted = start(client, bytes);
        return;
      }
      if (bytes[0] === 'X'.charCodeAt(0)) return void client.end();
      if (session?.client === client) return void session.stream.write(bytes);
      const take = (taken: Session): void => {
        session = taken;
        taken.client = client;
        taken.stream.write(bytes);
      };
      const next = free.shift();
      if (next === undefined) waiting.push(take);
      else take(next);
    });
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    databaseUrl: url.href,
    async close() {
      for (const socket of sockets) socket.destroy();
      for (const upstream of upstreams) {
        (upstream as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
      }
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers the start of a connection. Returns false while it has not begun. */
function start(client: Socket, bytes: Buffer): boolean {
  // The end of a refused connection.
  if (bytes.length < 8) return false;
  if (bytes.readInt32BE(4) === SSL_REQUEST) {
    client.write('N');
    return false;
  }
  const names = bytes
    .toString('utf8', 8)
    .split('\0')
    .filter((_text, at) => at % 2 === 0)
    .filter((name) => name !== '');
  const unknown = names.find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) {
    const text = `SFATAL\0C08P01\0Munsupported startup parameter: ${unknown}\0\0`;
    client.end(message('E', Buffer.from(text)));
    return false;
  }
  const [authenticated, key, ready] = [Buffer.alloc(4), Buffer.alloc(8), Buffer.from('I')];
  client.write(Buffer.concat([message('R', authenticated), message('K', key), message('Z', ready)]));
  return true;
}

function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

/** True when the bytes end with `ReadyForQuery` outside a transaction. */
function endsTransaction(session: Session, bytes: Buffer): boolean {
  let left = Buffer.concat([session.rest, bytes]);
  let isIdle = false;
  while (left.length >= 5 && left.length >= left.readInt32BE(1) + 1) {
    const length = left.readInt32BE(1) + 1;
    isIdle = left.toString('latin1', 0, 1) === 'Z' && left.toString('latin1', 5, 6) === 'I';
    left = left.subarray(length);
  }
  session.rest = left;
  return isIdle && left.length === 0;
}
