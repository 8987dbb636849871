import { describe, expect, it } from '@jest/globals';
import { jobDescription } from '../../cli/verbs/describe/job-description.ts';
import { jobCells, jobTitles } from '../../cli/verbs/get/job-table.ts';
import { emptyRows } from '../../services/projector/projections/rows.ts';
import { projectAll } from '../../services/projector/projections/project.ts';
import type { JobView, PodView, WhoView } from '../../services/read-model/views/jobs.ts';
import { podName } from '../../workflows/job/definitions/pod-names.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import type { Pod } from '../../workflows/kubernetes/objects.ts';
import {
  aJob,
  after,
  aPod,
  jobDeleted,
  jobObserved,
  podObserved,
  requestReceived,
} from '../projector/builders.ts';

/** The rows after these events, as `describe` and `get -o wide` print them. */
function printedWith(
  who: WhoView[],
  ...events: JobEvent[]
): { described: string; cells: Record<string, string | undefined> } {
  const rows = emptyRows();
  projectAll(rows, events);
  const [row] = [...rows.jobs.changed.values()];
  const job = { ...row, placed_in: null } as unknown as JobView;
  const pods = [...rows.pods.changed.values()] as unknown as PodView[];
  const submitted = events.find((event) => event.type === 'job.submitted');
  const described = jobDescription({
    job,
    submission: submitted?.data ?? null,
    conditions: [],
    chain: [],
    who,
    obstacles: [],
    placements: [],
    home: null,
    pods: pods as never,
  });
  const cells = jobCells(job, Date.parse(after(60)), true);
  return { described, cells: Object.fromEntries(jobTitles(true).map((title, at) => [title, cells[at]])) };
}

function printed(...events: JobEvent[]): ReturnType<typeof printedWith> {
  return printedWith([], ...events);
}

describe('a Job that was submitted through Jobledger', () => {
  it('is described with the submission, and its creator is not described as unknown', () => {
    const submitted = {
      action: 'submitted',
      by: 'ann',
      impersonated_by: null,
      user_agent: null,
      at: after(1),
    };
    const { described } = printedWith([submitted], jobObserved(1, aJob({ version: 1 })));
    expect(described).toMatch(/^ +submitted +ann /m);
    expect(described).not.toContain('not recorded');
    expect(printed(jobObserved(1, aJob({ version: 1 }))).described).toMatch(/^ +created +not recorded/m);
  });
});

describe('a Job that was suspended through Jobledger', () => {
  it('is described with the request and its time, and without a second row of its suspension', () => {
    const requested = {
      action: 'requested suspend',
      by: 'ann',
      impersonated_by: null,
      user_agent: null,
      at: after(2),
    };
    const spec = { managedBy: 'jobledger.dev/job-controller', suspend: true };
    const conditions = [{ type: 'Suspended', status: 'True', lastTransitionTime: after(3) }];
    const suspended = aJob({ version: 2, spec, status: { conditions } });
    const { described } = printedWith(
      [requested],
      requestReceived(2, 'suspend', 'ann'),
      jobObserved(3, suspended),
    );
    expect(described).toMatch(new RegExp(`^ +requested suspend +ann +${after(2)}`, 'm'));
    expect(described).not.toMatch(/^ +suspended /m);
    expect(printed(jobObserved(3, suspended)).described).toMatch(/^ +suspended +not recorded/m);
  });
});

describe('a pod that finds no node', () => {
  it('is described with the reason why it waits, and without an end', () => {
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no node' };
    const pod = aPod({ name: 'pi-a', version: 5, phase: 'Pending', status: { conditions: [condition] } });
    const { described } = printed(jobObserved(1, aJob({ version: 1 })), podObserved(3, pod));
    expect(described).toMatch(/ WHY CREATED +WAITS FOR +WHY ENDED$/m);
    expect(described).toMatch(/^ +pi-a .* not by Jobledger +Unschedulable: no node *$/m);
    const running = aPod({ name: 'pi-a', version: 5, phase: 'Running' });
    expect(printed(jobObserved(1, aJob({ version: 1 })), podObserved(3, running)).described).not.toContain(
      'WAITS FOR',
    );
  });
});

