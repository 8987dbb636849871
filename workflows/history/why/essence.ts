import type { Command } from '../../job/commands.ts';
import { canonicalJson } from '../../ledger/digest.ts';
import type { Condition, JobStatus } from '../../kubernetes/objects.ts';

/** A text that is equal for two commands with the same effect; versions and reasons are ignored. */
export function commandEssence(command: Command): string {
  return canonicalJson([command.kind, commandContent(command)]);
}

/** The parts of a command that determine its effect. */
function commandContent(command: Command): unknown {
  switch (command.kind) {
    case 'CreatePods':
      return command.pods.map(({ name }) => name);
    case 'DeletePods':
    case 'ReleasePods':
    case 'AdoptPods':
    case 'DisownPods':
    case 'LookUpPods':
      return command.pods.map(({ uid }) => uid);
    case 'WriteStatus':
      return statusChange(command.from, command.to);
    case 'EmitEvents':
      return command.events.map(({ reason }) => reason);
    case 'SetSuspend':
      return command.request ?? null;
    case 'RefuseRequest':
      return command.request;
    case 'LookUpJob':
    case 'DeleteJob':
    case 'LookUpOrphans':
      return null;
    case 'EnsureGang':
      return command.group === undefined
        ? null
        : { size: command.group.minCount, create: command.group.create };
  }
}

/** The added conditions of a write, if there are any; otherwise the counters. Times are ignored. */
function statusChange(from: JobStatus, to: JobStatus): unknown {
  const before = (from.conditions ?? []).map(briefCondition);
  const added = (to.conditions ?? []).map(briefCondition).filter((condition) => !before.includes(condition));
  if (added.length > 0) return added;
  const { active, ready, terminating, succeeded, failed, completedIndexes, failedIndexes } = to;
  return { active, ready, terminating, succeeded, failed, completedIndexes, failedIndexes };
}

/** A condition as text, without its times and message. */
function briefCondition({ type, status, reason }: Condition): string {
  return `${type}=${status} ${reason ?? ''}`;
}
