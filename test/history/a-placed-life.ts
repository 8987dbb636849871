import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { OWN_FINALIZER } from '../../workflows/kubernetes/names.ts';
import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import { podName } from '../../workflows/job/definitions/pod-names.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import type { EndReason, PlacementCommand } from '../../workflows/placement/commands.ts';
import type { PlacedJobFacts } from '../../workflows/placement/facts.ts';
import type { PlacementSettings } from '../../workflows/placement/settings.ts';
import { aMember, aPlacedJob } from '../placement/a-placed-job.ts';
import { at, type JobFields, jobObject, START } from '../support/builders.ts';

const HOME = { cluster: 'east', jobUid: 'home-uid', placedJobUid: 'home-uid' };

/** Observations of a member have higher versions than its creation. */
const FIRST_VERSION = 1000;

/** A pod of a member; instants in seconds after the start, by the clock of its cluster unless they are of records. */
interface PodLife {
  index?: number;
  /** The index of its creation, where another client has edited the annotation since. */
  createdFor?: number;
  from: number;
  /** Absent: it runs on. */
  until?: number;
  phase?: 'Succeeded' | 'Failed';
  /** When its end is recorded; default: at once. */
  recordedAt?: number;
  /** Its Job has removed its finalizer. */
  isReleased?: boolean;
}

