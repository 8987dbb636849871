import {
  countIndexes,
  formatIndexes,
  parseIndexes,
  union,
  type Indexes,
} from '../../batch/completion-indexes.ts';
import { memberSpec } from '../definitions/member-spec.ts';
import { nothing } from '../../decision/verdict.ts';
import type { Reason } from '../../decision/reason.ts';
import type { MemberSpec } from '../facts.ts';
import type { Continued, Counters, PlacementCommand } from '../commands.ts';
import { countingGrant, nextGrant } from '../definitions/grants.ts';
import { reportedSuccesses, combineCounters } from '../definitions/successes.ts';
import { memberName } from '../definitions/member-name.ts';
import { choose, type ClusterChoice } from './choose.ts';
import { placedDeadline, remainingSeconds } from './deadline.ts';
import { excludedNow } from './excluded.ts';
import { guardTrouble, guardWish } from './guard.ts';
import { selectorTrouble } from './requests.ts';
import { failAtDeadline } from './status.ts';
import { combineVerdicts, report, planCommands } from './plans.ts';
import type { PlacementState } from '../state.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';

/** The time after which the clusters are considered again while no cluster can take the Job, in milliseconds. */
const LOOK_AGAIN_MS = 10_000;

/** Chooses a cluster for a Job that no cluster has, and creates the member in that cluster (J-16.4 to J-16.6). */
export function giveToCluster(at: PlacementSituation): PlacementVerdict {
  const { job, now, settings } = at;
  if (job.spec.suspend === true && at.state.grants.length === 0) return nothing;
  const impossible = selectorTrouble(at) ?? guardTrouble(at);
  if (impossible !== null) return impossible;
  const deadline = placedDeadline(at);
  if (deadline !== null && deadline <= now) return failAtDeadline(at);
  const { candidates } = settings;
  if (candidates === undefined) return { ...nothing, candidates: 'missing' };
  if (candidates.unread !== undefined) return waitForCandidates(at, candidates.unread);
  const choice = choose(job, candidates.clusters, {
    excluded: excludedNow(at.state, settings, now),
  });
  if (choice.chosen === null) return waitFor(at, choice, deadline);
  return { ...createMember(at, choice.chosen.cluster, choice), candidates: 'read' };
}

/** The verdict while the candidates cannot be read; they are read again later (J-16.4). */
export function waitForCandidates({ now }: PlacementSituation, message: string): PlacementVerdict {
  const waiting: Reason = { rule: 'J-16.4', message };
  return {
    ...nothing,
    nextDecisionAt: now + LOOK_AGAIN_MS,
    waiting,
    candidates: 'read',
  };
}

/** The wait while no cluster can take the Job, with the reasons of the clusters. */
function waitFor(
  at: PlacementSituation,
  { refused }: ClusterChoice,
  deadline: number | null,
): PlacementVerdict {
  const message =
    refused.length === 0
      ? 'the operator allows no cluster for Jobs of this namespace'
      : `no cluster can take the Job: ${refusedText(refused)}`;
  const again = at.now + LOOK_AGAIN_MS;
  return combineVerdicts(
    {
      ...nothing,
      nextDecisionAt: deadline === null ? again : Math.min(again, deadline),
      waiting: { rule: 'J-16.4', message },
      candidates: 'read',
    },
    report(at, 'Warning', 'NoCluster', message),
  );
}

/** The maximum number of refused clusters in the text. */
const MOST_LISTED = 10;

/** The refused clusters with their reasons as text. */
export function refusedText(refused: ClusterChoice['refused']): string {
  const listed = refused.slice(0, MOST_LISTED).map(({ cluster, why }) => `${cluster}: ${why}`);
  const others = refused.length - listed.length;
  return [...listed, ...(others > 0 ? [`${others} more`] : [])].join('; ');
}

