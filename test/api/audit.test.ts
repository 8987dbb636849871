import { afterEach, describe, expect, it } from '@jest/globals';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import type { HttpServer } from '../../services/adapters/http/http-server.ts';
import { UnavailableError } from '../../services/adapters/errors.ts';
import type { Run } from '../../services/adapters/postgres/database.ts';
import { createAuditRecordReceiver } from '../../services/api/audit/receive-audit-records.ts';
import { aJobResponse, anAuditRecord, aPatch, aPodDeletion, SECRET } from '../audit-log/an-audit-record.ts';
import { stubApi } from '../support/stub-api.ts';

let server: HttpServer | undefined;
afterEach(() => server?.close());

const BATCH = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {} };

interface Received {
  ledger: LedgerEvent[];
  counted: Record<string, number>;
  send: (
    items: unknown,
    options?: { token?: string; cluster?: string },
  ) => Promise<{ status: number; body: unknown }>;
}

/** An API that records what its webhook is sent. `owners`: the Jobs by UID, as the tables have them. */
async function received(
  options: {
    owners?: Record<string, string | null>;
    isKafkaAway?: () => boolean;
    isPostgresAway?: boolean;
  } = {},
): Promise<Received> {
  const { owners = {}, isKafkaAway = () => false, isPostgresAway = false } = options;
  const ledger: LedgerEvent[] = [];
  const counted: Record<string, number> = {};
  const run = (async () => {
    if (isPostgresAway) throw new Error('no connection');
    return Object.entries(owners).map(([uid, subject]) => ({ uid, subject }));
  }) as unknown as Run;
  server = await stubApi({
    receive: createAuditRecordReceiver({
      names: { ownUsers: new Set(), recordedName: (name) => name },
      namespaces: ['default'],
      async append(events) {
        if (isKafkaAway()) throw new UnavailableError('Kafka is away');
        ledger.push(...events);
      },
      run,
      count: ({ cluster, result }, by) =>
        void (counted[`${cluster} ${result}`] = (counted[`${cluster} ${result}`] ?? 0) + by),
    }),
  });
  const send: Received['send'] = async (items, { token = 'audit-token', cluster = 'local' } = {}) => {
    const answer = await server?.inject({
      method: 'POST',
      url: `/v1/audit/${cluster}?timeout=30s`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      payload: typeof items === 'string' ? items : JSON.stringify({ ...BATCH, items }),
    });
    return { status: answer?.statusCode ?? 0, body: answer?.json() };
  };
  return { ledger, counted, send };
}

const NONE = { recorded: 0, ignored: 0, unknown: 0, unreadable: 0, limited: 0 };

describe('a batch of the audit webhook of an API server', () => {
  it('becomes events of the cluster that its token names, without the request bodies, also when one record is unusable', async () => {
    const { ledger, counted, send } = await received();
    const other = anAuditRecord({ responseObject: aJobResponse('9', { namespace: 'other' }) });
    const answer = await send([anAuditRecord(), null, 'x', aPatch({ spec: { suspend: true } }), other]);
    expect(answer).toEqual({ status: 200, body: { ...NONE, recorded: 2, ignored: 1, unreadable: 2 } });
    expect(ledger.map(({ source, subject }) => [source, subject])).toEqual([
      ['local', 'default/pi'],
      ['local', 'default/pi'],
    ]);
    expect(JSON.stringify(ledger)).not.toContain(SECRET);
    expect(counted).toEqual({ 'local recorded': 2, 'local ignored': 1, 'local unreadable': 2 });
  });

  it('gives the same events when the API server sends it twice or in another order', async () => {
    const { ledger, send } = await received();
    const records = [anAuditRecord(), aPatch({ spec: { suspend: true } })];
    await send(records);
    await send(records.toReversed());
    expect(new Set(ledger.map(({ id }) => id)).size).toBe(2);
  });

  it('is refused while Kafka is unavailable, and recorded when the API server sends it again', async () => {
    let isAway = true;
    const { ledger, counted, send } = await received({ isKafkaAway: () => isAway });
    expect((await send([anAuditRecord()])).status).toBe(503);
    isAway = false;
    expect((await send([anAuditRecord()])).status).toBe(200);
    expect([ledger.length, counted]).toEqual([1, { 'local recorded': 1 }]);
  });

  it('is recorded while Postgres is unavailable, except for records that need rows of the tables', async () => {
    const { ledger, send } = await received({ isPostgresAway: true });
    expect((await send([anAuditRecord(), aPodDeletion()])).status).toBe(503);
    expect(ledger).toHaveLength(1);
  });

  it('gives at most 2000 events of one namespace, and the response has the number of the omitted events', async () => {
    const { ledger, send } = await received();
    const items = Array.from({ length: 2200 }, () => aJobResponse('1')).map((item, at) => ({
      ...(item as { metadata: object }),
      metadata: { name: `pi-${at}`, namespace: 'default', uid: `uid-${at}` },
    }));
    const deletion = anAuditRecord({
      verb: 'deletecollection',
      requestObject: {},
      responseObject: { items },
      requestReceivedTimestamp: '2026-01-01T08:00:00Z',
    });
    const { body } = await send([deletion]);
    expect(ledger).toHaveLength(2000);
    expect(body).toMatchObject({ recorded: 1, limited: 200 });
  });
});

