import { contains, toIndexes, parseIndexes } from '../../../workflows/batch/completion-indexes.ts';
import { failuresToContinue } from '../../../workflows/job/definitions/continued-failures.ts';
import { computeDigest } from '../../../workflows/ledger/digest.ts';
import { grantText } from '../../../workflows/batch/index-grant.ts';
import { replay } from '../../../workflows/job/record/replay.ts';
import { COMPLETION_INDEX, CONTINUED_FAILURES, GRANT, INDEXES } from '../../../workflows/kubernetes/names.ts';
import type { Job, JobSpec, Pod } from '../../../workflows/kubernetes/objects.ts';
import type { MemberCommand, PlacementCommand } from '../../../workflows/placement/commands.ts';
import { needsCandidates } from '../../../workflows/placement/decide/decide.ts';
import { unaccountedGrants } from '../../../workflows/placement/definitions/parts.ts';
import { fold } from '../../../workflows/placement/evolve/evolve.ts';
import type { PlacementFact } from '../../../workflows/placement/facts.ts';
import { memberJob } from '../../../workflows/placement/member-job.ts';
import { memberFacts, placedJobFacts } from '../../../workflows/placement/observe/compact.ts';
import type { PlacementOutcome } from '../../../workflows/placement/outcomes.ts';
import type { ClusterAvailability, PlacementSettings } from '../../../workflows/placement/settings.ts';
import { INITIAL_STATE, type PlacementState } from '../../../workflows/placement/state.ts';
import { step } from '../../../workflows/placement/step.ts';
import { START } from '../../support/builders.ts';
import { objectionsTo } from '../../support/model-cluster-status.ts';
import { createModelCluster, type ModelCluster } from '../../support/model-cluster.ts';
import { ModelViolation, setJob } from '../../support/model-cluster-api.ts';
import type { Fate } from '../../support/model-cluster-kubelet.ts';
import { DECIDER, skipsInLanes } from '../a-placed-job.ts';
import { readLate } from '../read-late.ts';
import { withChange } from '../../support/with-change.ts';

const HOME = 'east';

/** A member with everything around it: its API server, its kubelet and the controller of Jobs as it is. */
export interface WorldMember {
  cluster: string;
  name: string;
  uid: string;
  model: ModelCluster;
  /** How many of its versions the home has received. */
  received: number;
  /** How many pods had been created when it received the end of the Job; null before. */
  createdAtEnd: number | null;
}

/** What becomes of the commands of a decision to other clusters: carried out; the same, but the answer is lost; not sent. */
export type Answering = 'answered' | 'unanswered' | 'unsent';

export interface SpreadWorld {
  members: WorldMember[];
  placed: Job;
  state: PlacementState;
  /** Of the home's clock, in milliseconds. */
  now: number;
  nextDecisionAt: number | null;
  availability: Record<string, ClusterAvailability>;
  /** Facts that the home has not read yet. */
  inbox: PlacementFact[];
}

interface WorldOptions {
  spec: Partial<JobSpec>;
  annotations: Record<string, string>;
  /** How often each index fails before it succeeds, over all clusters. */
  failures: readonly number[];
  /** By cluster. */
  room: Readonly<Record<string, number>>;
}

