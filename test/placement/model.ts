import { DECIDER, skipsInLanes } from './a-placed-job.ts';
import { conditionAt } from '../../workflows/batch/conditions.ts';
import { formatIndexes, toIndexes } from '../../workflows/batch/completion-indexes.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import type { MemberCommand, PlacementCommand } from '../../workflows/placement/commands.ts';
import { needsCandidates } from '../../workflows/placement/decide/decide.ts';
import { unaccountedGrants } from '../../workflows/placement/definitions/parts.ts';
import { isOver } from '../../workflows/placement/decide/end.ts';
import { fold } from '../../workflows/placement/evolve/evolve.ts';
import type { PlacementFact } from '../../workflows/placement/facts.ts';
import {
  memberFacts,
  placedJobFacts,
  type CompactedPlacement,
} from '../../workflows/placement/observe/compact.ts';
import type { PlacementOutcome } from '../../workflows/placement/outcomes.ts';
import type { ClusterAvailability, PlacementSettings } from '../../workflows/placement/settings.ts';
import { INITIAL_STATE, type PlacementState } from '../../workflows/placement/state.ts';
import { step } from '../../workflows/placement/step.ts';
import { computeDigest } from '../../workflows/ledger/digest.ts';
import { grantText, indexGrantIn, type IndexGrant } from '../../workflows/batch/index-grant.ts';
import { GRANT, INDEXES, INDEXES_KEPT } from '../../workflows/kubernetes/names.ts';
import { withChange } from '../support/with-change.ts';
import { readLate } from './read-late.ts';

/** A random number in [0, 1). */
type Random = () => number;

/** A Job that a cluster of the model runs. */
interface ModelJob {
  object: Job;
  /** Indexes that run now. */
  running: Set<number>;
  done: Set<number>;
  /** The grant that its controller has accepted; null: it may run all indexes. */
  kept: IndexGrant | null;
}

interface ModelCluster {
  name: string;
  version: number;
  jobs: Map<string, ModelJob>;
  /** The API server does not answer; what runs goes on. */
  isAway: boolean;
  /** How many pods have a node. */
  room: number;
}

export interface ModelOptions {
  random: Random;
  clusters: { name: string; room: number }[];
  completions: number;
  parallelism: number;
  annotations?: Record<string, string>;
  /** Facts and answers are late, lost and repeated. */
  isUnreliable?: boolean;
}

/** One run of an index: where, and whether it succeeded. */
interface Run {
  index: number;
  cluster: string;
  from: number;
  until: number | null;
  succeeded: boolean;
}

const HOME = 'east';
const START = Date.UTC(2026, 10, 26);

