import type { Command } from '../../job/commands.ts';
import type { JobStatus } from '../../kubernetes/objects.ts';
import { change, present } from './changes.ts';
import { few } from './few.ts';

/** The line of a command with its reason and the code of its rule. */
export function commandLine(command: Command): string {
  return `→ ${commandText(command)} [${command.why.rule}]`;
}

/** A command and its reason, without the rule's code. */
export function commandText(command: Command): string {
  const content = contentText(command);
  return `${command.kind}${content === '' ? '' : ` ${content}`}: ${command.why.message}`;
}

function contentText(command: Command): string {
  switch (command.kind) {
    case 'CreatePods':
    case 'DeletePods':
    case 'ReleasePods':
    case 'AdoptPods':
    case 'DisownPods':
    case 'LookUpPods':
      return few(command.pods.map(({ name }) => name));
    case 'WriteStatus':
      return statusText(command.from, command.to);
    case 'EmitEvents':
      return few(command.events.map(({ reason }) => reason));
    case 'SetSuspend':
      return `suspend=${command.suspend}`;
    case 'EnsureGang':
      return command.group?.own?.workload ?? command.workload?.name ?? '';
    case 'RefuseRequest':
    case 'LookUpJob':
    case 'DeleteJob':
    case 'LookUpOrphans':
      return '';
  }
}

function statusText(from: JobStatus, to: JobStatus): string {
  const conditions = (to.conditions ?? []).filter(
    (each) => !(from.conditions ?? []).some((old) => old.type === each.type && old.status === each.status),
  );
  const texts = present([
    change('active', from.active ?? 0, to.active ?? 0),
    change('ready', from.ready ?? 0, to.ready ?? 0),
    change('terminating', from.terminating ?? 0, to.terminating ?? 0),
    change('succeeded', from.succeeded ?? 0, to.succeeded ?? 0),
    change('failed', from.failed ?? 0, to.failed ?? 0),
    change('completedIndexes', from.completedIndexes, to.completedIndexes),
    change('startTime', from.startTime, to.startTime),
    change('completionTime', from.completionTime, to.completionTime),
    ...conditions.map(({ type, status }) => `${type}=${status}`),
  ]);
  return `(${texts.join(', ')})`;
}