/** A spread Job, and the clusters that run it. */
export function aSpreadWorld({ spec: asked, annotations, failures, room }: WorldOptions) {
  const fate = createFate(failures);
  const world: SpreadWorld = {
    members: [],
    placed: {
      metadata: {
        name: 'pi',
        namespace: 'team',
        uid: 'home-uid',
        resourceVersion: '100',
        generation: 1,
        creationTimestamp: new Date(START).toISOString(),
        annotations,
      },
      spec: { completionMode: 'Indexed', managedBy: 'jobledger.dev/placement', ...asked },
    },
    state: INITIAL_STATE,
    now: START,
    nextDecisionAt: null,
    availability: {},
    inbox: [],
  };

  const lateAvailability = readLate(
    () => world.availability,
    () => world.now,
  );

  const seePlaced = (change: Partial<Job> = {}): Job => {
    const { metadata } = world.placed;
    const resourceVersion = String(Number(metadata.resourceVersion) + 1);
    world.placed = { ...world.placed, ...change };
    world.placed.metadata = { ...world.placed.metadata, resourceVersion };
    const id = `home/${resourceVersion}`;
    const job = placedJobFacts(HOME, world.placed);
    world.inbox.push({ id, digest: computeDigest(id), type: 'job.observed', job });
    return world.placed;
  };
  seePlaced();

  const shown = (member: WorldMember, object: Job): Job => ({
    ...object,
    metadata: { ...object.metadata, name: member.name, namespace: 'team', uid: member.uid },
  });
  const shownFacts = (member: WorldMember) =>
    memberFacts(member.cluster, shown(member, member.model.api.job as Job));

  const inCluster = (command: MemberCommand, decision: string): object => {
    const found = world.members.find(
      ({ cluster, name }) => cluster === command.cluster && name === command.name,
    );
    switch (command.kind) {
      case 'CreateMember': {
        const mark = command.mark ?? decision;
        if (found !== undefined)
          return found.model.api.job?.metadata.annotations?.[GRANT] === mark
            ? { result: 'created', existing: true, member: shownFacts(found) }
            : { result: 'taken' };
        const body = memberJob(HOME, world.placed, command, mark);
        const { template: _template, selector: _selector, ...fields } = body.spec;
        const { cluster, name } = command;
        const uid = `member-${world.members.length + 1}`;
        const { annotations: ofMember } = body.metadata;
        const model = createModelCluster({ ...fields, annotations: ofMember }, fate(uid));
        model.api.now = world.now;
        const member = { cluster, name, uid, model, received: 0, createdAtEnd: null };
        world.members.push(member);
        return { result: 'created', member: shownFacts(member) };
      }
      case 'ChangeMember': {
        if (found === undefined || found.uid !== command.uid) return { result: 'gone' };
        const { api } = found.model;
        const job = api.job as Job;
        const { indexes, failures: continued } = command;
        const { completions = job.spec.completions, parallelism = job.spec.parallelism } = command.spec;
        if (completions !== job.spec.completions && completions !== parallelism)
          throw new ModelViolation('J-1.18: completions can only be modified in tandem with parallelism');
        const isSpecNew = Object.keys(command.spec).length > 0;
        api.isSpecChanged ||= isSpecNew;
        setJob(api, {
          ...job,
          metadata: {
            ...job.metadata,
            generation: (job.metadata.generation ?? 1) + (isSpecNew ? 1 : 0),
            annotations: {
              ...job.metadata.annotations,
              ...(indexes !== undefined && { [INDEXES]: grantText(indexes) }),
              ...(continued !== undefined && { [CONTINUED_FAILURES]: JSON.stringify(continued) }),
            },
          },
          spec: withChange(job.spec, command.spec),
        });
        if (indexes?.end !== undefined) found.createdAtEnd ??= api.created.length;
        return { result: 'done', member: shownFacts(found) };
      }
      case 'LookUpMember': {
        const isIt =
          found !== undefined &&
          (command.uid === undefined
            ? found.model.api.job?.metadata.annotations?.[GRANT] === command.mark
            : found.uid === command.uid);
        const of = command.givenUp === undefined ? null : parseIndexes(command.givenUp, Infinity);
        const open = isIt
          ? unfinished(found).filter((pod) => of === null || contains(of, indexIn(pod))).length
          : 0;
        return {
          result: 'done',
          member: isIt ? shownFacts(found) : null,
          pods: { open },
          listedAt: String(Number.MAX_SAFE_INTEGER),
          ...(command.givenUp !== undefined && { givenUp: command.givenUp }),
        };
      }
      case 'DeleteMember':
      case 'RenewGuard':
      case 'ReleaseGuard':
        throw new ModelViolation(`unexpected ${command.kind}`);
    }
  };

  const atHome = (command: HomeCommand): object => {
    switch (command.kind) {
      case 'AddFinalizer':
      case 'RemoveFinalizer': {
        const finalizers = command.kind === 'AddFinalizer' ? ['jobledger.dev/placement'] : [];
        const job = seePlaced({ metadata: { ...world.placed.metadata, finalizers } });
        return { result: 'done', job: placedJobFacts(HOME, job) };
      }
      case 'WriteStatus': {
        if (command.resourceVersion !== world.placed.metadata.resourceVersion)
          return { result: 'conflict', job: placedJobFacts(HOME, world.placed) };
        const objections = objectionsTo(world.placed, command.to);
        if (objections.length > 0)
          throw new ModelViolation(`${objections.join('; ')}: ${JSON.stringify(command.to)}`);
        return { result: 'written', job: placedJobFacts(HOME, seePlaced({ status: command.to })) };
      }
      case 'EndGrant':
      case 'ShareOut':
      case 'EmitEvents':
        return {};
      case 'SetSuspend':
      case 'DeleteJob':
        throw new ModelViolation(`unexpected ${command.kind}`);
    }
  };

  const playOutcome = (
    command: PlacementCommand,
    decision: string,
    answering: Answering,
  ): PlacementOutcome => {
    const { kind } = command;
    const at = world.now;
    if (isAtHome(command)) return { kind, ...atHome(command), at } as PlacementOutcome;
    const isAway = world.availability[command.cluster]?.silentSince !== undefined;
    const unanswered = { kind, result: 'unanswered', message: 'no answer', at } as PlacementOutcome;
    if (isAway || answering === 'unsent') return unanswered;
    const outcome = { kind, ...inCluster(command, decision), at } as PlacementOutcome;
    return answering === 'unanswered' ? unanswered : outcome;
  };

  const candidates = (): NonNullable<PlacementSettings['candidates']> => ({
    readAt: world.now,
    clusters: Object.entries(room).map(([cluster, pods]) => {
      const { cordoned, silentSince } = lateAvailability()[cluster] ?? {};
      const used = world.members
        .filter((member) => member.cluster === cluster)
        .reduce((sum, member) => sum + unfinished(member).length, 0);
      const refused =
        silentSince !== undefined ? 'it does not answer' : cordoned === undefined ? undefined : 'cordoned';
      return { cluster, room: pods - used, ...(refused !== undefined && { refused }) };
    }),
    leftBy: Object.fromEntries(
      unaccountedGrants(world.state).map(({ number, member: { uid } }) => {
        const events = world.members.find((each) => each.uid === uid)?.model.ledger.events ?? [];
        const stream = events.filter(({ data }) => 'jobUid' in data);
        return [number, failuresToContinue(replay(stream))];
      }),
    ),
  });

  return {
    world,
    /** Changes the placed Job as its author does. */
    change(spec: Partial<JobSpec>): void {
      const { metadata } = world.placed;
      const generation = (metadata.generation ?? 1) + 1;
      seePlaced({ metadata: { ...metadata, generation }, spec: { ...world.placed.spec, ...spec } });
    },
    /** The home hears of the next versions of a member; the last of them may come again later. */
    append(member: WorldMember, count: number, isAgain = false): boolean {
      if (world.availability[member.cluster]?.silentSince !== undefined) return false;
      const { jobs } = member.model.api.journal;
      const from = member.received;
      member.received = Math.min(jobs.length, from + count);
      const news = jobs.slice(isAgain ? Math.max(0, from - 1) : from, member.received);
      for (const { object } of news) {
        const id = `${member.uid}/${object.metadata.resourceVersion}`;
        const facts = memberFacts(member.cluster, shown(member, object));
        world.inbox.push({ id, digest: computeDigest(id), type: 'member.observed', member: facts });
      }
      return member.received > from;
    },
    /** The home reads what it has received, and decides until it rests. Returns how often it decided. */
    work(answering: Answering = 'answered'): number {
      for (let decisions = 0; ; decisions += 1) {
        if (decisions > 100) throw new ModelViolation('the home decides without end');
        world.state = fold(world.state, world.inbox.splice(0));
        let settings: PlacementSettings = { clusters: world.availability };
        if (needsCandidates(world.state, world.now, settings))
          settings = { ...settings, candidates: candidates() };
        const taken = step({ decider: DECIDER, state: world.state, now: world.now, settings });
        world.state = taken.state;
        world.nextDecisionAt = taken.nextDecisionAt;
        if (taken.decision === null) return decisions;
        const { id, data } = taken.decision.decided;
        const skips = skipsInLanes();
        for (const [at, command] of data.commands.entries()) {
          const outcome: PlacementOutcome = skips.has(command)
            ? { kind: 'skipped', at: world.now }
            : playOutcome(command, id, answering);
          skips.note(command, outcome);
          const { cluster, jobUid, placedJobUid } = DECIDER;
          const answered = { cluster, jobUid, placedJobUid, decision: id, command: at, attempt: 1, outcome };
          const origin = { id: `${id}/answer/${at}`, digest: '', source: '', subject: '' };
          world.state = fold(world.state, [{ ...origin, type: 'outcome.recorded', data: answered }]);
        }
        world.now += 7;
      }
    },
  };
}

