import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { parse } from 'yaml';
import { exitCodeFor } from '../../cli/failure.ts';
import { programWith } from '../../cli/main.ts';
import type { Run } from '../../services/adapters/postgres/database.ts';
import type { Statement } from '../../services/adapters/postgres/statement.ts';
import { listeningApi, type ListeningApi } from '../support/listening-api.ts';
import { ROW } from '../support/stub-api.ts';

let api: ListeningApi;
let folder: string;
let printed: string;
const before = { ...process.env };

beforeAll(async () => {
  api = await listeningApi();
  folder = mkdtempSync(join(tmpdir(), 'jobledger-over-api-'));
  for (const name of ['owner', 'reader', 'team']) writeFileSync(join(folder, name), `${name}-token\n`);
  for (const name of ['JOBLEDGER_SERVER', 'JOBLEDGER_STATE_DIR', 'DATABASE_URL', 'JOBLEDGER_TOKEN_FILE'])
    delete process.env[name];
  process.env['XDG_CONFIG_HOME'] = folder;
});
afterAll(async () => {
  process.env = before;
  rmSync(folder, { recursive: true });
  await api.close();
});
beforeEach(() => {
  printed = '';
  const keep = (text: unknown): boolean => {
    printed += String(text);
    return true;
  };
  jest.spyOn(process.stdout, 'write').mockImplementation(keep);
  jest.spyOn(process.stderr, 'write').mockImplementation(keep);
});

async function run(...args: string[]): Promise<string> {
  printed = '';
  await (await programWith(args)).parseAsync(args, { from: 'user' });
  return printed;
}

/** A cluster as the tables have it. */
const EAST = {
  name: 'east',
  uid: null,
  version: null,
  apis: null,
  not_recorded: [],
  first_connected_at: null,
  last_connected_at: null,
  job_count: 0,
  unfinished_count: 0,
  gap_count: 0,
  last_gap_since: null,
  last_gap_until: null,
  last_api_request_at: null,
  active_pod_count: 0,
  placed_count: 0,
  dead_letter_count: null,
  first_dead_letter_at: null,
};

function withToken(name: string): string[] {
  return ['--server', api.url, '--token-file', join(folder, name)];
}

describe('a description through the API', () => {
  it('prints the coming starts of a CronJob', async () => {
    const text = await run('describe', 'cronjob/pi', ...withToken('reader'));
    expect(text).toMatch(
      /\nComing starts:\n(?:  \S+T\d\d:\d[05]:00\.000Z\n){5}Starts:\n  none that Jobledger decided; [^\n]+\n$/,
    );
  });
});

describe('the description of several Jobs as JSON', () => {
  it('has the form of one list, as in the output of the verb get', async () => {
    const described = async (...names: string[]): Promise<unknown> =>
      JSON.parse(await run('describe', ...names, '-o', 'json', ...withToken('reader')));
    expect(await described('pi', 'cronjob/pi')).toMatchObject([
      { job: { uid: 'u1' } },
      { cronJob: { name: 'pi' } },
    ]);
    expect(await described('pi')).toMatchObject({ job: { uid: 'u1' } });
  });
});

describe('the description of several names, of which one is refused', () => {
  it.each([[['Bad_Name', 'pi']], [['pi', 'Bad_Name']]])(
    'contains the other Jobs, followed by the error: %j',
    async (names) => {
      await expect(run('describe', ...names, ...withToken('reader'))).rejects.toThrow(
        '"Bad_Name" cannot be the name of',
      );
      expect(printed).toMatch(/^Name: +pi\n/);
      await expect(run('describe', ...names, '-o', 'json', ...withToken('reader'))).rejects.toThrow(
        'Bad_Name',
      );
      expect(JSON.parse(printed)).toMatchObject([{ job: { uid: 'u1' } }]);
    },
  );
});