describe('the deletion of a pod in an audit log', () => {
  it.each([
    ['its own Job (recorded)', { 'job-1': 'default/pi' }, 1],
    ['a Job that nobody has seen yet (recorded)', {}, 1],
    ['a Job of another namespace (omitted)', { 'job-1': 'bank/pi' }, 0],
    ['a CronJob as a Job (omitted)', { 'job-1': null }, 0],
  ])(
    'is recorded or omitted depending on the object in the owner reference of the pod: %s',
    async (_sentence, owners, count) => {
      const { ledger, send } = await received({ owners });
      expect((await send([aPodDeletion()])).status).toBe(200);
      expect(ledger).toHaveLength(count);
    },
  );
});

describe('a request for a Job in an audit log', () => {
  it.each([
    ['the named Job (recorded)', { 'job-1': 'default/pi' }, 1],
    ['no object that anybody has seen (recorded)', {}, 1],
    ['another Job (omitted)', { 'job-1': 'bank/pi' }, 0],
    ['a CronJob (omitted)', { 'job-1': null }, 0],
  ])(
    'is recorded or omitted depending on the object that has the UID of the request: %s',
    async (_sentence, owners, count) => {
      const { ledger, send } = await received({ owners });
      expect((await send([anAuditRecord()])).status).toBe(200);
      expect(ledger).toHaveLength(count);
    },
  );
});

describe('records of the audit log of a cluster', () => {
  it.each([
    ['of another cluster', 'audit-token', 'west'],
    ['of every cluster', 'any-audit-token', 'local'],
    ['of a namespace', 'namespace-audit-token', 'local'],
  ])('are refused with a token %s', async (_what, token, cluster) => {
    const { ledger, send } = await received();
    const { status, body } = await send([anAuditRecord()], { token, cluster });
    expect([status, ledger.length]).toEqual([403, 0]);
    expect(body).toMatchObject({ detail: expect.stringContaining(`in=${cluster}/*`) });
  });

  it('are refused, before the API reads them, when their token has another scope or is missing', async () => {
    const { send } = await received();
    expect((await send('{', { token: 'owner-token' })).status).toBe(403);
    expect((await send('{', { token: 'unknown' })).status).toBe(401);
  });

  it.each([
    ['no JSON', '{', 400],
    ['no batch', '{"kind":"Event"}', 400],
    ['too large', `{"kind":"EventList","items":["${'a'.repeat(5_000_000)}"]}`, 413],
    ['too deep', `{"kind":"EventList","items":${'['.repeat(100_000)}`, 400],
  ])('are refused as a whole when they are %s', async (_what, text, status) => {
    const { ledger, send } = await received();
    expect([(await send(text)).status, ledger.length]).toEqual([status, 0]);
  });

  it('are accepted four batches at a time, and a further batch must be sent again', async () => {
    let go: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => (go = resolve));
    server = await stubApi({ receive: () => waiting.then(() => NONE) });
    const send = async (): Promise<number | undefined> => {
      const answer = await server?.inject({
        method: 'POST',
        url: '/v1/audit/local',
        headers: { authorization: 'Bearer audit-token' },
        payload: { ...BATCH, items: [] },
      });
      return answer?.statusCode;
    };
    const first = Array.from({ length: 4 }, send);
    expect(await send()).toBe(503);
    go();
    expect(await Promise.all(first)).toEqual([200, 200, 200, 200]);
    expect(await send()).toBe(200);
  });
});