type HomeCommand = Exclude<PlacementCommand, MemberCommand>;

function isAtHome(command: PlacementCommand): command is HomeCommand {
  return !('cluster' in command) || command.kind === 'EndGrant';
}

/** An index fails as often as its number says, in whatever clusters. */
export function createFate(failures: readonly number[]): (member: string) => Fate {
  const attempts = new Map<number, Set<string>>();
  return (member) => (_creation, pod) => {
    const index = indexIn(pod);
    const attempt = `${member}/${pod.metadata.uid}`;
    const seen = attempts.get(index) ?? new Set();
    attempts.set(index, seen.add(attempt));
    return [...seen].indexOf(attempt) < (failures[index] ?? 0) ? 'Failed' : 'Succeeded';
  };
}

export function unfinished({ model }: WorldMember): Pod[] {
  return [...model.api.pods.values()].filter(
    ({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
  );
}

export function indexIn({ metadata }: Pod): number {
  return Number(metadata.annotations?.[COMPLETION_INDEX]);
}

/** The indexes whose pods have succeeded, by the pods themselves. */
export function succeededIn({ model }: WorldMember): ReturnType<typeof toIndexes> {
  const pods = [...model.api.latest.values()].filter(({ status }) => status?.phase === 'Succeeded');
  return toIndexes(pods.map(indexIn));
}