describe('a spread Job that is listed through the API', () => {
  const grant = (number: number, placed_in: string, member_name: string, holds: string) => ({
    grant_number: number,
    placed_in,
    member_name,
    member_uid: `uid-${member_name}`,
    given_at: '2026-11-21T03:12:00Z',
    decision: 'd',
    rule: 'J-17.3',
    message: 'its share',
    stopping: null,
    refused: null,
    indexes: null,
    succeeded: 0,
    failed: 0,
    ended_at: null,
    end_reason: null,
    end_decision: null,
    end_message: null,
    overlapped: false,
    granted: [{ indexes: holds, since: '2026-11-21T03:12:00.000Z', until: null, decision: 'd' }],
    kubectl_status: 'Running',
    active: number,
  });
  const home = { ...ROW, managed_by: 'jobledger.dev/placement', placed_in: 'north, west' };
  const tables = (async ({ text, values }: Statement) => {
    if (/from jobledger\.jobs\s+where name = \$1/.test(text))
      return values[3] === null || values[3] === 'u1'
        ? [home]
        : [{ ...ROW, cluster: values[2], name: values[0], uid: values[3], member: true }];
    return text.includes('from jobledger.placements p')
      ? [grant(1, 'west', 'pi', '0-2'), grant(2, 'north', 'pi-m2', '3-5')]
      : [];
  }) as unknown as Run;
  let spread: ListeningApi;
  beforeAll(async () => {
    spread = await listeningApi({ reads: ({ caller: { places } }, work) => work(tables, places) });
  });
  afterAll(() => spread.close());
  const there = (): string[] => ['--server', spread.url, '--token-file', join(folder, 'reader')];
  const cells = (text: string): string[][] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/));
  const MEMBERS = [
    ['CLUSTER', 'MEMBER', 'STATUS', 'INDEXES', 'ACTIVE', 'SUCCEEDED', 'FAILED'],
    ['west', 'pi', 'Running', '0-2', '1', '0', '0'],
    ['north', 'pi-m2', 'Running', '3-5', '2', '0', '0'],
  ];

  it('has one line in the output of "get" for the Job, then one line for each member', async () => {
    const [whole, members] = (await run('get', 'pi', ...there())).split('\nMembers of local/default/pi:\n');
    expect(cells(whole ?? '')[1]?.slice(0, 3)).toEqual(['local → north, west', 'default', 'pi']);
    expect(cells(members ?? '')).toEqual(MEMBERS);
  });

  it('is one Job in the output of "get" in the form of names and of JSON', async () => {
    expect(await run('get', 'pi', '-o', 'name', ...there())).toBe('local/default/pi\n');
    expect(JSON.parse(await run('get', 'pi', '-o', 'json', ...there()))).toMatchObject({ uid: 'u1' });
  });

  it('is described with its members and the pods of each member', async () => {
    const text = await run('describe', 'pi', ...there());
    const [, members = ''] = /\nMembers:\n((?: .*\n)+)/.exec(text) ?? [];
    expect(cells(members)).toEqual(MEMBERS);
    expect(text).toContain('Pods of pi in west: none\nPods of pi-m2 in north: none');
  });
});

