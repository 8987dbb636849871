import type { Command } from '../../job/commands.ts';
import { podRef } from '../../job/definitions/pod-refs.ts';
import type { JobState } from '../../job/state.ts';
import { fewText } from '../timeline/few.ts';
import { commandsEffect, toJobEnd, type Effect } from './effect.ts';
import type { JobEnd } from './types.ts';

/**
 * The end of a counterfactual run: the run ends with the Job, or at the end of the usable record; both fields are
 * null while the run continues.
 */
export interface RunEnd {
  end: JobEnd | null;
  /** The time from which the result is unknown, in milliseconds, and the reason. */
  unknown: { since: number; message: string } | null;
}

export interface Comparison {
  /** The commands under the other policy. */
  commands: readonly Command[];
  /** The commands that were recorded at the same time; null without such a decision. */
  recorded: readonly Command[] | null;
  /** The time of the decision, in milliseconds. */
  now: number;
  /** The state under the other policy. */
  state: JobState;
  record: {
    /** The times when the recorded decisions created each pod, in milliseconds. */
    creations: ReadonlyMap<string, number>;
    /** The end of the recorded Job. */
    end: JobEnd | null;
  };
}

export interface Compared {
  /** The value is null while the run continues. */
  end: RunEnd | null;
  /** True when the record has the same decision a little later, which replaces this decision. */
  postponed: boolean;
  /** The names of pods that only the recorded decision creates. */
  notCreated: readonly string[];
  /** The names of pods that only the other policy deletes. */
  deletedEarlier: readonly string[];
}

/**
 * A recorded decision may follow this much later than the same decision of this run, in milliseconds, because a
 * worker was slow.
 */
const SLACK_MS = 2000;

/** Checks whether the recorded facts still apply after a decision, and finds the pods that the decision leaves out (docs/decisions/0025). */
export function compareDecisions({ commands, recorded, now, state, record }: Comparison): Compared {
  const mine = commandsEffect(commands);
  const theirs = commandsEffect(recorded ?? []);
  if (mine.ending !== null) {
    const ending = toJobEnd(mine.ending, now);
    return recorded === null && isRecordedSoon(ending, record.end, now)
      ? POSTPONED
      : endingComparison({ end: ending, unknown: null });
  }
  const created = mine.created.filter((name) => !theirs.created.includes(name));
  if (created.length > 0)
    return created.every((name) => isSoon(record.creations.get(name), now))
      ? POSTPONED
      : endingComparison(unknownPods(created, now));
  const spared = theirs.deleted.filter((uid) => !mine.deleted.includes(uid) && state.pods[uid] !== undefined);
  if (spared.length > 0) return endingComparison(unknownDeletions(state, spared, now));
  return { end: null, postponed: false, ...podDifference(mine, theirs, state) };
}

/** The end of a run at pods that would not have been deleted under the other policy. */
export function unknownDeletions(state: JobState, uids: readonly string[], since: number): RunEnd {
  const names = fewText(podNames(state, uids), 3);
  const message = `it would not have stopped ${names}: what they would have done then is not recorded`;
  return { end: null, unknown: { since, message } };
}

/** The end of a run at pods that only the other policy would have created. */
function unknownPods(names: readonly string[], since: number): RunEnd {
  const message = `it would have created ${fewText(names, 3)} then, which nobody did`;
  return { end: null, unknown: { since, message } };
}

const POSTPONED: Compared = { end: null, postponed: true, notCreated: [], deletedEarlier: [] };

/** The comparison that ends the run. */
function endingComparison(end: RunEnd): Compared {
  return { end, postponed: false, notCreated: [], deletedEarlier: [] };
}

/** The pods that only one of two decisions creates or deletes. */
function podDifference(
  mine: Effect,
  theirs: Effect,
  state: JobState,
): Pick<Compared, 'notCreated' | 'deletedEarlier'> {
  return {
    notCreated: theirs.created.filter((name) => !mine.created.includes(name)),
    deletedEarlier: podNames(
      state,
      mine.deleted.filter((uid) => !theirs.deleted.includes(uid)),
    ),
  };
}

/** True when the record shows the same end of the Job a little later. */
function isRecordedSoon({ type, reason }: JobEnd, recorded: JobEnd | null, now: number): boolean {
  if (recorded === null || recorded.type !== type || recorded.reason !== reason) return false;
  return isSoon(Date.parse(recorded.at), now);
}

/** True for an instant that follows within the slack of a slow worker. */
function isSoon(at = -Infinity, now: number): boolean {
  return at > now && at - now <= SLACK_MS;
}

/** The names of these pods. */
function podNames({ job, pods }: JobState, uids: readonly string[]): string[] {
  return uids.flatMap((uid) => {
    const pod = pods[uid];
    return pod === undefined ? [] : [podRef(job, uid, pod).name];
  });
}
