import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { serviceSpecs } from '../support/earlier-build.ts';
import { install } from '../support/installation.ts';
import { NEXT, versionTree } from '../versions/trees.ts';

/**
 * `npm run bench:upgrade [-- --jobs 10000]`: how long a worker of a version with a new core takes until it has decided about
 * every open Job, on servers of its own. The Jobs wait: each has a deadline some weeks from now, and no pods. Exits with
 * status 1 when the new core has decided about a Job twice, wanted a command, or moved a deadline.
 */
const { values } = parseArgs({ options: { jobs: { type: 'string', default: '10000' } } });
const jobs = Number(values.jobs);
const POLL_MS = 2000;
/** A deadline of its own for each Job, so that one that moved is seen. */
const DEADLINE_SECONDS = 2_000_000;
const CREATED_TOGETHER = 20;

/** What the last decision of each core about a Job waits for. */
interface Deadline {
  job: string;
  core: string;
  decisions: number;
  commands: number;
  waits: string;
}

const next = await versionTree('next');
const installation = await install({ separate: true, node: false });
try {
  await measure();
} finally {
  await installation.stop();
  rmSync(next, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const { services, environment } = installation;
  await installation.startServices();
  await createJobs();
  await until(`${jobs} Jobs wait`, async () => (await deadlines()).length === jobs);
  report('the next version starts');
  const begin = performance.now();
  const names = ['projector', 'worker', 'dispatcher', 'ingester'];
  for (const name of names) {
    for (const spec of serviceSpecs(next, environment, [name], '-next')) await services.start(spec);
    await services.halt(name);
    report(`${name} replaced after ${secondsSince(begin)} s`);
  }
  await until('the new core has decided about each', async () => (await decidedByNext()) >= jobs);
  const seconds = secondsSince(begin);
  const found = await deadlines();
  const before = new Map(found.filter(({ core }) => core !== NEXT.core).map((each) => [each.job, each]));
  const after = found.filter(({ core }) => core === NEXT.core);
  const twice = after.filter(({ decisions }) => decisions > 1).length;
  const commands = after.filter((each) => each.commands > 0).length;
  const moved = after.filter(({ job, waits }) => before.get(job)?.waits !== waits).length;
  report(
    `${after.length} of ${jobs} Jobs decided again ${seconds} s after the upgrade began; ${twice} twice, ${commands} with commands, ${moved} deadlines moved`,
  );
  if (after.length !== jobs || twice + commands + moved > 0) process.exitCode = 1;
}

async function createJobs(): Promise<void> {
  let created = 0;
  const create = async (): Promise<void> => {
    while (created < jobs) {
      const number = created++;
      const spec = { parallelism: 0, activeDeadlineSeconds: DEADLINE_SECONDS + number };
      await installation.cluster.createJob(`waiting-${number}`, spec, {});
    }
  };
  await Promise.all(Array.from({ length: CREATED_TOGETHER }, create));
  report(`${jobs} Jobs created`);
}

function deadlines(): Promise<Deadline[]> {
  return installation.sql(
    `select job_name as job, data ->> 'core' as core, count(*)::int as decisions,
       sum(jsonb_array_length(data -> 'commands'))::int as commands,
       (array_agg(data ->> 'nextDecisionAt' order by kafka_offset desc))[1] as waits
     from jobledger.events where type = 'job.decided' group by 1, 2
     having (array_agg(data ->> 'nextDecisionAt' order by kafka_offset desc))[1] is not null`,
  );
}

async function decidedByNext(): Promise<number> {
  const [row] = await installation.sql<{ count: number }>(
    `select count(distinct job_uid)::int as count from jobledger.events
     where type = 'job.decided' and data ->> 'core' = $1`,
    [NEXT.core],
  );
  return row?.count ?? 0;
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const begin = performance.now();
  while (!(await isTrue())) await sleep(POLL_MS);
  report(`${what}: after ${secondsSince(begin)} s`);
}

function secondsSince(begin: number): string {
  return ((performance.now() - begin) / 1000).toFixed(0);
}

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}