describe('the verb get through the API', () => {
  const get = (...args: string[]): Promise<string> => run('get', ...args, ...withToken('reader'));

  it('prints the same table as with direct access', async () => {
    expect(await get()).toMatch(/^CLUSTER +NAMESPACE +NAME +STATUS .*\nlocal +default +pi +Running +0\/1 /);
    expect(await get('cronjobs', '-A')).toMatch(/^CLUSTER .*\nlocal +default +pi +\*\/5 \* \* \* \* /);
  });

  it('prints more columns with "-o wide", and names for use in other verbs with "-o name"', async () => {
    expect(await get('pi', '-o', 'wide')).toMatch(/CONTROLLER +STARTED .* UID\n.* Jobledger .* u1\n$/);
    expect(await get('-o', 'name')).toBe('local/default/pi\n');
    expect(await get('cronjobs', '-o', 'name')).toBe('cronjob/local/default/pi\n');
  });

  it('lists every Job of a name with the option for deleted Jobs', async () => {
    const rows = [
      { ...ROW, uid: 'u3' },
      { ...ROW, deleted_at: '2026-11-21T03:20:00Z' },
      { ...ROW, uid: 'u4', name: 'tau' },
    ];
    const list = (async ({ text, values }: Statement) => {
      if (text.includes('min(first_seen_at)')) return [{ at: '0001-01-01T00:00:00Z' }];
      const [, , wanted, , , , , , , deleted] = values;
      return /from jobledger\.jobs\s+where \(\$1/.test(text)
        ? rows.filter(({ name, deleted_at: at }) => name === wanted && (deleted === true || at === null))
        : [];
    }) as unknown as Run;
    const many = await listeningApi({ reads: ({ caller: { places } }, work) => work(list, places) });
    const there = ['--server', many.url, '--token-file', join(folder, 'reader')];
    try {
      const text = await run('get', 'pi', '--deleted', '-o', 'json', ...there);
      expect((JSON.parse(text) as { uid: string }[]).map(({ uid }) => uid)).toEqual(['u3', 'u1']);
      await expect(run('get', 'unheard', '--deleted', ...there)).rejects.toThrow(
        'no Job named "unheard" was ever seen',
      );
    } finally {
      await many.close();
    }
  });

  it('prints the rows as JSON and YAML, with active_deadline_seconds as a text, as with direct access', async () => {
    const row: unknown = JSON.parse(await get('pi', '-o', 'json'));
    expect(row).toMatchObject({ uid: 'u1', active_deadline_seconds: '300' });
    expect(parse(await get('pi', '-o', 'yaml'))).toEqual(row);
    expect(parse(await get('-o', 'yaml'))).toEqual([row]);
  });

  it.each([
    [['-A', '-n', 'web'], 'give either --all-namespaces or --namespace'],
    [['pi', '-l', 'a=b'], 'for lists only; leave out the names'],
    [['-l', 'a in'], 'is not a requirement of a label selector'],
    [['--status', 'Complete'], 'the statuses are Pending, Running, Retrying'],
    [['pi', '--status', 'Failed'], '--status: for lists only'],
    [
      ['cronjobs', '--sort-by', 'name'],
      '--status, --sort-by, --since, --group-by and --members are for Jobs',
    ],
    [['pods'], 'jobledger describe JOB'],
    [['pod/pi-x'], 'is a pod: "jobledger describe JOB" shows all pods'],
    [['unheard'], 'no Job named "unheard" was ever seen'],
    [['--uid', 'u1'], '--uid identifies one Job: also give its name'],
    [['nope/default/unheard'], 'no cluster "nope" was ever connected; there are: none'],
  ])('refuses the arguments %j', async (args, message) => {
    await expect(get(...args)).rejects.toThrow(message);
  });
});

describe('the list of the Jobs of an unknown cluster', () => {
  it('ends with an error that names the connected clusters, while the list of a known cluster may be empty', async () => {
    const tables = (async ({ text }: Statement) => {
      if (text.includes('min(first_seen_at)')) return [{ at: '0001-01-01T00:00:00Z' }];
      return text.includes('from jobledger.clusters') ? [EAST] : [];
    }) as unknown as Run;
    const empty = await listeningApi({ reads: ({ caller: { places } }, work) => work(tables, places) });
    const there = ['--server', empty.url, '--token-file', join(folder, 'reader')];
    try {
      for (const list of [[], ['cronjobs'], ['--group-by', 'reason']]) {
        await expect(run('get', ...list, '--cluster', 'nope', ...there)).rejects.toThrow(
          'no cluster "nope" was ever connected; there are: east',
        );
        expect(await run('get', ...list, '--cluster', 'east', ...there)).toMatch(/^no /);
      }
    } finally {
      await empty.close();
    }
  });
});

describe('a user request through the API', () => {
  it('is recorded for the signed-in user, or for the user whom the signed-in user names', async () => {
    expect(await run('suspend', 'pi', ...withToken('owner'))).toBe(
      'local/default/pi: suspend requested by owner; "jobledger history" shows the outcome\n',
    );
    expect(await run('resume', 'pi', '--by', 'alice', ...withToken('owner'))).toContain(
      'resume requested by alice (by owner)',
    );
  });

  it('fails without the right for the request', async () => {
    await expect(run('suspend', 'pi', ...withToken('reader'))).rejects.toThrow('this needs operate');
  });
});

describe('the verb submit through the API', () => {
  const manifest = (kind: string): string =>
    `apiVersion: batch/v1\nkind: ${kind}\nmetadata: {name: pi}\nspec: {template: {}}\n`;

  it('creates the Jobs of a file in the cluster', async () => {
    const file = join(folder, 'jobs.yaml');
    writeFileSync(file, `${manifest('Job')}---\n${manifest('Job')}`);
    const args = ['-f', file, '--cluster', 'local', ...withToken('owner')];
    expect(await run('submit', ...args)).toBe('local/default/pi created\nlocal/default/pi created\n');
    expect(await run('submit', '--dry-run', ...args)).toContain('local/default/pi is valid\n');
  });

  it('accepts only Jobs, and fails without an API', async () => {
    const file = join(folder, 'cron-job.yaml');
    writeFileSync(file, manifest('CronJob'));
    await expect(run('submit', '-f', file, '--cluster', 'local', ...withToken('owner'))).rejects.toThrow(
      `${file}, document 1 is a CronJob, not a Job`,
    );
    writeFileSync(file, manifest('Job'));
    await expect(run('submit', '-f', file, '--state-dir', folder)).rejects.toThrow('submit needs an API');
  });

  it('reports an unreadable file before it reports a missing API', async () => {
    await expect(run('submit', '-f', join(folder, 'nonexist'))).rejects.toThrow('nonexist cannot be read');
  });
});

describe('a value that only the API can refuse', () => {
  it('is named in the error by its flag, or by its field of the manifest', async () => {
    await expect(run('suspend', 'pi', '--by', 'a\u0007', ...withToken('owner'))).rejects.toThrow(
      /^--by: 1 to 200 characters, and must not contain control/,
    );
    await expect(run('retry', 'pi', '--new-name', 'x'.repeat(1001), ...withToken('owner'))).rejects.toThrow(
      /^--new-name: 1 to 1000 characters/,
    );
    const file = join(folder, 'number.yaml');
    writeFileSync(
      file,
      'apiVersion: batch/v1\nkind: Job\nmetadata: {name: pi, namespace: 7}\nspec: {template: {}}\n',
    );
    await expect(run('submit', '-f', file, '--cluster', 'local', ...withToken('owner'))).rejects.toThrow(
      `${file}, document 1: metadata.namespace: `,
    );
  });
});

describe('the error of a verb that works only through an API, when a setting chooses direct access', () => {
  afterEach(() => void delete process.env['JOBLEDGER_STATE_DIR']);

  it('names the variable that chooses direct access', async () => {
    process.env['JOBLEDGER_STATE_DIR'] = folder;
    for (const verb of [['whoami'], ['retry', 'pi']])
      await expect(run(...verb)).rejects.toThrow(
        `${verb[0]} needs an API, but JOBLEDGER_STATE_DIR chooses the servers instead: unset it to use the current context of "jobledger login", or give --context or --server`,
      );
  });

  it('names the option that chooses direct access', async () => {
    await expect(run('whoami', '--state-dir', folder)).rejects.toThrow(
      'whoami needs an API, but --state-dir chooses the servers instead: leave it out to use',
    );
    await expect(run('whoami')).rejects.toThrow('whoami needs an API: sign in with "jobledger login URL"');
  });
});

describe('the verb retry', () => {
  it('explains why a Job cannot be retried, and fails without an API', async () => {
    await expect(run('retry', 'pi', ...withToken('owner'))).rejects.toThrow(
      'cannot retry local/default/pi: it has not ended',
    );
    await expect(run('retry', 'pi', '--state-dir', folder)).rejects.toThrow('retry needs an API');
  });
});

describe('the verb wait', () => {
  it('ends with a separate exit status when the time limit is reached', async () => {
    const failure = await run('wait', 'pi', '--timeout', '1s', ...withToken('reader')).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ message: 'local/default/pi has not ended after 1 s: Running' });
    expect(exitCodeFor(failure)).toBe(3);
  });

  it('has different exit statuses for an end that is not the expected end, and for a wait that failed', async () => {
    const finished = { kubectl_status: 'Failed', status: 'Failed', finished_at: '2026-11-21T03:12:00Z' };
    const rows = (({ text }: Statement) =>
      Promise.resolve(
        /from jobledger\.jobs\s+where name = \$1/.test(text) ? [{ ...ROW, ...finished }] : [],
      )) as unknown as Run;
    const failing = await listeningApi({ reads: ({ caller: { places } }, work) => work(rows, places) });
    const wait = (): Promise<unknown> =>
      run('wait', 'pi', '--server', failing.url, '--token-file', join(folder, 'reader')).catch(
        (error: unknown) => error,
      );
    const ended = await wait();
    await failing.close();
    expect(ended).toMatchObject({ message: expect.stringContaining('local/default/pi: Failed') });
    expect(exitCodeFor(ended)).toBe(4);
    const unreachable = await wait();
    expect(exitCodeFor(unreachable)).toBe(1);
  });
});

