import type { Command } from './commands.ts';
import type { JobState } from './state.ts';
import { type BrokenInvariant, toFindings, unrecordedText } from '../decision/invariants/broken.ts';
import { fallingCounter } from '../batch/falling-counter.ts';
import { isActive } from './definitions/pod-phase.ts';

/** The invariants that commands of a Job break. */
export function checkJob(state: JobState, commands: readonly Command[]): BrokenInvariant[] {
  return [
    ...jobCreationBeyondParallelism(state, commands),
    ...jobUnrecordedUid(state, commands),
    ...commands.flatMap((command) =>
      command.kind === 'WriteStatus' && state.job !== null ? fallingCounter(state.job.spec, command) : [],
    ),
  ];
}

/** A Job never gets more pods than may run at once. */
function jobCreationBeyondParallelism(
  { job, pods }: JobState,
  commands: readonly Command[],
): BrokenInvariant[] {
  const created = commands.flatMap((command) => (command.kind === 'CreatePods' ? command.pods : [])).length;
  if (created === 0) return [];
  const active = Object.values(pods).filter(isActive).length;
  const parallelism = job?.spec.parallelism ?? 1;
  if (active + created <= parallelism) return [];
  return toFindings('creation-beyond-parallelism', [
    `${created} pods would be created beside ${active} active ones, and the parallelism is ${parallelism}`,
  ]);
}

/** A command about a pod names a pod that the stream has recorded. */
function jobUnrecordedUid({ pods, keptPods }: JobState, commands: readonly Command[]): BrokenInvariant[] {
  const messages = commands.flatMap((command) => {
    if (!('pods' in command) || command.kind === 'CreatePods') return [];
    const unknown = command.pods.filter(({ uid }) => pods[uid] === undefined && keptPods[uid] === undefined);
    return unrecordedText(`${command.kind} names the pod`, unknown);
  });
  return toFindings('unrecorded-uid', messages);
}
