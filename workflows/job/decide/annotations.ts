import type { Command } from '../commands.ts';
import { unlessHeldBack } from './hold-back.ts';
import { chainComplaint, applyChain } from './policies/chain.ts';
import { editedIndexWarnings } from './pods/edited-index-warnings.ts';
import { trimFailedPods } from './policies/failed-pods-limit.ts';
import { unservedScheduling } from './policies/pod-groups.ts';
import { startAndFinishEvents } from './policies/start-and-finish-events.ts';
import type { Reason } from '../../decision/reason.ts';
import type { Situation } from './situation.ts';
import { combineVerdicts, type Verdict } from './verdict.ts';

/**
 * Adds the commands that annotations of the Job ask for to a sync (section 12 of the rules); adds no command without
 * such annotations.
 */
export function applyAnnotations(at: Situation, verdict: Verdict): Verdict {
  const { job } = at;
  const { commands } = verdict;
  // Warnings are the first commands, because commands after a failed command are skipped, and warnings are sent once.
  const warned = [...warnings(at), ...commands];
  if (job.annotations === undefined) return { ...verdict, commands: warned };
  const more = [...warned, ...startAndFinishEvents(job, commands)];
  return combineVerdicts(
    applyChain(at, { ...verdict, commands: more }),
    unlessHeldBack(at, trimFailedPods(at)),
  );
}

/**
 * Reports each useless setting of the Job once: invalid annotations (J-12.8), unserved scheduling (J-8.28), edited
 * indexes of pods (J-0.4).
 */
function warnings({ state, job, settings }: Situation): Command[] {
  const { warned } = state;
  const invalid = [...(job.annotations?.invalid ?? []), ...chainComplaint(state, job)];
  const unserved = unservedScheduling(job, settings);
  const edited = editedIndexWarnings(state, job);
  const all = [...invalid, ...edited, ...(unserved === null ? [] : [unserved])];
  const unreported = all.filter((message) => !warned.includes(message));
  if (unreported.length === 0) return [];
  const events = unreported.map((message) => ({
    type: 'Warning' as const,
    reason:
      message === unserved
        ? 'SchedulingNotServed'
        : edited.includes(message)
          ? 'IndexEdited'
          : 'InvalidAnnotation',
    message,
  }));
  const why: Reason = unreported.every((message) => message === unserved)
    ? { rule: 'J-8.28', message: 'the cluster does not give the scheduling that the Job asks for' }
    : unreported.every((message) => edited.includes(message))
      ? { rule: 'J-0.4', message: 'the index of a pod was edited' }
      : { rule: 'J-12.8', message: 'an invalid annotation is ignored' };
  return [{ kind: 'EmitEvents', events, invalid: all, why }];
}