describe('the verb whoami', () => {
  it('names the scopes, each with the places where the caller has it', async () => {
    expect(await run('whoami', ...withToken('owner'))).toBe(
      [
        `signed in at ${api.url} as owner with the scopes read, submit, operate, prices`,
        '  read: every namespace of every cluster',
        '  submit: every namespace of every cluster',
        '  operate: every namespace of every cluster',
        '  prices: every namespace of every cluster',
        '',
      ].join('\n'),
    );
    expect(await run('whoami', ...withToken('team'))).toContain('\n  operate: */team-a\n');
  });

  it('shows the additional fields that each cluster records, to callers with the scope read', async () => {
    const names = ['east', 'north', 'west'];
    const tables = (async ({ text }: Statement) =>
      text.includes('from jobledger.clusters')
        ? names.map((name) => ({ ...EAST, name }))
        : []) as unknown as Run;
    const led = { leader: 'a', leadingSince: null, shards: [], jobsReceivedAt: null, podsReceivedAt: null };
    const watches = new Map([
      ['east', { ...led, recordedFields: ['pod.spec.containers.command', 'pod.spec.containers.args'] }],
      ['west', { ...led, recordedFields: [] }],
    ]);
    const three = await listeningApi({
      reads: ({ caller: { places } }, work) => work(tables, places),
      watches: () => Promise.resolve(watches),
    });
    const there = (name: string): string[] => ['--server', three.url, '--token-file', join(folder, name)];
    try {
      const [reader, team] = [await run('whoami', ...there('reader')), await run('whoami', ...there('team'))];
      const asJson: unknown = JSON.parse(await run('whoami', '-o', 'json', ...there('reader')));
      expect(reader).toContain(
        [
          '\nfields that are recorded besides the reviewed fields:',
          '  east: pod.spec.containers.command, pod.spec.containers.args',
          '  north: unknown, because no ingester leads the cluster or Kafka does not answer',
          '  west: no further fields\n',
        ].join('\n'),
      );
      expect(asJson).toMatchObject({ name: 'reader', recorded_fields: { north: null, west: [] } });
      expect(team).not.toContain('recorded');
    } finally {
      await three.close();
    }
  });
});