/** Gives the Job to a cluster, and creates the member or its guard. */
function createMember(at: PlacementSituation, cluster: string, { refused }: ClusterChoice): PlacementVerdict {
  const { job, state } = at;
  const number = nextGrant(state);
  const name = memberName(job, { cluster, number });
  if (name === null) {
    const message = `the name of the member in the cluster ${cluster} would have more than 63 characters; use a shorter name`;
    return combineVerdicts(
      { ...nothing, waiting: { rule: 'J-16.6', message } },
      report(at, 'Warning', 'NameTooLong', message),
    );
  }
  const before = nextContinued(at);
  const why: Reason = {
    rule: 'J-16.5',
    message: `${cluster} is the best of the clusters that can take the Job${refused.length === 0 ? '' : `; not ${refusedText(refused)}`}`,
  };
  const spec = remainingSpec(at);
  const guard = guardWish(at);
  const create: PlacementCommand = {
    kind: 'CreateMember',
    cluster,
    grant: number,
    name,
    spec: before === null ? spec : { ...spec, suspend: true },
    ...(before !== null && { continues: before }),
    why,
  };
  const first: PlacementCommand =
    guard === null
      ? create
      : {
          kind: 'RenewGuard',
          cluster,
          grant: number,
          name,
          ...guard,
          ...(before !== null && { continues: before }),
          why,
        };
  return planCommands(at, first);
}

/**
 * The verdict, with the finalizer before every member that the verdict creates: without the finalizer, no member is
 * created (J-16.3).
 */
export function withFinalizer(at: PlacementSituation, verdict: PlacementVerdict): PlacementVerdict {
  const { job } = at;
  const begins = verdict.commands.filter(beginsMember);
  if (job.held || begins.length === 0) return verdict;
  const hold = planCommands(at, {
    kind: 'AddFinalizer',
    resourceVersion: job.resourceVersion,
    why: {
      rule: 'J-16.3',
      message: 'the deletion of the Job waits for its members',
    },
  });
  const rest = { ...verdict, commands: verdict.commands.filter((command) => !beginsMember(command)) };
  return combineVerdicts(rest, hold, { ...nothing, commands: hold.commands.length === 0 ? [] : begins });
}

/** True when the command may create the member, or its guard. */
function beginsMember(command: PlacementCommand): boolean {
  return command.kind === 'CreateMember' || (command.kind === 'RenewGuard' && command.uid === undefined);
}

/** The fields of the member's spec: the values of the Job, or the remainder of these values. */
export function remainingSpec(at: PlacementSituation): MemberSpec {
  const { activeDeadlineSeconds: _whole, ...spec } = at.job.spec;
  const left = remainingSeconds(at);
  return memberSpec({ ...spec, ...(left !== undefined && { activeDeadlineSeconds: left }) });
}

/** The counters of the members before a grant, by default before the next grant; null when no member existed. */
export function countersBefore(
  { state, job }: Pick<PlacementSituation, 'state' | 'job'>,
  grant = Infinity,
): Counters | null {
  const { member = null, continues = {}, earlier = {} } = countingGrant(state, grant) ?? {};
  if (member === null) return null;
  // The counters of a member that was lost before it began may be lower than the counters that it continues.
  const before = combineCounters(combineCounters(continues, earlier), finishedBefore(state, grant));
  const failed = Math.max(job.status.failed ?? 0, member.status.failed ?? 0, before.failed ?? 0);
  const status = { ...job.status, ...reportedSuccesses(job, before) };
  return { ...reportedSuccesses({ ...job, status }, member.status), ...(failed > 0 && { failed }) };
}

/**
 * The indexes that members have finished before a grant; a member of an ended grant may have returned, and have
 * finished more indexes (J-16.18).
 */
function finishedBefore({ grants }: PlacementState, before: number): Counters {
  const finished = grants
    .filter(({ number }) => number < before)
    .map(({ member, fewest = Infinity }) => parseIndexes(member?.status.completedIndexes ?? '', fewest))
    .reduce<Indexes>(union, []);
  return countIndexes(finished) === 0 ? {} : { completedIndexes: formatIndexes(finished) };
}

/** The counters and failures that a new member continues; null for the first member (J-16.23). */
function nextContinued(at: PlacementSituation): Continued | null {
  const counters = countersBefore(at);
  const { left } = at.settings.candidates ?? {};
  if (counters === null || left === undefined) return counters;
  const { failures, uncountedPodCount } = left;
  return {
    ...counters,
    ...(uncountedPodCount > 0 && { failed: (counters.failed ?? 0) + uncountedPodCount }),
    ...(Object.keys(failures).length > 0 && { failures }),
  };
}
