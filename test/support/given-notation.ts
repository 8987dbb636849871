import type { Command } from '../../workflows/job/commands.ts';

/** A command in the notation of J-13.1: `+n` creates, `-n` untracks and deletes, `×n` deletes, `~n` releases. */
export function commandNotation(command: Command): string {
  switch (command.kind) {
    case 'CreatePods':
      return `+${command.pods.length}`;
    case 'DeletePods':
      return `${command.untrack ? '-' : '×'}${command.pods.length}`;
    case 'ReleasePods':
      return `~${command.pods.length}`;
    case 'AdoptPods':
      return `adopt ${command.pods.length}`;
    case 'DisownPods':
      return `disown ${command.pods.length}`;
    case 'WriteStatus':
      return 'status';
    case 'EmitEvents':
      return `event ${command.events.map(({ reason }) => reason).join(', ')}`;
    case 'SetSuspend':
      return command.suspend ? 'suspend' : 'resume';
    case 'RefuseRequest':
      return 'refuse';
    case 'LookUpJob':
      return 'look up Job';
    case 'LookUpPods':
      return `look up ${command.pods.length}`;
    case 'DeleteJob':
      return 'delete Job';
    case 'LookUpOrphans':
      return 'look up orphans';
    case 'EnsureGang':
      return command.workload === undefined ? 'look up gang' : `gang of ${command.workload.minCount}`;
  }
}
