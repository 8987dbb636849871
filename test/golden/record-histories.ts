import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { trueCondition } from '../../workflows/job/definitions/conditions.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { PACKAGE_DIR } from '../../services/adapters/package-dir.ts';
import { workflowId } from '../../services/adapters/temporal/names.ts';
import { failingFirst } from '../support/cluster.ts';
import { install, type Installation } from '../support/installation.ts';

// `npm run record-histories`: runs Jobs on real servers and saves the histories of their workflows, which
// test/workflow/histories.test.ts replays.

const installation = await install({ environment: { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '1000' } });
try {
  await installation.startServices();
  const jobs = await Promise.all([succeeding(), failingOnce(), late(), suspendedForAWhile()]);
  for (const job of jobs) await record(installation, job);
} finally {
  await installation.stop();
}

function succeeding(): Promise<Job> {
  const { cluster } = installation;
  return cluster
    .createJob('succeeding', { completions: 2, parallelism: 2 }, {})
    .then(() => cluster.finished('succeeding'));
}

async function failingOnce(): Promise<Job> {
  const command = failingFirst(1, mkdtempSync(join(tmpdir(), 'failing-once-')));
  await installation.cluster.createJob('failing-once', {}, { command });
  return installation.cluster.finished('failing-once');
}

async function late(): Promise<Job> {
  await installation.cluster.createJob('late', { activeDeadlineSeconds: 4 }, { command: ['sleep', '300'] });
  return installation.cluster.finished('late');
}

async function suspendedForAWhile(): Promise<Job> {
  const { cluster } = installation;
  const name = 'suspended-for-a-while';
  await cluster.createJob(name, { suspend: true }, {});
  await cluster.jobWhere(name, 'is suspended', ({ status }) =>
    Boolean(trueCondition(status ?? {}, 'Suspended')),
  );
  await cluster.patchJob(name, { spec: { suspend: false } });
  return cluster.finished(name);
}

async function record({ temporal }: Installation, { metadata }: Job): Promise<void> {
  const client = await temporal();
  const history = await client.workflow.getHandle(workflowId('local', metadata.uid)).fetchHistory();
  await client.connection.close();
  const text = withoutPlace(JSON.stringify(JSON.parse(historyToJSON(history)), null, 1));
  writeFileSync(join(PACKAGE_DIR, 'test', 'golden', 'histories', `${metadata.name}.json`), `${text}\n`);
}

/** Removes the name of the machine that recorded it. */
function withoutPlace(text: string): string {
  return text
    .replaceAll(/("identity"|"workerId"): "[^"]*"/g, '$1: "recorder"')
    .replaceAll(/"\d+@[^"]*"/g, '"recorder"');
}
