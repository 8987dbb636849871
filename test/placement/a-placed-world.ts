import { UnavailableError } from '../../services/adapters/errors.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { NO_PROGRESS, type Progress } from '../../services/worker/activities/attempt/progress.ts';
import { carryOutPlacedJob } from '../../services/worker/activities/carry-out-kinds.ts';
import type { Unstamped } from '../../workflows/ledger/recorded-event.ts';
import type { Job, JobStatus } from '../../workflows/kubernetes/objects.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import type { PlacementCommand } from '../../workflows/placement/commands.ts';
import * as core from '../../workflows/placement/core.ts';
import { needsCandidates } from '../../workflows/placement/decide/decide.ts';
import type { PlacementOutcomeRecorded } from '../../workflows/placement/events.ts';
import type { PlacementFact } from '../../workflows/placement/facts.ts';
import { markOf, memberFacts, placedJobFacts } from '../../workflows/placement/observe/compact.ts';
import { requireLaterStep } from '../lives/repeats.ts';
import type { PlacementDecisionRecord } from '../../workflows/placement/record/decision-record.ts';
import type {
  Candidate,
  Candidates,
  ClusterAvailability,
  PlacementSettings,
} from '../../workflows/placement/settings.ts';
import type { PlacementState } from '../../workflows/placement/state.ts';
import { step } from '../../workflows/placement/step.ts';
import { START } from '../support/builders.ts';
import { DECIDER } from './a-placed-job.ts';
import { aSmallApi, toJson, type SmallApi } from './a-small-api.ts';