/** A placed Job, its clusters, and its workflow, on a clock of their own. */
export function aModel(options: ModelOptions) {
  const { random, isUnreliable = false } = options;
  const clusters = new Map<string, ModelCluster>(
    options.clusters.map(({ name, room }) => [
      name,
      { name, version: 100, jobs: new Map(), isAway: false, room },
    ]),
  );
  if (!clusters.has(HOME))
    clusters.set(HOME, { name: HOME, version: 100, jobs: new Map(), isAway: false, room: 0 });
  let now = START;
  let state: PlacementState = INITIAL_STATE;
  let availability: Record<string, ClusterAvailability> = {};
  const lateAvailability = readLate(
    () => availability,
    () => now,
  );
  let nextDecisionAt: number | null = null;
  let uids = 0;
  const facts: { at: number; fact: PlacementFact }[] = [];
  const runs: Run[] = [];
  /** By UID of their Job: until when pods run on that no status counts any more, as on a slow node. */
  const lingering = new Map<string, number>();
  const decisions: ReturnType<typeof step>['decision'][] = [];
  /** What the core was asked, in order. */
  const folds: { state: PlacementState; events: readonly CompactedPlacement[] }[] = [];
  const looks: { state: PlacementState; now: number; settings: PlacementSettings }[] = [];
  const folded = (events: readonly CompactedPlacement[]): PlacementState => {
    folds.push({ state, events });
    return fold(state, events);
  };
  const home = clusters.get(HOME) as ModelCluster;

  const chance = (probability: number): boolean => isUnreliable && random() < probability;
  const observe = (cluster: ModelCluster, { object }: ModelJob, isDeleted = false): void => {
    cluster.version += 1;
    object.metadata.resourceVersion = String(cluster.version);
    const copy = structuredClone(object);
    const isHome = cluster === home && object.metadata.name === 'pi';
    const id = `${cluster.name}/${object.metadata.uid}/${cluster.version}`;
    const base = { id, digest: computeDigest(id) };
    const fact: PlacementFact = isHome
      ? isDeleted
        ? { ...base, type: 'job.deleted', resourceVersion: copy.metadata.resourceVersion }
        : { ...base, type: 'job.observed', job: placedJobFacts(HOME, copy) }
      : isDeleted
        ? {
            ...base,
            type: 'member.deleted',
            cluster: cluster.name,
            uid: copy.metadata.uid,
            name: copy.metadata.name,
            resourceVersion: copy.metadata.resourceVersion,
          }
        : { ...base, type: 'member.observed', member: memberFacts(cluster.name, copy) };
    const at = now + (isUnreliable ? Math.floor(random() * 5000) : 0);
    facts.push({ at, fact });
    if (chance(0.2)) facts.push({ at: at + Math.floor(random() * 20_000), fact });
  };
  const changed = (cluster: ModelCluster, job: ModelJob, change: (object: Job) => void): void => {
    const before = JSON.stringify(job.object.spec);
    change(job.object);
    if (JSON.stringify(job.object.spec) !== before)
      job.object.metadata.generation = (job.object.metadata.generation ?? 1) + 1;
    observe(cluster, job);
  };
  const create = (cluster: ModelCluster, object: Job): ModelJob => {
    const kept = indexGrantIn(object.metadata.annotations?.[INDEXES] ?? '');
    const job: ModelJob = { object, running: new Set(), done: new Set(), kept };
    cluster.jobs.set(object.metadata.name, job);
    observe(cluster, job);
    return job;
  };
  const placed = create(home, {
    metadata: {
      name: 'pi',
      namespace: 'team',
      uid: 'home-uid',
      resourceVersion: '',
      generation: 1,
      creationTimestamp: new Date(START).toISOString(),
      annotations: options.annotations ?? {},
    },
    spec: {
      completionMode: 'Indexed',
      completions: options.completions,
      parallelism: options.parallelism,
      managedBy: 'jobledger.dev/placement',
    },
  });

  /** The ordinary controller and the kubelet of a cluster, one small step. */
  const runCluster = (cluster: ModelCluster): void => {
    for (const [name, job] of cluster.jobs) {
      const { object, running, done } = job;
      if (cluster === home && name === 'pi') continue;
      const { suspend = false, completions = 1, parallelism = 1 } = object.spec;
      const isEnded = object.status?.conditions?.some(({ type }) => type === 'Complete') === true;
      if (isEnded) continue;
      const isSuspended = object.status?.conditions?.some(
        ({ type, status }) => type === 'Suspended' && status === 'True',
      );
      for (const index of new Set(running)) {
        if (random() < (suspend ? 0.5 : 0.3)) {
          running.delete(index);
          const run = runs.findLast((each) => each.index === index && each.cluster === cluster.name);
          const succeeded = !suspend && random() < 0.8;
          if (run !== undefined) {
            run.until = suspend ? lingers(object) : now;
            run.succeeded = succeeded;
          }
          if (succeeded) done.add(index);
        }
      }
      const used = [...cluster.jobs.values()].reduce((sum, each) => sum + each.running.size, 0);
      if (random() < 0.6) acceptGrant(job);
      const { kept } = job;
      const mayRun = (index: number): boolean => kept === null || indexesIn(kept.indexes).includes(index);
      if (kept?.end !== undefined)
        for (const index of running) {
          running.delete(index);
          const run = runs.findLast((each) => each.index === index && each.cluster === cluster.name);
          if (run !== undefined) run.until = now;
        }
      if (kept?.end === undefined && !suspend && object.metadata.deletionTimestamp === undefined) {
        const missing = Array.from({ length: completions }, (_none, at) => at).filter(
          (index) => !done.has(index) && !running.has(index) && mayRun(index),
        );
        for (const index of missing.slice(
          0,
          Math.max(0, Math.min(parallelism - running.size, cluster.room - used)),
        )) {
          running.add(index);
          runs.push({ index, cluster: cluster.name, from: now, until: null, succeeded: false });
        }
      }
      // The status is behind what runs, as that of a real controller.
      if (random() < 0.5) continue;
      const conditions = (object.status?.conditions ?? []).filter(({ type }) => type !== 'Suspended');
      const time = new Date(now).toISOString().replace(/\.\d+Z/, 'Z');
      if (suspend && running.size === 0)
        conditions.push(
          conditionAt(time, { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: '' }),
        );
      else if (isSuspended === true && !suspend)
        conditions.push(
          conditionAt(time, { type: 'Suspended', status: 'False', reason: 'JobResumed', message: '' }),
        );
      const open =
        kept === null
          ? completions - done.size
          : indexesIn(kept.indexes).filter((each) => !done.has(each)).length;
      const isDone = kept?.end !== undefined || (done.size === completions && running.size === 0);
      if (isDone)
        for (const type of kept?.end === 'Failed'
          ? ['FailureTarget', 'Failed']
          : ['SuccessCriteriaMet', 'Complete'])
          conditions.push(
            conditionAt(time, { type, status: 'True', reason: 'CompletionsReached', message: '' }),
          );
      if (kept !== null) {
        const at = conditions.findIndex(({ type }) => type === INDEXES_KEPT);
        if (at >= 0) conditions.splice(at, 1);
        conditions.push(
          conditionAt(time, {
            type: INDEXES_KEPT,
            status: 'True',
            reason: 'Granted',
            message: grantText(kept),
          }),
        );
      }
      const wanted = isDone ? 0 : Math.max(0, Math.min(parallelism, open));
      const status = {
        ...(conditions.length > 0 && { conditions }),
        ...(!suspend && { startTime: object.status?.startTime ?? time }),
        active: suspend ? running.size : Math.max(running.size, isDone ? 0 : wanted),
        ready: running.size,
        ...(done.size > 0 && { succeeded: done.size, completedIndexes: formatIndexes(toIndexes([...done])) }),
        ...(isDone && kept?.end !== 'Failed' && { completionTime: time }),
      };
      if (JSON.stringify(status) === JSON.stringify(object.status)) continue;
      changed(cluster, job, (each) => {
        each.status = status;
      });
    }
  };

  /** Begun indexes stay; the others of those that are taken back are given up. */
  const acceptGrant = (job: ModelJob): void => {
    const asked = indexGrantIn(job.object.metadata.annotations?.[INDEXES] ?? '');
    if (asked === null || (job.kept !== null && asked.number <= job.kept.number)) return;
    const pods = [...job.running, ...pendingIn(job)];
    const indexes = new Set([...indexesIn(asked.indexes), ...pods]);
    job.kept = { ...asked, indexes: formatIndexes(toIndexes([...indexes])) };
  };
  /** Indexes whose pods wait for a node. */
  const pendingIn = ({ object, running, done, kept }: ModelJob): number[] => {
    const { parallelism = 1, suspend = false } = object.spec;
    if (suspend || kept === null) return [];
    return indexesIn(kept.indexes)
      .filter((index) => !done.has(index) && !running.has(index))
      .slice(0, Math.max(0, parallelism - running.size));
  };

  const playOutcome = (command: PlacementCommand, decision: string): PlacementOutcome => {
    const at = now;
    if ('cluster' in command && command.kind !== 'EndGrant') {
      const cluster = clusters.get(command.cluster) as ModelCluster;
      const unanswered = { kind: command.kind, result: 'unanswered', message: 'no answer', at } as const;
      if (cluster.isAway || chance(0.05)) return unanswered;
      const outcome = inCluster(cluster, command, decision);
      return chance(0.1) ? unanswered : ({ ...outcome, at } as PlacementOutcome);
    }
    switch (command.kind) {
      case 'AddFinalizer':
      case 'RemoveFinalizer':
        changed(home, placed, ({ metadata }) => {
          metadata.finalizers = command.kind === 'AddFinalizer' ? ['jobledger.dev/placement'] : [];
        });
        if (command.kind === 'RemoveFinalizer' && placed.object.metadata.deletionTimestamp !== undefined) {
          home.jobs.delete('pi');
          observe(home, placed, true);
        }
        return {
          kind: command.kind,
          result: 'done',
          job: placedJobFacts(HOME, structuredClone(placed.object)),
          at,
        };
      case 'WriteStatus': {
        if (command.resourceVersion !== placed.object.metadata.resourceVersion)
          return {
            kind: 'WriteStatus',
            result: 'conflict',
            job: placedJobFacts(HOME, structuredClone(placed.object)),
            at,
          };
        changed(home, placed, (object) => {
          object.status = command.to;
        });
        return {
          kind: 'WriteStatus',
          result: 'written',
          job: placedJobFacts(HOME, structuredClone(placed.object)),
          at,
        };
      }
      case 'SetSuspend':
        changed(home, placed, ({ spec }) => {
          spec.suspend = command.suspend;
        });
        return {
          kind: 'SetSuspend',
          result: 'done',
          request: command.request,
          job: placedJobFacts(HOME, structuredClone(placed.object)),
          at,
        };
      case 'EndGrant':
      case 'ShareOut':
        return { kind: command.kind, at };
      case 'EmitEvents':
        return { kind: 'EmitEvents', at };
      case 'DeleteJob':
        throw new Error(`unexpected ${command.kind}`);
    }
  };
  const inCluster = (cluster: ModelCluster, command: MemberCommand, decision: string): object => {
    const { name } = command;
    const found = cluster.jobs.get(name);
    switch (command.kind) {
      case 'CreateMember': {
        const mark = command.mark ?? decision;
        if (found !== undefined)
          return found.object.metadata.annotations?.[GRANT] === mark
            ? {
                kind: command.kind,
                result: 'created',
                existing: true,
                member: memberFacts(cluster.name, structuredClone(found.object)),
              }
            : { kind: command.kind, result: 'taken' };
        uids += 1;
        const job = create(cluster, {
          metadata: {
            name,
            namespace: 'team',
            uid: `member-${uids}`,
            resourceVersion: '',
            generation: 1,
            creationTimestamp: new Date(now).toISOString(),
            annotations: {
              [GRANT]: mark,
              ...(command.indexes !== undefined && {
                [INDEXES]: grantText({ number: 1, indexes: command.indexes }),
              }),
            },
          },
          spec: { completionMode: 'Indexed', ...command.spec },
        });
        const { completedIndexes } = command.continues ?? {};
        if (completedIndexes !== undefined)
          for (const index of indexesIn(completedIndexes)) job.done.add(index);
        if (command.continues !== undefined)
          changed(cluster, job, (object) => {
            object.status = { ...command.continues };
          });
        return {
          kind: command.kind,
          result: 'created',
          member: memberFacts(cluster.name, structuredClone(job.object)),
        };
      }
      case 'ChangeMember': {
        if (found?.object.metadata.uid !== command.uid || found === undefined)
          return { kind: command.kind, result: 'gone' };
        changed(cluster, found, (object) => {
          object.spec = withChange(object.spec, command.spec);
          if (command.indexes !== undefined)
            object.metadata.annotations = {
              ...object.metadata.annotations,
              [INDEXES]: grantText(command.indexes),
            };
        });
        return {
          kind: command.kind,
          result: 'done',
          member: memberFacts(cluster.name, structuredClone(found.object)),
        };
      }
      case 'DeleteMember':
        if (found?.object.metadata.uid !== command.uid || found === undefined)
          return { kind: command.kind, result: 'gone' };
        remove(cluster, name);
        return { kind: command.kind, result: 'done' };
      case 'LookUpMember': {
        const isIt =
          found !== undefined &&
          (command.uid === undefined
            ? found.object.metadata.annotations?.[GRANT] === command.mark
            : found.object.metadata.uid === command.uid);
        const listedAt = String(cluster.version);
        if (command.givenUp !== undefined) {
          const given = new Set(indexesIn(command.givenUp));
          const pods = found === undefined ? [] : [...found.running, ...pendingIn(found)];
          const open = pods.filter((index) => given.has(index)).length;
          const member = isIt ? memberFacts(cluster.name, structuredClone(found.object)) : null;
          const { kind, givenUp } = command;
          return { kind, result: 'done', member, pods: { open }, givenUp, listedAt };
        }
        const { completions = 1, parallelism = 1, suspend = false } = found?.object.spec ?? {};
        const uid = command.uid ?? found?.object.metadata.uid ?? '';
        const running = (found?.running.size ?? 0) + ((lingering.get(uid) ?? 0) > now ? 1 : 0);
        const waiting =
          isIt && !suspend && running === 0
            ? Math.min(parallelism, completions - (found?.done.size ?? 0))
            : 0;
        return {
          kind: command.kind,
          result: 'done',
          member: isIt ? memberFacts(cluster.name, structuredClone(found.object)) : null,
          pods: {
            open: running + waiting,
            ...(waiting > 0 && {
              unscheduledSince: Date.parse(found?.object.metadata.creationTimestamp ?? ''),
            }),
          },
          listedAt,
        };
      }
      case 'RenewGuard':
      case 'ReleaseGuard':
        throw new Error(`unexpected ${command.kind}`);
    }
  };
  const lingers = ({ metadata }: Job): number => {
    const until = now + Math.floor(random() * 8000);
    lingering.set(metadata.uid, Math.max(lingering.get(metadata.uid) ?? 0, until));
    return until;
  };
  const remove = (cluster: ModelCluster, name: string): void => {
    const job = cluster.jobs.get(name);
    if (job === undefined) return;
    for (const run of runs)
      if (run.cluster === cluster.name && run.until === null) run.until = lingers(job.object);
    cluster.jobs.delete(name);
    observe(cluster, job, true);
  };

  const candidates = (): NonNullable<PlacementSettings['candidates']> => ({
    readAt: now,
    ...(unaccountedGrants(state).length > 0 && {
      leftBy: Object.fromEntries(
        unaccountedGrants(state).map(({ number }) => [number, { failures: {}, uncountedPodCount: 0 }]),
      ),
    }),
    clusters: options.clusters.map(({ name }) => {
      const cluster = clusters.get(name) as ModelCluster;
      const used = [...cluster.jobs.values()].reduce((sum, each) => sum + each.running.size, 0);
      const word = lateAvailability()[name] ?? {};
      const refused =
        cluster.isAway || word.silentSince !== undefined
          ? 'it does not answer'
          : word.cordoned !== undefined
            ? 'cordoned'
            : word.lost !== undefined
              ? 'lost'
              : undefined;
      return { cluster: name, room: cluster.room - used, ...(refused !== undefined && { refused }) };
    }),
  });

  const work = (): void => {
    for (let steps = 0; ; steps += 1) {
      if (steps > 100)
        throw new Error(`it decides without end: ${JSON.stringify(decisions.at(-1)?.decided.data)}`);
      let settings: PlacementSettings =
        Object.keys(availability).length > 0 ? { clusters: availability } : {};
      if (needsCandidates(state, now, settings)) settings = { ...settings, candidates: candidates() };
      const before = state;
      looks.push({ state, now, settings });
      const taken = step({ decider: DECIDER, state, now, settings });
      state = taken.state;
      nextDecisionAt = taken.nextDecisionAt;
      const { decision } = taken;
      if (decision === null) return;
      decisions.push(decision);
      folds.push({ state: before, events: [decision.decided] });
      const { id, data } = decision.decided;
      const skips = skipsInLanes();
      for (const [at, command] of data.commands.entries()) {
        const outcome: PlacementOutcome = skips.has(command)
          ? { kind: 'skipped', at: now }
          : playOutcome(command, id);
        skips.note(command, outcome);
        const content = {
          cluster: HOME,
          jobUid: 'home-uid',
          placedJobUid: 'home-uid',
          decision: id,
          command: at,
          attempt: 1,
          outcome,
        };
        state = folded([
          {
            id: `${id}/answer/${at}`,
            digest: '',
            type: 'outcome.recorded',
            source: '',
            subject: '',
            data: content,
          },
        ]);
      }
    }
  };

  return {
    clusters,
    runs,
    decisions,
    folds,
    looks,
    placed,
    state: () => state,
    now: () => now,
    isOver: () => isOver(state, {}),
    status: () => placed.object.status ?? {},
    condition: (type: string) => placed.object.status?.conditions?.find((each) => each.type === type),
    setAvailability(cluster: string, word: ClusterAvailability | null): void {
      const { [cluster]: _before, ...others } = availability;
      availability = word === null ? others : { ...others, [cluster]: word };
      work();
    },
    cut(cluster: string, isAway: boolean): void {
      (clusters.get(cluster) as ModelCluster).isAway = isAway;
    },
    change(change: (object: Job) => void): void {
      changed(home, placed, change);
    },
    remove(cluster: string, name: string): void {
      remove(clusters.get(cluster) as ModelCluster, name);
    },
    forge(cluster: string, name: string, annotations: Record<string, string>): void {
      uids += 1;
      create(clusters.get(cluster) as ModelCluster, {
        metadata: {
          name,
          namespace: 'team',
          uid: `forged-${uids}`,
          resourceVersion: '',
          creationTimestamp: new Date(now).toISOString(),
          annotations,
        },
        spec: { completions: 1, suspend: true },
      });
    },
    /** Lets some seconds pass. */
    pass(seconds: number): void {
      for (let second = 0; second < seconds; second += 1) {
        now += 1000;
        for (const cluster of clusters.values()) runCluster(cluster);
        const due = facts.filter(({ at, fact }) => at <= now && !isCut(fact)).toSorted((a, b) => a.at - b.at);
        for (const each of due) facts.splice(facts.indexOf(each), 1);
        if (due.length > 0) state = folded(due.map(({ fact }) => fact));
        if (due.length > 0 || (nextDecisionAt !== null && nextDecisionAt <= now)) work();
      }
    },
  };

  /** Facts of a cluster that is away arrive when it is back. */
  function isCut(fact: PlacementFact): boolean {
    const name =
      fact.type === 'member.observed'
        ? fact.member.cluster
        : fact.type === 'member.deleted'
          ? fact.cluster
          : HOME;
    return clusters.get(name)?.isAway === true;
  }
}

export type Model = ReturnType<typeof aModel>;

function indexesIn(text: string): number[] {
  if (text === '') return [];
  return text.split(',').flatMap((part) => {
    const [first = '', last = first] = part.split('-');
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_none, at) => Number(first) + at);
  });
}

/** Pairs of runs of one index at once in different clusters. */
export function overlaps({ runs, now }: Model): string[] {
  const end = now();
  return runs.flatMap((a, at) =>
    runs
      .slice(at + 1)
      .filter(
        (b) =>
          a.index === b.index &&
          a.cluster !== b.cluster &&
          a.from < (b.until ?? end) &&
          b.from < (a.until ?? end),
      )
      .map((b) => `index ${a.index} in ${a.cluster} and ${b.cluster}`),
  );
}
