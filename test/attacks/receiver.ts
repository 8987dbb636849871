import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The messages that a receiver got. */
export interface Receiver {
  url: string;
  /** Requests of all namespaces. */
  requests: () => number;
  /** The Jobs of the other namespaces whose end it has taken. */
  ended: ReadonlySet<string>;
  close(): void;
}

/** One message of this many is answered too late: the projector waits for 10 s. */
const LATE_OF = 10;
const LATE_MS = 12_000;
const HUGE_BYTES = 32 * 1024 * 1024;

/**
 * The receiver of a sink, which takes what it is sent of every namespace but the attacked one: messages about that have texts that it cannot
 * handle, so it refuses them, breaks off, answers too late, or without an end.
 */
export async function startReceiver(attacked: string): Promise<Receiver> {
  const ended = new Set<string>();
  let requests = 0;
  const answers: ((response: ServerResponse) => void)[] = [
    (response) => void response.writeHead(400).end(),
    (response) => void response.writeHead(413).end(),
    (response) => {
      response.writeHead(200);
      let sent = 0;
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const send = (): void => {
        while (sent < HUGE_BYTES && !response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', send);
        }
        response.end();
      };
      send();
    },
  ];
  /** The first attempts at some messages fail, as while the receiver restarts. */
  const failed = new Map<string, number>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      requests += 1;
      const { id, type, data } = JSON.parse(body) as {
        id: string;
        type: string;
        data: { namespace: string; name: string };
      };
      if (data.namespace !== attacked) {
        if (type.includes('.ended.')) ended.add(data.name);
        response.writeHead(200).end();
        return;
      }
      const sum = Buffer.from(id).reduce((total, byte) => total + byte, 0);
      if (sum % LATE_OF === 0) return void delay(LATE_MS).then(() => response.writeHead(200).end());
      const kind = sum % (answers.length + 2);
      const answer = answers[kind];
      if (answer !== undefined) return answer(response);
      const failures = failed.get(id) ?? 0;
      failed.set(id, failures + 1);
      if (failures >= 2) response.writeHead(200).end();
      else if (kind === answers.length) response.writeHead(500).end();
      else request.socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: () => requests,
    ended,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