describe('the verb login', () => {
  it('tries the token and stores the context, which other verbs then use', async () => {
    const output = await run('login', api.url, '--name', 'here', '--token-file', join(folder, 'reader'));
    expect(output).toContain(`signed in at ${api.url} as reader with the scopes read; context "here" is in `);
    expect(output).not.toContain('reader-token');
    expect(await run('get', '-o', 'name')).toBe('local/default/pi\n');
    expect(await run('contexts')).toMatch(/^CURRENT +NAME +SERVER +TOKEN\n\* +here +http/);
    expect(await run('login', api.url, '--name', 'boss', '--token-file', join(folder, 'owner'))).toContain(
      'as owner with the scopes read, submit, operate',
    );
    await run('use', 'here');
    await expect(run('suspend', 'pi')).rejects.toThrow('the token "reader"');
    expect(await run('suspend', 'pi', '--context', 'boss')).toContain('requested by owner');
    expect(await run('logout')).toContain('context "here" was removed');
    expect(readFileSync(join(folder, 'jobledger', 'config.yaml'), 'utf8')).not.toContain('here');
  });

  it('accepts the address of the page as the address of the API', async () => {
    const token = ['--token-file', join(folder, 'reader')];
    for (const page of ['/ui/', '/ui/#/jobs/pi', '/ui/sign-in'])
      expect(await run('login', `${api.url}${page}`, ...token)).toContain(
        `signed in at ${api.url} as reader`,
      );
    await run('logout');
  });

  it.each(['ftp://jobledger.example.com', 'jobledger.example.com', 'localhost:21390'])(
    'refuses the address %s before it reads a token, and describes the expected URL',
    async (url) => {
      await expect(run('login', url, '--token-file', join(folder, 'none'))).rejects.toThrow(
        `"${url}" is not the URL of an API; expected https://HOST[:PORT] or http://…`,
      );
    },
  );

  it('asks for a token when the standard input is empty', async () => {
    const { stdin } = process;
    Object.defineProperty(process, 'stdin', { value: Readable.from(['\n']), configurable: true });
    try {
      await expect(run('login', api.url, '--name', 'empty')).rejects.toThrow(
        `${api.url} requires a token, but the standard input is empty: give --token-file, or write the token to the standard input`,
      );
    } finally {
      Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
    }
  });

  it('reports that no server listens on a port', async () => {
    await expect(run('login', 'http://127.0.0.1:9')).rejects.toThrow(
      'the API at http://127.0.0.1:9 cannot be reached; nothing listens at this address: check the host and the port, which "jobledger up" prints as api=',
    );
  });

  it('stores nothing when the API refuses the token', async () => {
    const file = join(folder, 'wrong');
    writeFileSync(file, 'wrong-token');
    await expect(run('login', api.url, '--name', 'wrong', '--token-file', file)).rejects.toThrow(
      'does not know who you are',
    );
    expect(await run('contexts', '-o', 'json')).not.toContain('wrong');
  });
});