interface WorldFields {
  /** Without `jobledger.dev/`. */
  annotations?: Record<string, string>;
  spec?: Partial<Job['spec']>;
  podSpec?: object;
  /** The clusters that can take the Job, in this order of preference; default: west and north. */
  clusters?: string[];
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

const UNREAL_LOOPS = 60;

/**
 * A placed Job of the cluster east, with the shipped core and the shipped worker over small API servers. Nothing is observed unless a
 * test says so.
 */
export function aPlacedWorld({
  annotations = {},
  spec,
  podSpec,
  clusters = ['west', 'north'],
}: WorldFields = {}) {
  let state: PlacementState = core.INITIAL_STATE;
  let facts = 0;
  const apis = new Map(
    [...new Set(['east', ...clusters])].map((name) => [name, aSmallApi(name, () => world.now)]),
  );
  const api = (name: string): SmallApi => {
    const found = apis.get(name);
    if (found === undefined) throw new Error(`there is no cluster ${name}`);
    return found;
  };
  const jobIn = (cluster: string, name: string): Job => {
    const found = api(cluster).jobs.get(name);
    if (found === undefined) throw new Error(`there is no Job ${name} in ${cluster}`);
    return found;
  };
  const fold = (fact: DistributiveOmit<PlacementFact, 'id' | 'digest'>): void => {
    facts += 1;
    state = core.fold(state, [{ id: `fact-${facts}`, digest: '', ...fact }]);
  };
  const world = {
    now: START,
    /** What the operator and the watches say of the clusters. */
    availability: {} as Record<string, ClusterAvailability>,
    candidates: clusters.map((cluster, price): Candidate => ({ cluster, room: 9, price })),
    /** Why the clusters cannot be read. */
    unread: null as string | null,
    /** Whether Jobs are deleted after their time. */
    ttl: false,
    leftBy: {} as NonNullable<Candidates['leftBy']>,
    /** What the streams of members show. */
    seen: undefined as Candidates['seen'],
    /** Of the clusters that were restored once. */
    epochs: {} as Record<string, number>,
    ledger: [] as LedgerEvent[],
    nextDecisionAt: null as number | null,
    api,
    job: jobIn,
    state: () => state,
    grants: () => state.grants,
    fold,
    pass(seconds: number) {
      world.now += seconds * 1000;
    },
    /** Changes the placed Job, as its author does, and observes it. */
    edit(change: (job: Job) => void) {
      const job = jobIn('east', 'pi');
      const before = toJson(job.spec);
      change(job);
      if (toJson(job.spec) !== before) job.metadata.generation = (job.metadata.generation ?? 1) + 1;
      api('east').bump(job);
      world.observeHome();
    },
    observeHome() {
      fold({ type: 'job.observed', job: placedJobFacts('east', structuredClone(jobIn('east', 'pi'))) });
    },
    /** A cluster answers no request, and is said to be silent; or it answers again. */
    silences(cluster: string, isSilent: boolean) {
      const { [cluster]: _said, ...others } = world.availability;
      world.availability = isSilent ? { ...others, [cluster]: { silentSince: world.now } } : others;
      api(cluster).before = () => {
        if (isSilent) throw new UnavailableError(`${cluster} is away`);
      };
    },
    /** The controller of a member writes its status, which is observed. */
    shows(cluster: string, name: string, status: JobStatus, epoch = 0) {
      const job = jobIn(cluster, name);
      job.status = status;
      api(cluster).bump(job);
      world.observe(cluster, name, epoch);
    },
    observe(cluster: string, name: string, epoch = 0) {
      const job = structuredClone(jobIn(cluster, name));
      fold({ type: 'member.observed', member: memberFacts(cluster, job, epoch), ...markOf(job) });
    },
    /** A member is deleted, which is observed. */
    removes(cluster: string, name: string) {
      const job = jobIn(cluster, name);
      api(cluster).bump(job);
      api(cluster).jobs.delete(name);
      const { uid, resourceVersion } = job.metadata;
      fold({ type: 'member.deleted', cluster, uid, name, resourceVersion });
    },
    decide(): PlacementDecisionRecord | null {
      let settings: PlacementSettings = {
        ...(world.ttl && { ttl: true }),
        ...(Object.keys(world.availability).length > 0 && { clusters: world.availability }),
      };
      if (state.job !== null && needsCandidates(state, world.now, settings)) {
        const { candidates: known, leftBy, seen, unread } = world;
        const read: Candidates =
          unread === null
            ? { readAt: world.now, clusters: known, leftBy, ...(seen !== undefined && { seen }) }
            : { readAt: world.now, clusters: [], unread };
        settings = { ...settings, candidates: read };
      }
      const taken = step({ decider: DECIDER, state, now: world.now, settings });
      state = taken.state;
      world.nextDecisionAt = taken.nextDecisionAt;
      requireLaterStep(taken, world.now);
      return taken.decision;
    },
    /** Carries out a decision in one attempt, and folds the outcomes. */
    async carryOut(
      decision: PlacementDecisionRecord,
      number = 1,
      before: Progress<Unstamped<PlacementOutcomeRecorded>> = NO_PROGRESS,
      report: (progress: Progress<Unstamped<PlacementOutcomeRecorded>>) => void = () => {},
    ): Promise<Unstamped<PlacementOutcomeRecorded>[]> {
      const answered = await carryOutPlacedJob(
        {
          client: api('east').client,
          memberClient: (cluster) => apis.get(cluster)?.client ?? null,
          requireKnownCluster: () => Promise.resolve(),
          getEpoch: (cluster) => world.epochs[cluster] ?? 0,
          countRules: () => true,
          noticedChains: new Set(),
          reportOlder: () => undefined,
          appender: {
            append: (events) => {
              world.ledger.push(...(events as LedgerEvent[]));
              return Promise.resolve();
            },
          },
          log: silentLog(),
          now: () => world.now,
        },
        {
          ...decision,
          job: { cluster: 'east', namespace: 'team', name: 'pi', uid: 'home-uid', kind: 'PlacedJob' },
          received: [],
        },
        { number, signal: new AbortController().signal, before, report },
      );
      state = core.fold(state, answered);
      return answered;
    },
    /** Decides and carries out until nothing is left to do now. Returns the commands in short form. */
    async work(): Promise<string[]> {
      const sent: string[] = [];
      for (let steps = 0; ; steps += 1) {
        if (steps > UNREAL_LOOPS) throw new Error(`decided without end: ${sent.slice(-4).join(', ')}`);
        const decision = world.decide();
        if (decision === null) return sent;
        sent.push(...decision.decided.data.commands.map(inShort));
        await world.carryOut(decision);
      }
    },
    /** Works, and then again at each instant at which it asks to, for so many seconds. */
    async workFor(seconds: number): Promise<string[]> {
      const end = world.now + seconds * 1000;
      const sent: string[] = [];
      for (;;) {
        sent.push(...(await world.work()));
        const next = Math.max(world.now + 1, world.nextDecisionAt ?? end);
        if (next >= end) break;
        world.now = next;
      }
      world.now = end;
      return [...sent, ...(await world.work())];
    },
  };
  api('east').jobs.set('pi', {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: 'pi',
      namespace: 'team',
      uid: 'home-uid',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: new Date(START).toISOString(),
      annotations: Object.fromEntries(
        Object.entries({ 'spill-after': '1h', ...annotations }).map(([name, text]) => [
          `jobledger.dev/${name}`,
          text,
        ]),
      ),
    },
    spec: {
      managedBy: 'jobledger.dev/placement',
      completionMode: 'Indexed',
      completions: 4,
      parallelism: 4,
      backoffLimit: 6,
      template: { spec: { restartPolicy: 'Never', containers: [], ...podSpec } },
      ...spec,
    },
    status: {},
  });
  world.observeHome();
  return world;
}

export type PlacedWorld = ReturnType<typeof aPlacedWorld>;

/** `CreateMember west/pi`, with what matters of the command in brackets. */
function inShort(command: PlacementCommand): string {
  const about = 'name' in command ? ` ${command.cluster}/${command.name}` : '';
  const what =
    command.kind === 'EndGrant'
      ? ` (${command.reason})`
      : command.kind === 'ChangeMember' && command.spec.suspend !== undefined
        ? ` (${command.spec.suspend ? 'suspend' : 'resume'})`
        : '';
  return `${command.kind}${about}${what}`;
}
