import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { startForwarder, type Forwarder } from './forwarder.ts';

let forwarder: Forwarder | undefined;
const servers: Server[] = [];

afterEach(async () => {
  await forwarder?.stop();
  for (const server of servers.splice(0)) server.close();
});

/** Sends its name to each client. */
async function aServer(name: string): Promise<string> {
  const server = createServer((socket) => void socket.end(name));
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function received(through: Forwarder): Promise<string> {
  const socket = connect(through.port, through.host).setEncoding('utf8');
  let text = '';
  socket.on('data', (part: string) => void (text += part));
  await once(socket, 'close');
  return text;
}

describe('one address in front of several servers', () => {
  it('leads each connection to the server that is chosen at that moment', async () => {
    const [one, two] = [await aServer('one'), await aServer('two')];
    let chosen = one;
    forwarder = await startForwarder(() => chosen);
    expect(await received(forwarder)).toBe('one');
    chosen = two;
    expect(await received(forwarder)).toBe('two');
  });

  it('closes a connection that no server can accept', async () => {
    forwarder = await startForwarder(() => undefined);
    expect(await received(forwarder)).toBe('');
  });
});
