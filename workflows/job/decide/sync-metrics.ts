import type { Command } from '../commands.ts';
import { isPerIndex } from '../definitions/per-index.ts';
import { isIndexed } from '../../batch/completion-indexes.ts';
import type { JobFacts } from '../../batch/facts.ts';
import { matchFailure } from '../definitions/failure-match.ts';
import type { Settings } from '../settings.ts';
import type { Situation } from './situation.ts';
import type { JobState } from '../state.ts';
import { takeTally } from './tally.ts';
import type { SyncAction, Verdict } from './verdict.ts';

export type CreationReason = 'new' | 'recreate_terminating_or_failed' | 'recreate_failed';

/** The part of a decision's metrics that depends on the state (J-11.1 to J-11.3). */
export interface Sync {
  completionMode: 'Indexed' | 'NonIndexed';
  /** Indexes of an Indexed Job that are out of range do not count. */
  completions: number;
  isPerIndex: boolean;
  action: SyncAction;
  /** The reason why the sync creates pods; null when the sync creates no pods. */
  creationReason: CreationReason | null;
  /** Failed pods that a rule of the pod failure policy matches. */
  handled: { uid: string; action: string }[];
}

/** The values of a sync for the metrics; null when the decision is not a sync. */
export function measureSync(state: JobState, verdict: Verdict, now: number, settings: Settings): Sync | null {
  const { job } = state;
  const { commands, action } = verdict;
  if (job === null || action === undefined) return null;
  const { completions = 0 } = job.spec;
  return {
    completionMode: isIndexed(job.spec) ? 'Indexed' : 'NonIndexed',
    completions,
    isPerIndex: isPerIndex(job.spec),
    action,
    creationReason: createsPods(commands) ? creationReason({ state, job, now, settings }) : null,
    handled: handledBy(state, job, commands),
  };
}

/** True when commands create pods. */
function createsPods(commands: readonly Command[]): boolean {
  return commands.some(({ kind }) => kind === 'CreatePods');
}

/** The reason why a sync creates pods, as a value of the metrics (J-11.3). */
function creationReason(at: Situation): CreationReason {
  const { failed, terminating } = takeTally(at);
  if (at.job.spec.podReplacementPolicy === 'Failed' && failed > 0) return 'recreate_failed';
  return failed > 0 || terminating.length > 0 ? 'recreate_terminating_or_failed' : 'new';
}

/** Pods that are counted now, and pods that are released because a rule ignores them (J-6.11). */
function handledBy({ pods }: JobState, { spec }: JobFacts, commands: readonly Command[]): Sync['handled'] {
  if (spec.podFailurePolicy === undefined) return [];
  /** The action of the rule of the pod failure policy that matches a failed pod. */
  const actionOn = (uid: string): string | undefined => {
    const pod = pods[uid];
    return pod?.phase === 'Failed' ? matchFailure(spec, pod)?.action : undefined;
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
