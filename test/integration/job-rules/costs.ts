import { OUR_USERS } from '../../../infra/local/cluster/accounts.ts';
import { describe, expect } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import type { AuditEvent } from '../../support/audit-event.ts';
import { onOwnPlayedCluster } from '../../support/played-cluster.ts';
import type { PlayedJob } from '../../support/played-job.ts';
import { sideBySide } from '../../support/side-by-side.ts';

const { installation, cluster, play } = onOwnPlayedCluster();
const story = sideBySide();

interface Writes {
  pods: number;
  events: number;
  statuses: number;
  /** Between the first status and the last. */
  seconds: number;
}

const READING = new Set(['get', 'list', 'watch']);

/** Our writes for a Job, its pods and its Events, by the API server's audit log. */
function writesFor({ name }: PlayedJob): Writes {
  const belongsToJob = new RegExp(`^${name}([.-]|$)`);
  const ours = installation()
    .audit()
    .filter(({ verb, user }) => !READING.has(verb) && OUR_USERS.includes(user.username))
    .filter(({ objectRef }) => belongsToJob.test(objectRef?.name ?? ''));
  const to = (resource: string): AuditEvent[] =>
    ours.filter(({ objectRef }) => objectRef?.resource === resource);
  const instants = to('jobs').map(({ stageTimestamp }) => Date.parse(stageTimestamp));
  const seconds = (Math.max(...instants) - Math.min(...instants)) / 1000;
  return { pods: to('pods').length, events: to('events').length, statuses: instants.length, seconds };
}

/** The same, once this many Events are among them: they come last. */
function writesWithEvents(job: PlayedJob, events: number): Promise<Writes> {
  return eventually(`${events} Events are written on ${job.name}`, 10, async () => {
    const writes = writesFor(job);
    return writes.events >= events ? writes : undefined;
  });
}

async function countWorkflowTasks({ created }: PlayedJob): Promise<number> {
  const client = await installation().temporal();
  const { events } = await client.workflow.getHandle(`local/${created.metadata.uid}`).fetchHistory();
  await client.connection.close();
  return (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes != null).length;
}

describe('the cost of a Job with many pods', () => {
  story(
    'is three writes per pod that runs to its end, one status per second, and workflow tasks by time',
    async () => {
      const wide = await play('wide', { parallelism: 40, completions: 80 });
      for (let waves = 2; waves > 0; waves -= 1)
        for (const pod of await wide.some(40)) await wide.succeed(pod);
      await cluster().finished('wide');
      const { pods, events, statuses, seconds } = await writesWithEvents(wide, 81);
      const tasks = await countWorkflowTasks(wide);
      const counts = `${pods} writes of pods, ${events} Events, ${statuses} statuses, ${tasks} workflow tasks`;
      console.log(`80 pods within ${seconds} s: ${counts}`);
      expect({ pods, events }).toEqual({ pods: 2 * 80, events: 80 + 1 });
      expect(statuses).toBeLessThanOrEqual(seconds + 2);
      expect(tasks).toBeLessThanOrEqual(2 * (seconds + 2));
    },
  );

  story('is five writes per pod that we delete (J-5.33)', async () => {
    const shrunk = await play('shrunk', { parallelism: 10, completions: 10 });
    for (const { metadata } of await shrunk.some(10)) await shrunk.kubelet.ready(metadata.name);
    await shrunk.shows({ active: 10, ready: 10, terminating: 0 });
    await cluster().patchJob('shrunk', { spec: { parallelism: 0 } });
    await shrunk.shows({ ready: 0, terminating: 0 });
    const { pods, events } = await writesWithEvents(shrunk, 20);
    expect({ pods, events }).toEqual({ pods: 3 * 10, events: 2 * 10 });
  });
});