/** A placed Job with its members, written as the ledger records them, without a core. */
export function aPlacedLife() {
  const events: LedgerEvent[] = [];
  const clocks: Record<string, number> = {};
  let decisions = 0;
  let records = 0;
  const add = (after: number, type: string, subject: string, data: object, id?: string): void => {
    records += 1;
    const event = { id: id ?? `record-${records}`, type, source: 'test', subject, time: at(after), data };
    events.push(withDigest(event as unknown as LedgerEvent));
  };
  const memberName = (grant: number): string => (grant === 1 ? 'pi' : `pi-m${grant}`);
  const memberUid = (cluster: string, grant: number): string => `${cluster}-${grant}`;
  const life = {
    events,
    /** The clock of a cluster is this many seconds ahead. */
    clock(cluster: string, ahead: number) {
      clocks[cluster] = ahead;
    },
    decides(
      after: number,
      commands: PlacementCommand[],
      { predecessor = decisions, settings = {} }: { predecessor?: number; settings?: PlacementSettings } = {},
    ) {
      decisions += 1;
      add(
        after,
        'placement.decided',
        'team/pi',
        {
          ...HOME,
          number: predecessor + 1,
          predecessor: predecessor === 0 ? null : `decision-${predecessor}`,
          firstRunId: 'chain',
          now: START + after * 1000,
          core: '1',
          settings,
          folded: [],
          foldedBefore: [],
          commands,
          nextDecisionAt: null,
          waiting: null,
        },
        `decision-${decisions}`,
      );
    },
    gives(after: number, cluster: string, grant: number, options: { predecessor?: number } = {}) {
      const why = { rule: 'J-16.5', message: 'the best' } as const;
      const create = {
        kind: 'CreateMember',
        cluster,
        grant,
        name: memberName(grant),
        spec: {},
        why,
      } as const;
      life.decides(after, [create], options);
    },
    /** The outcome of a command of a decision, by default of the first of the last: the member exists. */
    created(after: number, cluster: string, grant: number, decision = decisions, command = 0) {
      const member = aMember({}, { cluster, uid: memberUid(cluster, grant), name: memberName(grant) });
      const outcome = { kind: 'CreateMember', result: 'created', member, at: START + after * 1000 };
      const data = { decision: `decision-${decision}`, command, attempt: 1, outcome };
      add(after, 'outcome.recorded', 'team/pi', { ...HOME, ...data });
      life.seen(after, cluster, grant);
    },
    /** The outcome of the first command of the last decision. */
    answers(after: number, outcome: object) {
      const data = { decision: `decision-${decisions}`, command: 0, attempt: 1 };
      const answer = { ...outcome, at: START + after * 1000 };
      add(after, 'outcome.recorded', 'team/pi', { ...HOME, ...data, outcome: answer });
    },
    /** The status of the placed Job is written, and accepted. */
    writes(
      after: number,
      to: JobStatus,
      spec: PlacedJobFacts['spec'] = {},
      settings: PlacementSettings = {},
      from: JobStatus = {},
    ) {
      const why = { rule: 'J-16.8', message: 'its member says so' } as const;
      const write = { kind: 'WriteStatus', resourceVersion: '90', generation: 1, from, to, why } as const;
      life.decides(after, [write], { settings });
      const job = aPlacedJob({ status: to, spec });
      life.answers(after + 1, { kind: 'WriteStatus', result: 'written', job });
    },
    /** As `writes`, but the answer is lost, and the watch shows the Job; `again`: it is written again before that. */
    writesUnanswered(after: number, to: JobStatus, spec: Partial<JobFields> = {}, again = false) {
      const why = { rule: 'J-16.8', message: 'its member says so' } as const;
      const write = { kind: 'WriteStatus', resourceVersion: '90', generation: 1, from: {}, to, why } as const;
      for (const when of again ? [after, after + 1] : [after]) {
        life.decides(when, [write]);
        life.answers(when, { kind: 'WriteStatus', result: 'unanswered', message: 'a time-out' });
      }
      const of = { uid: 'home-uid', managedBy: 'jobledger.dev/placement' } as const;
      const object = jobObject({ ...of, version: '91', status: to, ...spec });
      object.metadata.namespace = 'team';
      for (const when of [after + 2, after + 3]) add(when, 'job.observed', 'team/pi', { ...HOME, object });
    },
    /** The placed Job. */
    placed(after: number, completions?: number) {
      const of = { uid: 'home-uid', managedBy: 'jobledger.dev/placement' } as const;
      const object = jobObject({ ...of, version: '90', ...(completions !== undefined && { completions }) });
      object.metadata.namespace = 'team';
      add(after, 'job.observed', 'team/pi', { ...HOME, object });
    },
    /** The member, in its own stream. */
    seen(
      after: number,
      cluster: string,
      grant: number,
      uid = memberUid(cluster, grant),
      status: JobStatus | null = null,
      mark = `decision-${decisions}`,
    ) {
      const name = memberName(grant);
      const object = jobObject({ uid, name, version: String(records), ...(status !== null && { status }) });
      object.metadata.creationTimestamp = at(after + (clocks[cluster] ?? 0)).replace(/\.\d+Z/, 'Z');
      object.metadata.namespace = 'team';
      object.metadata.annotations = {
        'jobledger.dev/placed-for': 'east/team/pi/home-uid',
        'jobledger.dev/grant': mark,
      };
      add(after, 'job.observed', `team/${memberName(grant)}`, { cluster, jobUid: uid, object });
    },
    /** What the home records of a member's status; `mark`: of the grant, where no outcome names the member. */
    counts(
      after: number,
      cluster: string,
      grant: number,
      completedIndexes: string,
      {
        uid = memberUid(cluster, grant),
        mark,
        failed,
        epoch,
      }: { uid?: string; mark?: string; failed?: number; epoch?: number } = {},
    ) {
      const version = {
        resourceVersion: String(FIRST_VERSION + records),
        ...(epoch !== undefined && { epoch }),
      };
      const facts = { cluster, uid, name: memberName(grant), ...version };
      const member = aMember({ completedIndexes, ...(failed !== undefined && { failed }) }, facts);
      add(after, 'member.observed', 'team/pi', { ...HOME, member, ...(mark !== undefined && { mark }) });
    },
    /** The member is deleted, or its cluster was restored from a copy without it. */
    gone(after: number, cluster: string, grant: number, epoch?: number) {
      const version = {
        resourceVersion: String(FIRST_VERSION + records),
        ...(epoch !== undefined && { epoch }),
      };
      const member = { cluster, uid: memberUid(cluster, grant), name: memberName(grant), ...version };
      add(after, 'member.deleted', 'team/pi', { ...HOME, member });
    },
    ends(after: number, cluster: string, grant: number, reason: EndReason) {
      const why = { rule: 'J-16.10', message: 'it leaves' } as const;
      life.decides(after, [{ kind: 'EndGrant', cluster, grant, name: memberName(grant), reason, why }]);
    },
    pod(
      cluster: string,
      grant: number,
      { index, createdFor, from, until, phase = 'Succeeded', recordedAt, isReleased = false }: PodLife,
      uid = memberUid(cluster, grant),
    ) {
      const ahead = clocks[cluster] ?? 0;
      const owner = { apiVersion: 'batch/v1', kind: 'Job', uid, name: memberName(grant), controller: true };
      const name =
        createdFor === undefined
          ? `${memberName(grant)}-${index ?? 'x'}-${records}`
          : podName(owner, records, createdFor);
      const show = (after: number, status: object): void => {
        const object = {
          metadata: {
            name,
            namespace: 'team',
            uid: `uid-${name}`,
            resourceVersion: String(records),
            creationTimestamp: at(from + ahead),
            ...(createdFor !== undefined && { ownerReferences: [owner] }),
            ...(!isReleased && { finalizers: [OWN_FINALIZER] }),
            ...(index !== undefined && {
              annotations: { 'batch.kubernetes.io/job-completion-index': String(index) },
            }),
          },
          spec: { containers: [{ name: 'main' }] },
          status,
        };
        add(after, 'pod.observed', `team/${memberName(grant)}`, { cluster, jobUid: uid, object });
      };
      const startedAt = at(from + ahead);
      show(from, {
        phase: 'Running',
        containerStatuses: [{ name: 'main', state: { running: { startedAt } } }],
      });
      if (until === undefined) return name;
      const terminated = { exitCode: 0, startedAt, finishedAt: at(until + ahead) };
      show(recordedAt ?? until, { phase, containerStatuses: [{ name: 'main', state: { terminated } }] });
      return name;
    },
    /** A pod that finds no node. */
    waitingPod(after: number, cluster: string, grant: number) {
      const name = `${memberName(grant)}-waiting-${records}`;
      const metadata = { name, namespace: 'team', uid: `uid-${name}`, resourceVersion: String(records) };
      const object = {
        metadata: { ...metadata, creationTimestamp: at(after) },
        spec: { containers: [{ name: 'main' }] },
        status: { phase: 'Pending' },
      };
      add(after, 'pod.observed', `team/${memberName(grant)}`, {
        cluster,
        jobUid: memberUid(cluster, grant),
        object,
      });
      return name;
    },
    podGone(after: number, cluster: string, grant: number, name: string) {
      const data = { cluster, jobUid: memberUid(cluster, grant), podUid: `uid-${name}`, podName: name };
      add(after, 'pod.deleted', `team/${memberName(grant)}`, { ...data, resourceVersion: '900', seen: true });
    },
  };
  return life;
}

/** A Job that is drained from west after its index 0, and completes in north. */
export function aDrainedLife() {
  const life = aPlacedLife();
  life.gives(0, 'west', 1);
  life.created(1, 'west', 1);
  life.pod('west', 1, { index: 0, from: 3, until: 20 });
  life.pod('west', 1, { index: 1, from: 3, until: 41, phase: 'Failed' });
  life.counts(42, 'west', 1, '0');
  life.ends(45, 'west', 1, 'stopped');
  life.gives(46, 'north', 2);
  life.created(47, 'north', 2);
  life.pod('north', 2, { index: 1, from: 49, until: 90 });
  return life;
}
