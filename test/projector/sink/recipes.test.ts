import { createServer, type Server } from 'node:http';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { readConfig } from '../../../services/adapters/config.ts';
import { formatBody } from '../../../services/projector/sink/bodies/body.ts';
import { sinkEnvironment, readSinkSettings, type JobSink } from '../../../services/projector/sink/config.ts';
import { deliver } from '../../../services/projector/sink/post-message.ts';
import { passesFilter } from '../../../services/projector/sink/filter.ts';
import type { JobMessage } from '../../../services/projector/sink/message.ts';
import { attemptFailed, completed, failed, started } from './messages.ts';

// The recipes of the pages, as they stand there, and receivers that refuse what Slack and Alertmanager refuse.

/** What an incoming webhook accepts: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks. */
const SLACK = z.strictObject({ text: z.string().min(1).max(40_000) });

/** `postableAlerts` of Alertmanager's openapi.yaml, and what it validates besides: names, and an end after the start. */
const ALERTMANAGER = z
  .array(
    z
      .strictObject({
        labels: z.record(z.string().regex(/^[a-zA-Z_]\w*$/), z.string().min(1)),
        annotations: z.record(z.string().regex(/^[a-zA-Z_]\w*$/), z.string()),
        startsAt: z.iso.datetime(),
        endsAt: z.iso.datetime(),
        generatorURL: z.url().optional(),
      })
      .refine(({ labels }) => labels['alertname'] !== undefined)
      .refine(({ startsAt, endsAt }) => startsAt < endsAt)
      // An alert that has ended before it arrives is never notified.
      .refine(({ endsAt }) => Date.parse(endsAt) > Date.now()),
  )
  .min(1);

const ACCEPTED = { '/slack': SLACK, '/api/v2/alerts': ALERTMANAGER };

let server: Server;
let origin: string;
let received: unknown[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const content: unknown = JSON.parse(body);
      const { success } = ACCEPTED[request.url as keyof typeof ACCEPTED].safeParse(content);
      const isJson = request.headers['content-type']?.startsWith('application/json') === true;
      response.writeHead(success && isJson ? 200 : 400).end();
      received.push(content);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** The sink of a recipe: the block of YAML on a page with this text. Secrets are in a folder of the test. */
function recipeSink(page: string, message: string): JobSink {
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-recipe-'));
  for (const file of ['slack-url', 'alertmanager-token', 'payments-secret'])
    writeFileSync(join(folder, file), CONTENT[file]?.(origin) ?? '');
  const blocks = readFileSync(page, 'utf8').matchAll(/```yaml\n(.*?)```/gs);
  const text = Array.from(blocks, ([, block = '']) => block).find((block) => block.includes(message)) ?? '';
  const JOBLEDGER_SINKS = text
    .replaceAll(/\/etc\/jobledger\/sinks\/(\w+)\/(\w+)/g, `${folder}/$1-$2`)
    .replace('https://alertmanager-0.example.com', origin);
  const environment = { JOBLEDGER_SINKS, PAYMENTS_API_KEY: 'key' };
  const [sink] = readSinkSettings(readConfig(sinkEnvironment, environment), environment);
  if (sink === undefined) throw new Error(`${page} has no such recipe`);
  return sink;
}

const CONTENT: Record<string, (url: string) => string> = {
  'slack-url': (url) => `${url}/slack\n`,
  'alertmanager-token': () => 'token',
  'payments-secret': () => 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n',
};

const OF = { namespace: 'payments', labels: { team: 'payments', tier: 'critical' } };
const MESSAGES = [started(OF), completed(OF), failed(OF), attemptFailed()];

async function delivered(
  { to, body: kind, page, filter }: JobSink,
  messages: JobMessage[],
): Promise<unknown[]> {
  received = [];
  for (const message of messages.filter((each) => passesFilter(filter, each))) {
    const body = formatBody(message, { kind, page, now: Date.now() });
    await deliver(to, { id: message.id, body }, new AbortController().signal);
  }
  return received;
}

describe('a documented recipe for a sink', () => {
  it('sends the failures of a namespace to Slack, in bodies that Slack accepts', async () => {
    const slack = recipeSink('docs/guides/alert-for-my-job.md', 'body: slack');
    const all = { ...slack, filter: { ...slack.filter, namespaces: null, outcomes: null } };
    expect(await delivered(all, MESSAGES)).toHaveLength(MESSAGES.length);
    const [first, ...others] = await delivered(slack, [completed(OF), failed(OF)]);
    expect(others).toEqual([]);
    expect(first).toEqual({
      text: expect.stringMatching(
        /^:x: <https:\/\/jobs\.example\.com\/ui\/\?.*\|\*payments\/report\*> failed/,
      ) as unknown,
    });
  });

  it('sends the failures of a team to Alertmanager, in bodies that Alertmanager accepts', async () => {
    const alertmanager = recipeSink('docs/guides/alert-for-my-job.md', 'body: alertmanager');
    const all = { ...alertmanager, filter: { ...alertmanager.filter, labels: {}, outcomes: null } };
    expect(await delivered(all, MESSAGES)).toHaveLength(MESSAGES.length);
    const sent = await delivered(alertmanager, [completed(OF), failed(OF)]);
    expect(sent).toEqual([
      [expect.objectContaining({ labels: expect.objectContaining({ label_team: 'payments' }) as unknown })],
    ]);
  });

  it('is valid for several sinks, and has the events that it describes', () => {
    expect(recipeSink('docs/operate/notifications.md', 'outcomes: [Failed]').types).toEqual([
      'started',
      'attempt-failed',
      'ended',
    ]);
  });
});
