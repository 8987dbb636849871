import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { conditionAt } from '../../workflows/batch/conditions.ts';
import { grantText, type IndexGrant } from '../../workflows/batch/index-grant.ts';
import { outcomeId } from '../../workflows/decision/decision-id.ts';
import { INDEXES_KEPT } from '../../workflows/kubernetes/names.ts';
import type { Job, JobStatus } from '../../workflows/kubernetes/objects.ts';
import type { PlacementCommand } from '../../workflows/placement/commands.ts';
import * as core from '../../workflows/placement/core.ts';
import type { PlacementEvent } from '../../workflows/placement/events.ts';
import type { MemberFacts } from '../../workflows/placement/facts.ts';
import { placedJobFacts } from '../../workflows/placement/observe/compact.ts';
import type { PlacementSettings } from '../../workflows/placement/settings.ts';
import type { PlacementState } from '../../workflows/placement/state.ts';
import { step } from '../../workflows/placement/step.ts';
import { aMember } from '../placement/a-placed-job.ts';
import { at, jobObject, nextVersion, START, type JobFields } from '../support/builders.ts';
import { withChange } from '../support/with-change.ts';

const OF = { cluster: 'east', jobUid: 'home-uid', placedJobUid: 'home-uid' };
const DECIDER = { ...OF, subject: 'default/pi', firstRunId: 'chain' };

/** The clusters that could run the Job, with their room and price or the reason against them. */
type Clusters = Record<string, { room?: number; price?: number; refused?: string }>;

/** Builds the stream of a placed Job of the cluster east: the core decides, and every command is carried out. */
export function aPlacementRecording(fields: JobFields, annotations: Record<string, string>) {
  const events: PlacementEvent[] = [];
  const members = new Map<string, MemberFacts>();
  let state: PlacementState = core.INITIAL_STATE;
  let settings: PlacementSettings = {};
  let clusters: Clusters = {};
  const object: Job = {
    ...jobObject({
      ...fields,
      uid: 'home-uid',
      managedBy: 'jobledger.dev/placement',
      annotations: Object.fromEntries(
        Object.entries(annotations).map(([name, text]) => [`jobledger.dev/${name}`, text]),
      ),
    }),
  };
  object.metadata.finalizers = ['jobledger.dev/placement'];

  const record = (after: number, id: string, type: PlacementEvent['type'], data: object): PlacementEvent => {
    const whole = {
      source: 'east',
      subject: 'default/pi',
      time: new Date(START + after * 1000).toISOString(),
      id,
      type,
      data,
    };
    const event = withDigest<PlacementEvent>(whole as unknown as PlacementEvent);
    events.push(event);
    return event;
  };
  const fold = (event: PlacementEvent): void => {
    state = core.fold(state, [core.compact(event) ?? []].flat());
  };
  const changed = (cluster: string, change: Partial<MemberFacts>): MemberFacts => {
    const before = members.get(cluster) ?? aMember({}, { cluster, namespace: 'default' });
    const member = { ...before, ...change, resourceVersion: nextVersion() };
    members.set(cluster, member);
    return member;
  };
  /** Without its instant. */
  const playOutcome = (command: PlacementCommand): object => {
    const { kind } = command;
    switch (kind) {
      case 'CreateMember': {
        const { cluster, grant, name, indexes, spec } = command;
        const granted = indexes === undefined ? {} : { grant: { number: 1, indexes } };
        const member = changed(cluster, { uid: `${cluster}-${grant}`, name, spec, status: {}, ...granted });
        return { kind, result: 'created', member };
      }
      case 'ChangeMember': {
        const { cluster, spec, indexes } = command;
        const before = members.get(cluster)?.spec ?? {};
        const granted = indexes === undefined ? {} : { grant: indexes };
        return {
          kind,
          result: 'done',
          member: changed(cluster, { spec: withChange(before, spec), ...granted }),
        };
      }
      case 'LookUpMember': {
        const { cluster, givenUp: of } = command;
        const member = members.get(cluster) ?? null;
        return {
          kind,
          result: 'done',
          member,
          pods: { open: 0 },
          listedAt: String(Number.MAX_SAFE_INTEGER),
          ...(of !== undefined && { givenUp: of }),
        };
      }
      case 'WriteStatus':
        object.status = command.to;
        object.metadata.resourceVersion = nextVersion();
        return { kind, result: 'written', job: placedJobFacts('east', structuredClone(object)) };
      case 'ShareOut':
      case 'EndGrant':
      case 'EmitEvents':
        return { kind };
      case 'AddFinalizer':
      case 'RemoveFinalizer':
      case 'RenewGuard':
      case 'ReleaseGuard':
      case 'DeleteMember':
      case 'SetSuspend':
      case 'DeleteJob':
        throw new Error(`unexpected ${kind}`);
    }
  };
  const recording = {
    events,
    /** The placed Job is observed. */
    job(after: number): void {
      const { resourceVersion } = object.metadata;
      const data = { ...OF, object: structuredClone(object) };
      fold(record(after, `east/home-uid/${resourceVersion}`, 'job.observed', data));
    },
    /** The clusters are like this from now on; `said`: what a person or a watch says of them. */
    under(now: Clusters, output: NonNullable<PlacementSettings['clusters']> = {}): void {
      clusters = now;
      settings = Object.keys(output).length > 0 ? { clusters: output } : {};
    },
    /** Decides until nothing is left to do; a command is carried out at once. */
    decides(after: number): void {
      const now = START + after * 1000;
      for (let steps = 0; steps < 20; steps += 1) {
        const named = Object.entries(clusters).map(([cluster, each]) => ({ cluster, ...each }));
        const left = state.grants.flatMap(({ number, ended, left: known }) =>
          ended !== undefined && known === undefined
            ? [[number, { failures: {}, uncountedPodCount: 0 }] as const]
            : [],
        );
        const leftBy = left.length === 0 ? {} : { leftBy: Object.fromEntries(left) };
        const candidates = { readAt: now, clusters: named, ...leftBy };
        const taken = step({ decider: DECIDER, state, now, settings: { ...settings, candidates } });
        if (taken.decision === null) return;
        state = taken.state;
        const { id, data } = taken.decision.decided;
        record(after, id, 'placement.decided', data);
        for (const [command, each] of data.commands.entries()) {
          const outcome = { ...playOutcome(each), at: now };
          const answered = { ...OF, decision: id, command, attempt: 1, outcome };
          fold(record(after, outcomeId(id, command, answered), 'outcome.recorded', answered));
        }
      }
      throw new Error('it decides without end');
    },
    /** A member is observed; `kept`: the grant that its controller has acknowledged. */
    member(after: number, cluster: string, status: JobStatus, kept?: IndexGrant): void {
      const message = kept === undefined ? '' : grantText(kept);
      const condition = conditionAt(at(after), {
        type: INDEXES_KEPT,
        status: 'True',
        reason: 'Granted',
        message,
      });
      const conditions = [...(status.conditions ?? []), ...(kept === undefined ? [] : [condition])];
      const member = changed(cluster, {
        status: { ...status, ...(conditions.length > 0 && { conditions }) },
      });
      const id = `${cluster}/${member.uid}/${member.resourceVersion}`;
      fold(record(after, id, 'member.observed', { ...OF, member }));
    },
  };
  return recording;
}
