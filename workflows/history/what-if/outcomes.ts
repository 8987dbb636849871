import type { Outcome, PodOutcome } from '../../job/outcomes.ts';
import type { Command, DeletePods } from '../../job/commands.ts';
import type { CommandAnswered, JobDecided } from '../../job/events.ts';
import type { JobFacts } from '../../job/facts.ts';
import type { JobStatus } from '../../kubernetes/objects.ts';

/** What was decided at the same moment on record, and what came of it. */
export interface Record {
  decision: JobDecided;
  outcomes: readonly CommandAnswered[];
}

/**
 * What came of a command of another world: as recorded, where the same kind was asked for then; else as if nothing
 * failed. What only the cluster could have told has no answer.
 */
export function outcomesFor(
  command: Command,
  at: number,
  record: Record | null,
  written: (status: JobStatus) => JobFacts,
): Outcome[] {
  switch (command.kind) {
    case 'WriteStatus':
      return [{ kind: 'WriteStatus', result: 'written', job: written(command.to), at }];
    case 'ReleasePods':
      return [{ kind: 'ReleasePods', pods: command.pods.map((pod) => ({ ...pod, result: 'done' })), at }];
    case 'EmitEvents':
      return [{ kind: 'EmitEvents', at }];
    case 'DeletePods':
      return [{ kind: 'DeletePods', untrack: command.untrack, pods: deletionsOf(command, record), at }];
    case 'CreatePods': {
      const names = new Set(command.pods.map(({ name }) => name));
      return recorded(command, record).flatMap((answer) =>
        answer.kind === 'CreatePods'
          ? [{ ...answer, pods: answer.pods.filter(({ name }) => names.has(name)) }]
          : [],
      );
    }
    case 'AdoptPods':
    case 'DisownPods':
    case 'LookUpJob':
    case 'LookUpPods':
    case 'LookUpOrphans':
    case 'SetSuspend':
    case 'RefuseRequest':
    case 'DeleteJob':
      return recorded(command, record);
  }
}

function recorded({ kind }: Command, record: Record | null): Outcome[] {
  const at = record?.decision.data.commands.findIndex((each) => each.kind === kind) ?? -1;
  return (record?.outcomes ?? []).filter(({ data }) => data.command === at).map(({ data }) => data.answer);
}

/** A pod that was deleted here alone is gone at once: nothing is known of how it would have stopped. */
function deletionsOf(command: DeletePods, record: Record | null): PodOutcome[] {
  const known = new Map(
    recorded(command, record).flatMap((answer) =>
      answer.kind === 'DeletePods' ? answer.pods.map((pod) => [pod.uid, pod] as const) : [],
    ),
  );
  return command.pods.map((pod) => known.get(pod.uid) ?? { ...pod, result: 'gone' });
}
