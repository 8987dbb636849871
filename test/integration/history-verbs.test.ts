import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Command } from 'commander';
import { ledgerIn } from '../support/ledger-in.ts';
import { registerReplay } from '../../cli/verbs/replay/replay.ts';
import { registerVerify } from '../../cli/verbs/verify/verify.ts';
import { registerWhatIf } from '../../cli/verbs/what-if/what-if.ts';
import { registerWhy } from '../../cli/verbs/why/why.ts';
import { exitCodeFor } from '../../cli/failure.ts';
import type { Finding } from '../../workflows/history/verify/finding.ts';
import type { Replay } from '../../workflows/history/replay/replay-to.ts';
import type { ReplayStep } from '../../workflows/history/replay/replay-steps.ts';
import type { WhatIf } from '../../workflows/history/what-if/types.ts';
import type { Why } from '../../workflows/history/why/types.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { failingFirst } from '../support/cluster.ts';
import { earlierBuild } from '../support/earlier-build.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';

let installation: Installation;
const scratch = mkdtempSync(join(tmpdir(), 'jobledger-history-'));

beforeAll(async () => {
  installation = await install({ environment: { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '4000' } });
  await installation.startServices();
}, 240_000);

afterAll(async () => {
  await installation?.stop();
  rmSync(scratch, { recursive: true, force: true });
}, 30_000);

interface Outcome {
  status: number;
  out: string;
  errors: string;
}

const VERBS = [registerWhy, registerReplay, registerWhatIf, registerVerify];

/** Runs a verb with a user's environment variables. */
async function jobledger(...args: string[]): Promise<Outcome> {
  const { DATABASE_URL = '' } = installation.environment;
  Object.assign(process.env, { DATABASE_URL, ...ledgerIn(installation.environment) });
  const [out, errors] = [process.stdout, process.stderr].map((stream) => {
    const written: string[] = [];
    const spy = jest.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    return { spy, text: () => written.join('') };
  });
  const program = new Command('jobledger').exitOverride();
  for (const register of VERBS) register(program);
  let status = 0;
  try {
    await program.parseAsync([...args, '--state-dir', installation.stateDir], { from: 'user' });
    status = Number(process.exitCode ?? 0);
  } catch (error) {
    status = exitCodeFor(error);
  } finally {
    process.exitCode = undefined;
    for (const each of [out, errors]) each?.spy.mockRestore();
  }
  return { status, out: out?.text() ?? '', errors: errors?.text() ?? '' };
}

/** Runs `admin verify --all` by another build of the source tree. */
function verifyBy(root: string): Promise<Outcome> {
  const { PATH, HOME } = installation.environment;
  const verb = ['admin', 'verify', '--all', '-o', 'json', '--state-dir', installation.stateDir];
  const options = { env: { ...ledgerIn(installation.environment), PATH, HOME }, maxBuffer: 2 ** 26 };
  return new Promise((resolve) => {
    const child = execFile(
      'node',
      [join(root, 'cli/jobledger.mjs'), ...verb],
      options,
      (_error, out, errors) => {
        resolve({ status: child.exitCode ?? -1, out, errors });
      },
    );
  });
}

async function asked<T>(...args: string[]): Promise<T> {
  const { status, out, errors } = await jobledger(...args, '-o', 'json');
  expect({ status, errors }).toEqual({ status: 0, errors: '' });
  return JSON.parse(out) as T;
}

/** Resolves when the tables have the last version of the Job in the cluster. */
async function recorded(name: string): Promise<Job> {
  const { cluster, sql } = installation;
  return eventually(`${name} is recorded as it ended`, 30, async () => {
    const job = await cluster.job(name);
    const rows = await sql(
      `select 1 from jobledger.jobs where uid = $1 and resource_version >= $2 and finished_at is not null`,
      [job?.metadata.uid, job?.metadata.resourceVersion],
    );
    return rows.length > 0 ? job : undefined;
  });
}

/** Makes each pod last for two seconds, because the API truncates instants to seconds. */
const slowly = ([shell = '', flag = '', script = '']: string[]): string[] => [
  shell,
  flag,
  `sleep 2; ${script}`,
];

const scratchFor = (name: string): string => {
  const folder = join(scratch, name);
  mkdirSync(folder);
  return folder;
};

