import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createLog } from '../../services/adapters/process/log.ts';
import { readConfig } from '../../services/adapters/config.ts';
import { httpEnvironment, requireAccess } from '../../services/api/access/config.ts';
import { toCursor, cursorParameter, pageFrom, PARTS } from '../../services/api/cursor.ts';
import { countLag, checkReadiness } from '../../services/api/readiness.ts';
import { instantParameter, kubectlStatuses, limit, limitOfPods } from '../../services/api/schemas/values.ts';
import { manifestSchema, submittedManifest } from '../../services/api/submission/manifest.ts';

describe('a cursor of the API', () => {
  const parameter = cursorParameter([PARTS.text, PARTS.instant], ['a', '2026-04-01T03:12:00Z']);

  it('is unchanged after it is written and read, and a URL can contain it unescaped', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.includes('\u0000'));
        const place = [text, '2026-04-01T03:12:00.123Z'];
        expect(parameter.parse(toCursor(place))).toEqual(place);
        expect(new URLSearchParams(`cursor=${toCursor(place)}`).get('cursor')).toBe(toCursor(place));
      }),
    );
  });

  it.each([
    'x',
    toCursor(['a']),
    toCursor(['a', 'b']),
    toCursor(['a\u0000', '2026-04-01T03:12:00Z']),
    toCursor(['a', '2026-02-30T03:12:00Z']),
    toCursor(['a', '2026-04-01T03:12:00Z', 'b']),
    Buffer.from('["a","2026-04-01T03:12:00Z"]').toString('base64url'),
  ])('is refused when it is %s', (word) => {
    expect(() => parameter.parse(word)).toThrow('pass the value `next` of the previous page unchanged');
  });

  it('is present only when more rows exist', () => {
    const place = (row: number): string[] => [String(row)];
    expect(pageFrom([1, 2, 3], 2, place)).toEqual({ items: [1, 2], next: toCursor(['2']) });
    expect(pageFrom([1, 2], 2, place)).toEqual({ items: [1, 2], next: null });
    expect(pageFrom([], 2, place)).toEqual({ items: [], next: null });
  });
});

describe('the values in a query of the API', () => {
  it.each(['2026-04-01T03:12:00Z', '2026-04-01T03:12:00.123456+02:00'])(
    'may contain the instant %s',
    (text) => {
      expect(instantParameter.parse(text)).toBe(text);
    },
  );

  it.each(['2026-04-01T03:12:00', '2026-04-01', '03:12', 'yesterday', '', '2026-13-01T00:00:00Z'])(
    'may not contain the invalid instant %j',
    (text) => {
      expect(() => instantParameter.parse(text)).toThrow('an instant with its time zone');
    },
  );

  it.each(['0', '501', '-1', '1.5', 'x', ''])('may not ask for a page of %j rows', (text) => {
    expect(() => limit.parse(text)).toThrow('a whole number from 1 to 500');
  });

  it('can ask for a longer page of the pods of a Job', () => {
    expect(limitOfPods.parse('5000')).toBe(5000);
    expect(() => limitOfPods.parse('5001')).toThrow('a whole number from 1 to 5000');
  });
});

describe('the statuses in a query for Jobs', () => {
  it('can be any status that a Job can have', () => {
    expect(kubectlStatuses.parse('Running,FailureTarget')).toEqual(['Running', 'FailureTarget']);
  });

  it.each(['running', 'Succeeded', '', 'Running,'])(
    'cannot have the value %j, and the error lists the valid statuses',
    (text) => {
      expect(() => kubectlStatuses.parse(text)).toThrow('valid values: Unknown, Running,');
    },
  );
});

