import type { Command } from '../../job/commands.ts';
import type { JobStatus } from '../../kubernetes/objects.ts';
import { fieldChange, presentTexts } from './changes.ts';
import { fewText } from './few.ts';

/** The line of a command with its reason and the code of its rule. */
export function commandLine(command: Command): string {
  return `→ ${commandText(command)} [${command.why.rule}]`;
}

/** A command and its reason as text, without the code of the rule. */
export function commandText(command: Command): string {
  const content = contentText(command);
  return `${command.kind}${content === '' ? '' : ` ${content}`}: ${command.why.message}`;
}

/** The content of a command as text, without its kind and reason. */
function contentText(command: Command): string {
  switch (command.kind) {
    case 'CreatePods':
    case 'DeletePods':
    case 'ReleasePods':
    case 'AdoptPods':
    case 'DisownPods':
    case 'LookUpPods':
      return fewText(command.pods.map(({ name }) => name));
    case 'WriteStatus':
      return statusText(command.from, command.to);
    case 'EmitEvents':
      return fewText(command.events.map(({ reason }) => reason));
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

/** The changes of a status write as text. */
function statusText(from: JobStatus, to: JobStatus): string {
  const conditions = (to.conditions ?? []).filter(
    (each) => !(from.conditions ?? []).some((old) => old.type === each.type && old.status === each.status),
  );
  const texts = presentTexts([
    fieldChange('active', from.active ?? 0, to.active ?? 0),
    fieldChange('ready', from.ready ?? 0, to.ready ?? 0),
    fieldChange('terminating', from.terminating ?? 0, to.terminating ?? 0),
    fieldChange('succeeded', from.succeeded ?? 0, to.succeeded ?? 0),
    fieldChange('failed', from.failed ?? 0, to.failed ?? 0),
    fieldChange('completedIndexes', from.completedIndexes, to.completedIndexes),
    fieldChange('startTime', from.startTime, to.startTime),
    fieldChange('completionTime', from.completionTime, to.completionTime),
    ...conditions.map(({ type, status }) => `${type}=${status}`),
  ]);
  return `(${texts.join(', ')})`;
}