describe('the history of Jobs that ran', () => {
  let flaky: Job;
  let doomed: Job;

  it('is in the tables soon after the Jobs have ended', async () => {
    const { cluster } = installation;
    await Promise.all([
      cluster.createJob(
        'flaky',
        { backoffLimit: 4 },
        { command: slowly(failingFirst(2, scratchFor('flaky'))) },
      ),
      cluster.createJob('doomed', { backoffLimit: 1 }, { command: ['sh', '-c', 'exit 7'] }),
    ]);
    await Promise.all(['flaky', 'doomed'].map((name) => cluster.finished(name, 60)));
    [flaky, doomed] = await Promise.all([recorded('flaky'), recorded('doomed')]);
    expect([flaky.status?.failed, doomed.status?.failed]).toEqual([2, 2]);
  }, 120_000);

  it('is explained by the verb why, from the last pod back through each failure and its back-off to the creation of the Job', async () => {
    const pods = await installation.sql<{ name: string }>(
      `select name from jobledger.pods where job_uid = $1 order by created_at, first_seen_at`,
      [flaky.metadata.uid],
    );
    const last = pods.at(-1)?.name ?? '';
    const { answers, causes, waits } = await asked<Why>('why', `pod/${last}`);
    expect(answers.map(({ question }) => question)).toEqual([
      'why it was created',
      'how it ended',
      'how it was counted',
    ]);
    expect(answers[0]?.message).toMatch(/the back-off after 2 failures is over/);
    expect(causes.at(-1)?.message).toMatch(/^first seen/);
    for (const { name } of pods)
      expect(causes.some(({ message }) => message.startsWith(`CreatePods ${name}:`))).toBe(true);
    expect(waits.map(({ rule }) => rule)).toEqual(['J-5.40', 'J-5.40']);
    const ids = new Set(causes.map(({ id }) => id));
    for (const { because } of [...answers, ...causes, ...waits])
      for (const id of because) expect(ids).toContain(id);
    const { out } = await jobledger('why', 'job/doomed');
    expect(out).toMatch(/why it failed: BackoffLimitExceeded: Job has reached the specified backoff limit/);
    expect(out).toMatch(/no pod before .*: back-off after 1 failure in a row \[J-5.40]/);
  }, 60_000);

  it('is folded by the verb replay to the last status in the cluster, and up to an earlier event to the status of that time', async () => {
    const end = await asked<Replay>('replay', 'flaky');
    expect(end.state.job?.status).toMatchObject({ succeeded: 1, failed: 2 });
    expect(end).toMatchObject({ different: [], followed: null });
    const statuses = await installation.sql<{ id: string; status: object }>(
      `select id, data -> 'object' -> 'status' as status from jobledger.events
       where job_uid = $1 and type = 'job.observed' and data -> 'object' -> 'status' <> '{}' order by kafka_offset`,
      [flaky.metadata.uid],
    );
    expect(statuses.length).toBeGreaterThan(2);
    const middle = statuses[Math.floor(statuses.length / 2)];
    const then = await asked<Replay>('replay', 'flaky', '--until', middle?.id ?? '');
    expect(then.state.job?.status).toEqual(middle?.status);
    const at = await asked<Replay>('replay', 'flaky', '--at', then.at);
    expect(Date.parse(at.at)).toBeLessThanOrEqual(Date.parse(then.at));
    const steps = await asked<ReplayStep[]>('replay', 'flaky', '--step');
    expect(
      steps.some(({ changes }) => changes.some(({ path }) => path.join('.') === 'backoff.failures')),
    ).toBe(true);
    expect((await jobledger('replay', 'flaky')).out).toMatch(/Status:\n.*succeeded: +1/s);
  }, 60_000);

  it('gives a known result to a what-if with fewer retries, and an unknown result to a what-if with more retries', async () => {
    const policy = join(scratch, 'policy.yaml');
    writeFileSync(policy, 'rules: [{action: FailJob, onExitCodes: {operator: In, values: [7]}}]');
    const fewer = await asked<{ jobs: { answer: WhatIf }[] }>(
      'what-if',
      'flaky',
      '--set',
      'spec.backoffLimit=0',
    );
    expect(fewer.jobs[0]?.answer).toMatchObject({
      comparison: 'different',
      actual: { type: 'Complete' },
      counterfactual: { type: 'Failed', reason: 'BackoffLimitExceeded' },
    });
    expect(fewer.jobs[0]?.answer.podHours.saved).toBeGreaterThan(0);
    const all = await asked<{ jobs: { job: string; answer: WhatIf }[] }>(
      'what-if',
      '--all',
      '--set',
      'backoffLimit=5',
    );
    const results = Object.fromEntries(all.jobs.map(({ job, answer }) => [job, answer.comparison]));
    expect(results).toEqual({ 'local/default/flaky': 'same', 'local/default/doomed': 'unknown' });
    const { out } = await jobledger('what-if', 'doomed', '--set-file', `podFailurePolicy=${policy}`);
    expect(out).toMatch(/local\/default\/doomed +different .*Failed \(PodFailurePolicy\) at /);
    expect(out).toMatch(/^1 Job: 0 the same, 1 different, 0 unknown; /m);
  }, 60_000);

  it('is verified as a whole, or with --since only for the decisions from an instant on', async () => {
    const { out, status } = await jobledger('verify', '--all');
    expect(status).toBe(0);
    const count = Number(/^(\d+) decisions of 2 Jobs repeated: no difference$/m.exec(out)?.[1]);
    expect(count).toBeGreaterThan(6);
    const [fourth] = await installation.sql<{ now: string; later: number }>(
      `select (data ->> 'now') as now,
         (select count(*)::integer from jobledger.events l
          where l.type = 'job.decided' and (l.data ->> 'now')::bigint >= (e.data ->> 'now')::bigint) as later
       from jobledger.events e where type = 'job.decided' order by (data ->> 'now')::bigint offset 3 limit 1`,
    );
    const since = new Date(Number(fourth?.now)).toISOString();
    const found = await asked<{ decisions: number; findings: Finding[] }>(
      'verify',
      '--all',
      '--since',
      since,
    );
    expect(found).toMatchObject({ decisions: fourth?.later, findings: [] });
    expect(found.decisions).toBeLessThan(count);
  }, 60_000);

  it('is verified by a build with one changed rule, and then exactly the decisions by this rule differ', async () => {
    const root = earlierBuild([
      {
        file: 'workflows/job/decide/pods/backoff.ts',
        now: '2 ** (failures - 1)',
        was: '3 ** (failures - 1)',
      },
    ]);
    try {
      const { out, status } = await verifyBy(root);
      expect(status).toBe(1);
      const { findings } = JSON.parse(out) as { findings: (Finding & { stream: string })[] };
      expect(findings.length).toBeGreaterThan(0);
      for (const { type, stream, context } of findings) {
        // The delay after one failure is the same; only the delay after the second failure of this Job differs.
        expect([type, stream]).toEqual(['different', 'local/default/flaky']);
        expect(context.join('\n')).toMatch(/back-off after 2 failures/);
      }
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }, 60_000);
});

describe('a verb about history with bad input', () => {
  it.each([
    [
      'an instant without zone',
      ['replay', 'flaky', '--at', '2026-11-21T03:12:00'],
      /--at: .* write 2026-11-21T03:12:00Z/,
    ],
    [
      'an instant before the first event',
      ['replay', 'flaky', '--at', '2001-01-01T00:00:00Z'],
      /its first event is of 20/,
    ],
    [
      'two points',
      ['replay', 'flaky', '--at', '2026-11-21T03:12:00Z', '--until', '1'],
      /either --at or --until/,
    ],
    ['an event that is not there', ['replay', 'flaky', '--until', 'none'], /no event "none"/],
    [
      'since without zone',
      ['verify', '--all', '--since', '2026-11-21T03:12'],
      /--since: .*names no time zone/,
    ],
    ['an unknown Job', ['replay', 'flakey'], /no Job named "flakey" was ever seen/],
    ['an unknown pod', ['why', 'pod/flaky-nobody'], /no pod named "flaky-nobody" was ever seen/],
    [
      'SQL for a name',
      ['why', "pod/'; drop table jobledger.jobs --"],
      /"'; drop table jobledger.jobs --" cannot be the name of/,
    ],
    ['SQL for the name of a Job', ['why', "job/x') or ('1'='1"], /cannot be the name of/],
    [
      'a decision that was never made',
      ['why', 'job/flaky', '--decision-number', '999'],
      /no decision 999: its decisions go from 1 to /,
    ],
    ['no Job to ask about', ['what-if', '--set', 'backoffLimit=1'], /name the Job, or give --all/],
    ['no other policy', ['what-if', 'flaky'], /give a change, for example/],
    ['a path that no Job has', ['what-if', 'flaky', '--set', 'spec.retries=1'], /no path "spec.retries"/],
    [
      'a policy for other Jobs',
      ['what-if', 'flaky', '--set', 'maxFailedIndexes=1'],
      /completionMode Indexed only/,
    ],
  ])(
    'ends with status 2 and a remedy: %s',
    async (_what, args, message) => {
      const { status, errors, out } = await jobledger(...args);
      expect(errors).toMatch(message);
      expect({ status, out }).toEqual({ status: 2, out: '' });
    },
    30_000,
  );

  it('ends with status 1 and names the missing event when a stream lacks an event in the tables', async () => {
    const { sql } = installation;
    const [hole] = await sql<{ id: string }>(
      `delete from jobledger.events where id = (select id from jobledger.events
         where type = 'job.decided' and subject = 'default/doomed' order by kafka_offset offset 1 limit 1) returning id`,
    );
    for (const args of [
      ['replay', 'doomed'],
      ['why', 'job/doomed'],
      ['what-if', 'doomed', '--set', 'backoffLimit=1'],
    ]) {
      const { status, errors } = await jobledger(...args);
      expect(errors).toContain(`the stream is broken at ${hole?.id}: missing`);
      expect(status).toBe(1);
    }
    expect((await jobledger('verify', 'doomed')).status).toBe(0);
  }, 60_000);
});
