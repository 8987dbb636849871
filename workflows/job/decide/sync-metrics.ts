import type { Command } from '../commands.ts';
import { isPerIndex } from './policies/backoff-limit-per-index.ts';
import { endingCondition, INTERIM_CONDITION, isFinished, trueCondition } from '../definitions/conditions.ts';
import type { JobFacts } from '../facts.ts';
import { failureMatchOf } from './policies/pod-failure-policy.ts';
import { isOurs, type Settings } from '../settings.ts';
import type { JobState } from '../state.ts';
import { tallyOf } from './tally.ts';
import type { Verdict } from './verdict.ts';

export type SyncAction = 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted';
export type CreationReason = 'new' | 'recreate_terminating_or_failed' | 'recreate_failed';

/** The part of a decision's metrics that depends on the state (J-11.1 to J-11.3). */
export interface Sync {
  completionMode: 'Indexed' | 'NonIndexed';
  /** Indexed Jobs: indexes out of range do not count. */
  completions: number;
  isPerIndex: boolean;
  action: SyncAction;
  /** Why it creates pods; null when it does not. */
  creationReason: CreationReason | null;
  /** Failed pods that a rule of the pod failure policy matches. */
  handled: { uid: string; action: string }[];
}

/** Null when the decision is not a sync: it ended before step 6 (J-11.2), or is a part that we decide separately. */
export function syncOf(state: JobState, verdict: Verdict, now: number, settings: Settings): Sync | null {
  const { job, jobGone } = state;
  if (job === null || jobGone || !isOurs(settings, job.spec.managedBy) || isFinished(job.status)) return null;
  const { completionMode = 'NonIndexed', completions = 0 } = job.spec;
  if (completionMode !== 'NonIndexed' && completionMode !== 'Indexed') return null;
  if (verdict.commands.some(({ kind }) => BEFORE_THE_SYNC.has(kind))) return null;
  return {
    completionMode,
    completions,
    isPerIndex: isPerIndex(job.spec),
    action: actionOf(job, verdict),
    creationReason: creates(verdict.commands) ? creationReason(state, job, now, settings) : null,
    handled: handledBy(state, job, verdict.commands),
  };
}

/** Claiming pods, looking up pods and handling requests have decisions of their own. */
const BEFORE_THE_SYNC = new Set<Command['kind']>([
  'AdoptPods',
  'DisownPods',
  'LookUpJob',
  'LookUpOrphans',
  'LookUpPods',
  'SetSuspend',
  'RefuseRequest',
]);

/** Rules that delay the creation of pods; the sync still counts as one that creates (J-11.2). */
const BACKOFF_RULES = new Set(['J-5.40', 'J-5.44']);

function actionOf(job: JobFacts, { commands, waiting }: Verdict): SyncAction {
  if (job.deleting || isEnding(job, commands) || waiting?.rule === 'J-3.2') return 'reconciling';
  if (job.spec.suspend === true) return 'pods_deleted';
  if (creates(commands) || BACKOFF_RULES.has(waiting?.rule ?? '')) return 'pods_created';
  return commands.some(({ kind }) => kind === 'DeletePods') ? 'pods_deleted' : 'tracking';
}

/** The Job ends before its pods are managed; reaching the completions is checked after that (J-3.58). */
function isEnding({ status }: JobFacts, commands: readonly Command[]): boolean {
  const stops = commands.some((command) => command.kind === 'DeletePods' && !command.untrack);
  const write = commands.find((command) => command.kind === 'WriteStatus');
  const next = write?.kind === 'WriteStatus' ? write.to : {};
  const success = trueCondition(next, INTERIM_CONDITION.Complete);
  return (
    stops ||
    endingCondition(status) !== undefined ||
    trueCondition(next, INTERIM_CONDITION.Failed) !== undefined ||
    (success !== undefined && success.reason !== 'CompletionsReached')
  );
}

function creates(commands: readonly Command[]): boolean {
  return commands.some(({ kind }) => kind === 'CreatePods');
}

/** J-11.3. */
function creationReason(state: JobState, job: JobFacts, now: number, settings: Settings): CreationReason {
  const { failed, terminating } = tallyOf(state, job, now, settings);
  if (job.spec.podReplacementPolicy === 'Failed' && failed > 0) return 'recreate_failed';
  return failed > 0 || terminating.length > 0 ? 'recreate_terminating_or_failed' : 'new';
}

/** Pods that are counted now, and pods that are released because a rule ignores them (J-6.11). */
function handledBy({ pods }: JobState, { spec }: JobFacts, commands: readonly Command[]): Sync['handled'] {
  if (spec.podFailurePolicy === undefined) return [];
  const actionOn = (uid: string): string | undefined => {
    const pod = pods[uid];
    return pod?.phase === 'Failed' ? failureMatchOf(spec, pod)?.action : undefined;
  };
  const counted = commands.flatMap((command) =>
    command.kind === 'WriteStatus' ? command.counted.failed : [],
  );
  const released = commands.flatMap((command) =>
    command.kind === 'ReleasePods' ? command.pods.map(({ uid }) => uid) : [],
  );
  const ignored = released.filter((uid) => actionOn(uid) === 'Ignore');
  return [...new Set([...counted, ...ignored])].flatMap((uid) => {
    const action = actionOn(uid);
    return action === undefined ? [] : [{ uid, action }];
  });
}
