import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { encodeEvent, withDigest } from '../../services/adapters/events/event-codec.ts';
import { aJob, jobObserved } from '../projector/builders.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { eventually } from '../support/eventually.ts';
import { killForGood } from '../support/processes.ts';

jest.setTimeout(180_000);

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** A receiver records the requests to it. */
interface Receiver {
  server: Server;
  url: string;
  /** Each response has this status; with null there is no response. */
  status: number | null;
  requests: { headers: IncomingHttpHeaders; body: string; isTaken: boolean }[];
}

let ledger: ALedger;
let up: Receiver;
let down: Receiver;

beforeAll(async () => {
  [ledger, up, down] = [await startLedger(), await aReceiver(), await aReceiver()];
});
afterAll(async () => {
  for (const { server } of [up, down]) {
    server.closeAllConnections();
    server.close();
  }
  await ledger?.stop();
});

async function aReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { status } = receiver;
      receiver.requests.push({ headers: request.headers, body, isTaken: status === 200 });
      if (status !== null) response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const receiver: Receiver = { server, url, status: 200, requests: [] };
  return receiver;
}

/** Starts the projector, with both sinks. */
async function start(): Promise<void> {
  const sinks = [
    { name: 'up', url: up.url, secret: { env: 'UP_SECRET' } },
    { name: 'down', url: down.url, events: ['started', 'ended'] },
  ];
  await ledger.start('projector', { JOBLEDGER_SINKS: JSON.stringify({ sinks }), UP_SECRET: SECRET });
}

/** Records Jobs that start and end, all in one partition. */
async function record(names: readonly string[]): Promise<void> {
  const complete = { type: 'Complete', status: 'True' } as const;
  const statuses = [{ startTime: '2026-04-01T00:00:01Z' }, { conditions: [complete] }];
  const events = names.flatMap((name) =>
    statuses.map((status, at) => {
      const job = aJob({ version: at + 1, metadata: { name, uid: name }, status });
      return withDigest({ ...jobObserved(at, job, name), subject: `default/${name}` });
    }),
  );
  await ledger.append(events.map((event) => ({ ...encodeEvent(event), partition: 0 })));
}

/** Returns the ids of the messages that the receiver accepted, each once. */
function taken({ requests }: Receiver): string[] {
  const ids = requests.filter(({ isTaken }) => isTaken).map(({ body }) => messageId(body));
  return [...new Set(ids)];
}

function messageId(body: string): string {
  return (JSON.parse(body) as { id: string }).id;
}

const named = (prefix: string): string[] => Array.from({ length: 25 }, (_none, at) => `${prefix}-${at}`);
const endedIds = (names: readonly string[]): string[] => names.map((name) => `east/${name}/ended`);
const allIds = (names: readonly string[]): string[] =>
  names.flatMap((name) => [`east/${name}/started`, `east/${name}/ended`]);

const hasTaken = (receiver: Receiver, count: number): Promise<true> =>
  eventually(`${count} messages are taken`, 60, async () =>
    taken(receiver).length >= count ? true : undefined,
  );

describe('a sink that does not answer', () => {
  it('delays no other sink, and when it answers again receives every message in order, although the projector was killed', async () => {
    await start();
    await record(['before']);
    await eventually('both sinks have begun', 60, async () => {
      const { rows } = await ledger.client.query('select from jobledger.sink_positions where partition = 0');
      return rows.length === 2 ? true : undefined;
    });
    const begun = { up: taken(up).length, down: taken(down).length };
    const [first, whileDead, last] = ['first', 'while-dead', 'last'].map(named) as [
      string[],
      string[],
      string[],
    ];

    down.status = 503;
    await record(first);
    await hasTaken(up, begun.up + first.length);
    await eventually('the other one refused', 30, async () => (down.requests.length > 0 ? true : undefined));
    await killForGood(ledger.services, 'projector');
    await record(whileDead);
    // The receiver now accepts connections and does not answer.
    down.status = null;
    await start();
    await hasTaken(up, begun.up + first.length + whileDead.length);
    expect(taken(down)).toHaveLength(begun.down);

    down.status = 200;
    await hasTaken(down, begun.down + 15);
    await killForGood(ledger.services, 'projector');
    await record(last);
    await start();
    const names = [...first, ...whileDead, ...last];
    await hasTaken(up, begun.up + names.length);
    await hasTaken(down, begun.down + 2 * names.length);
    expect(taken(up).slice(begun.up)).toEqual(endedIds(names));
    const [oldest = '', ...others] = allIds(names);
    // The oldest message came later if the outage ended between its failure and the next message.
    expect(taken(down).slice(begun.down)).toContain(oldest);
    expect(
      taken(down)
        .slice(begun.down)
        .filter((id) => id !== oldest),
    ).toEqual(others);
  });
});

describe('a sink with a secret', () => {
  it('receives requests whose signature and id the library of Standard Webhooks accepts', () => {
    const webhook = new Webhook(SECRET);
    for (const { headers, body } of up.requests)
      expect(webhook.verify(body, headers as Record<string, string>)).toMatchObject({
        id: headers['webhook-id'],
      });
    for (const { headers } of down.requests) expect(headers).not.toHaveProperty('webhook-id');
  });
});