describe('a Job that was deleted while it ran', () => {
  const running = aJob({ version: 2, status: { active: 1, ready: 1, startTime: after(1) } });
  const { described, cells } = printed(jobObserved(1, running), jobDeleted({ at: 9, version: 3 }));

  it('is described as deleted, without active pods', () => {
    expect(described).toMatch(/^Status: +Deleted$/m);
    expect(described).toMatch(/^Status in kubectl: +Deleted$/m);
    expect(described).toMatch(/^Pods: +0 active \(0 ready\), 0 terminating, 0 succeeded, 0 failed$/m);
    expect(described).not.toContain('Running');
  });

  it('is listed as deleted, without active pods', () => {
    expect(cells).toMatchObject({ STATUS: 'Deleted', 'KUBECTL STATUS': 'Deleted', ACTIVE: '0' });
  });
});

describe('a pod whose index annotation was edited by another client', () => {
  const indexed = aJob({ version: 1, spec: { completionMode: 'Indexed', completions: 2 } });
  const name = podName({ uid: indexed.metadata.uid, name: indexed.metadata.name }, 0, 0);
  const line = (index: number): string => {
    const pod = aPod({ name, version: 5, phase: 'Running' });
    const annotations = { 'batch.kubernetes.io/job-completion-index': String(index) };
    const edited = { ...pod, metadata: { ...pod.metadata, annotations } };
    const { described } = printed(jobObserved(1, indexed), podObserved(3, edited));
    return new RegExp(`^.*${name} .*$`, 'm').exec(described)?.[0].trim() ?? '';
  };

  it('is described with the index for which it was created', () => {
    expect(line(1)).toMatch(/^1, created for 0 {2,}/);
    expect(line(0)).toMatch(/^0 {2,}/);
  });
});

describe('a Job that repeats the work of another Job', () => {
  const submitted = (retried: object) =>
    printed(jobObserved(1, aJob({ version: 1 })), {
      ...jobObserved(2, aJob({ version: 1 })),
      type: 'job.submitted',
      data: { cluster: 'east', jobUid: 'job-1', submission: 's1', by: 'ann', ...retried },
    }).described;

  it('is described with the name and the UID of the other Job, as far as the ledger contains these', () => {
    expect(submitted({ retryOf: 'job-0', retryOfName: 'tau' })).toMatch(/^Retry of: +tau \(job-0\)$/m);
    expect(submitted({ retryOf: 'job-0' })).toMatch(/^Retry of: +the Job with the UID job-0$/m);
    expect(submitted({})).not.toContain('Retry of');
  });
});

describe('the description of the containers of a pod', () => {
  const spec = {
    initContainers: [{ name: 'setup' }, { name: 'proxy', restartPolicy: 'Always' }],
    containers: [{ name: 'main' }],
  };
  const line = (status: Pod['status'], phase: string): string => {
    const pod = { ...aPod({ name: 'pi-a', version: 5, phase, status }), spec };
    return (
      /^ +pi-a .*$/m.exec(
        printed(jobObserved(1, aJob({ version: 1 })), podObserved(3, pod)).described,
      )?.[0] ?? ''
    );
  };

  it('names the init container that failed', () => {
    const terminated = { exitCode: 3, reason: 'Error', finishedAt: after(4) };
    const status = { initContainerStatuses: [{ name: 'setup', state: { terminated } }] };
    expect(line(status, 'Failed')).toMatch(
      /not by Jobledger +exit code 3 \(Error\), in the init container setup$/,
    );
  });

  it('names the init container for which the pod waits', () => {
    const waiting = { reason: 'CrashLoopBackOff', message: 'back-off 10s' };
    const status = {
      initContainerStatuses: [{ name: 'setup', restartCount: 4, state: { waiting } as object }],
    };
    expect(line(status, 'Pending')).toMatch(
      / init container setup ×4 +not by Jobledger +init container setup: CrashLoopBackOff: back-off 10s$/,
    );
  });

  it('names the sidecar that has restarted, and the number of its restarts', () => {
    const status = {
      initContainerStatuses: [{ name: 'setup' }, { name: 'proxy', restartCount: 2 }],
      containerStatuses: [{ name: 'main', restartCount: 0 }],
    };
    expect(line(status, 'Running')).toMatch(/ sidecar proxy ×2 +not by Jobledger$/);
  });

  it('names no container when its only container failed', () => {
    const terminated = { exitCode: 1, reason: 'Error', finishedAt: after(4) };
    const status = { containerStatuses: [{ name: 'main', state: { terminated } }] };
    expect(line(status, 'Failed')).toMatch(/not by Jobledger +exit code 1 \(Error\)$/);
  });
});
