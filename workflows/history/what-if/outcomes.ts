import type { Outcome, PodOutcome } from '../../job/outcomes.ts';
import type { Command, DeletePods } from '../../job/commands.ts';
import type { OutcomeRecorded, JobDecided } from '../../job/events.ts';
import type { JobFacts } from '../../batch/facts.ts';
import type { JobStatus } from '../../kubernetes/objects.ts';

/** The recorded decision of the same time, and its outcomes. */
export interface RecordedDecision {
  decision: JobDecided;
  outcomes: readonly OutcomeRecorded[];
}

/** The Job of the counterfactual run, after the change that the run made. */
export interface JobAfter {
  written(status: JobStatus): JobFacts;
  resumed(): JobFacts;
}

/**
 * The outcomes of a command of the counterfactual run: the recorded outcomes if the recorded decision has a command
 * of the same kind, and success otherwise. The list is empty where only the cluster could have given the outcome.
 */
export function outcomesFor(
  command: Command,
  at: number,
  recorded: RecordedDecision | null,
  job: JobAfter,
): Outcome[] {
  switch (command.kind) {
    case 'WriteStatus':
      return [{ kind: 'WriteStatus', result: 'written', job: job.written(command.to), at }];
    case 'ReleasePods':
      return [{ kind: 'ReleasePods', pods: command.pods.map((pod) => ({ ...pod, result: 'done' })), at }];
    case 'EmitEvents':
      return [{ kind: 'EmitEvents', at }];
    case 'SetSuspend':
      if (command.request !== undefined) return recordedOutcomes(command, recorded);
      return [{ kind: 'SetSuspend', result: 'done', job: job.resumed(), at }];
    case 'DeletePods':
      return [
        { kind: 'DeletePods', untrack: command.untrack, pods: deletionOutcomes(command, recorded), at },
      ];
    case 'CreatePods': {
      const names = new Set(command.pods.map(({ name }) => name));
      return recordedOutcomes(command, recorded).flatMap((outcome) =>
        outcome.kind === 'CreatePods'
          ? [{ ...outcome, pods: outcome.pods.filter(({ name }) => names.has(name)) }]
          : [],
      );
    }
    case 'EnsureGang': {
      const known = recordedOutcomes(command, recorded);
      // A counterfactual run ignores the scheduling of pods, but needs an outcome to continue.
      const none: Outcome = { kind: 'EnsureGang', result: 'done', gang: { none: 'not recorded' }, at };
      return known.length > 0 ? known : [none];
    }
    case 'AdoptPods':
    case 'DisownPods':
    case 'LookUpJob':
    case 'LookUpPods':
    case 'LookUpOrphans':
    case 'RefuseRequest':
    case 'DeleteJob':
      return recordedOutcomes(command, recorded);
  }
}

/** The recorded outcomes of the command of this kind. */
function recordedOutcomes({ kind }: Command, recorded: RecordedDecision | null): Outcome[] {
  const at = recorded?.decision.data.commands.findIndex((each) => each.kind === kind) ?? -1;
  return (recorded?.outcomes ?? []).filter(({ data }) => data.command === at).map(({ data }) => data.outcome);
}

/**
 * The outcomes of a deletion. A pod that only the counterfactual run deletes is gone at once, because the record does
 * not show how it would have stopped.
 */
function deletionOutcomes(command: DeletePods, recorded: RecordedDecision | null): PodOutcome[] {
  const known = new Map(
    recordedOutcomes(command, recorded).flatMap((outcome) =>
      outcome.kind === 'DeletePods' ? outcome.pods.map((pod) => [pod.uid, pod] as const) : [],
    ),
  );
  return command.pods.map((pod) => known.get(pod.uid) ?? { ...pod, result: 'gone' });
}