describe('a configuration of the access to the API', () => {
  const read = (environment: Record<string, string>): unknown =>
    readConfig(httpEnvironment.superRefine(requireAccess), environment);

  it.each([
    [{}, 'JOBLEDGER_API_TOKENS_FILE: set the path of the file of tokens'],
    [
      { JOBLEDGER_API_WITHOUT_TOKENS: 'true', JOBLEDGER_API_ADDRESS: '0.0.0.0:80' },
      'JOBLEDGER_API_WITHOUT_TOKENS: is for loopback addresses only, not 0.0.0.0',
    ],
    [
      { JOBLEDGER_API_WITHOUT_TOKENS: 'true', JOBLEDGER_API_ADDRESS: '[::]:80' },
      'is for loopback addresses only, not ::',
    ],
    [{ JOBLEDGER_API_WITHOUT_TOKENS: 'true', JOBLEDGER_API_TOKENS_FILE: 'x' }, 'set only one of them'],
    [{ JOBLEDGER_API_WITHOUT_TOKENS: 'yes' }, 'JOBLEDGER_API_WITHOUT_TOKENS'],
    [
      { JOBLEDGER_API_TOKENS_FILE: 'x', JOBLEDGER_API_ADDRESS: '80' },
      'JOBLEDGER_API_ADDRESS: give host:port',
    ],
    ...['proxy', '10.0.0.1/33', '10.0.0.1/', '::1/129', 'loopback', '10.0.0.0/8/8', '0.0.0.0/0'].map(
      (network): [Record<string, string>, string] => [
        { JOBLEDGER_API_TOKENS_FILE: 'x', JOBLEDGER_API_TRUSTED_PROXIES: network },
        'JOBLEDGER_API_TRUSTED_PROXIES: give addresses or networks',
      ],
    ),
  ])('is refused when it is %j', (environment, message) => {
    expect(() => read(environment)).toThrow(message);
  });

  it.each([
    { JOBLEDGER_API_TOKENS_FILE: 'x', JOBLEDGER_API_ADDRESS: '0.0.0.0:80' },
    { JOBLEDGER_API_WITHOUT_TOKENS: 'true' },
    { JOBLEDGER_API_WITHOUT_TOKENS: 'true', JOBLEDGER_API_ADDRESS: 'localhost:80' },
    { JOBLEDGER_API_WITHOUT_TOKENS: 'true', JOBLEDGER_API_ADDRESS: '[::1]:80' },
    { JOBLEDGER_API_TOKENS_FILE: 'x', JOBLEDGER_API_TRUSTED_PROXIES: '10.1.0.0/16, 2001:db8::7' },
  ])('is accepted when it is %j', (environment) => {
    expect(() => read(environment)).not.toThrow();
  });
});

describe('a submitted manifest of a Job', () => {
  const manifest = manifestSchema.parse({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'pi', annotations: { kept: 'yes' } },
    spec: { parallelism: 2, template: { spec: {} } },
  });

  it('names Jobledger as manager and the submitting user, and keeps unknown fields', () => {
    expect(submittedManifest(manifest, { claim: 'managed', by: 'ops' })).toEqual({
      ...manifest,
      metadata: { name: 'pi', annotations: { kept: 'yes', 'jobledger.dev/submitted-by': 'ops' } },
      spec: { ...manifest.spec, managedBy: 'jobledger.dev/job-controller' },
    });
  });

  it('keeps its own manager, and gets no manager where Jobledger controls Jobs without managedBy', () => {
    const foreign = { ...manifest, spec: { ...manifest.spec, managedBy: 'example.com/other' } };
    expect(submittedManifest(foreign, { claim: 'managed', by: 'ops' }).spec.managedBy).toBe(
      'example.com/other',
    );
    expect(submittedManifest(manifest, { claim: 'all', by: 'ops' }).spec).toEqual(manifest.spec);
  });

  it.each([{ name: 'a', generateName: 'b-' }, {}])('is refused when it has the metadata %j', (metadata) => {
    expect(() => manifestSchema.parse({ ...manifest, metadata })).toThrow('set either name or generateName');
  });
});

describe('the readiness of the API', () => {
  const log = createLog('test');
  log.level = 'silent';
  const well = (): Promise<object> => Promise.resolve({});
  const down = (): Promise<never> => Promise.reject(new Error('postgres://me:secret@db is away'));

  it('is true when every server and service answers', async () => {
    expect(await checkReadiness({ postgres: well, kafka: well }, log)).toMatchObject({ status: 'ready' });
  });

  it('names the unavailable server or service, without its address', async () => {
    const readiness = await checkReadiness({ postgres: well, kafka: down }, log);
    expect(readiness).toEqual({
      status: 'degraded',
      parts: { postgres: { status: 'ok' }, kafka: { status: 'down' } },
    });
  });

  it('is false without Postgres', async () => {
    expect(await checkReadiness({ postgres: down, kafka: well }, log)).toMatchObject({
      status: 'unavailable',
    });
  });

  it('reports tables that are behind the ledger', async () => {
    const behind = (): Promise<{ behind: boolean; detail: string }> =>
      Promise.resolve({ behind: true, detail: 'by 10' });
    const { status, parts } = await checkReadiness({ postgres: well, projection: behind }, log);
    expect([status, parts['projection']]).toEqual(['degraded', { status: 'behind', detail: 'by 10' }]);
    const [ends, applied] = [
      new Map([
        [0, 7n],
        [1, 4n],
      ]),
      new Map([
        [0, 5n],
        [2, 9n],
      ]),
    ];
    expect(countLag(ends, applied)).toBe(6n);
  });
});
