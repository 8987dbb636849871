import type { PlacementCommand, PlacementCommandOf } from '../../placement/commands.ts';
import type { PlacementOutcome } from '../../placement/outcomes.ts';
import { present } from './changes.ts';
import { few } from './few.ts';
import { statusWords } from './job-words.ts';
import { failureWords } from './outcome-words.ts';

/** A command about a placed Job and its reason, in words. */
export function placementCommandWords(command: PlacementCommand): string {
  return `→ ${placementCommandText(command)} [${command.why.rule}]`;
}

/** The same without the rule's code. */
export function placementCommandText(command: PlacementCommand): string {
  return `${command.kind}${contentWords(command)}: ${command.why.words}`;
}

function contentWords(command: PlacementCommand): string {
  switch (command.kind) {
    case 'CreateMember':
      return ` ${command.cluster}/${command.name}${withIndexes(command.indexes)}${command.continues === undefined ? '' : ', suspended, with the counters so far'}`;
    case 'ChangeMember':
      return ` ${command.cluster}/${command.name}${changeWords(command)}`;
    case 'RenewGuard':
      return ` of ${command.cluster}/${command.name} for ${command.leaseSeconds} s${withIndexes(command.part?.indexes)}`;
    case 'LookUpMember':
      return ` ${command.cluster}/${command.name}${command.of === undefined ? '' : `, its pods of ${indexWords(command.of)}`}`;
    case 'ReleaseGuard':
    case 'DeleteMember':
      return ` ${command.cluster}/${command.name}`;
    case 'EndGrant':
      return ` of ${command.cluster} (${command.basis})`;
    case 'ShareOut':
      return ` ${few(Object.entries(command.shares).map(([cluster, pods]) => `${cluster} ${pods}`))}`;
    case 'WriteStatus':
      return ` (${present(statusWords(command.from, command.to)).join(', ')})`;
    case 'EmitEvents':
      return ` ${few(command.events.map(({ reason }) => reason))}`;
    case 'SetSuspend':
      return ` ${String(command.suspend)}`;
    case 'HoldJob':
    case 'ReleaseJob':
    case 'DeleteJob':
      return '';
  }
}

function changeWords({ spec, annotations, indexes }: PlacementCommandOf<'ChangeMember'>): string {
  const changes = Object.entries({ ...spec, ...annotations }).map(
    ([field, value]) => `${field}: ${value ?? 'removed'}`,
  );
  if (indexes !== undefined)
    changes.push(indexes.end === undefined ? indexWords(indexes.indexes) : `ends: ${indexes.end}`);
  return changes.length === 0 ? '' : ` (${changes.join(', ')})`;
}

function withIndexes(indexes: string | undefined): string {
  return indexes === undefined ? '' : ` with ${indexWords(indexes)}`;
}

/** Indexes of a spread Job in words. */
export function indexWords(indexes: string): string {
  if (indexes === '') return 'no index';
  return /^\d+$/.test(indexes) ? `index ${indexes}` : `indexes ${indexes}`;
}

/** The outcome of a command about a placed Job, in words. */
export function placementOutcomeWords(answer: PlacementOutcome): string {
  if ('error' in answer) return failureWords(answer.error);
  if ('message' in answer) return `no answer: ${answer.message}`;
  switch (answer.kind) {
    case 'LookUpMember': {
      const { open } = answer.pods;
      const of = 'of' in answer && answer.of !== undefined ? ` of ${indexWords(answer.of)}` : '';
      const pods = open === 0 ? `no pod${of} is left that has not ended` : `${open} pods${of} have not ended`;
      return `${answer.member === null ? 'it does not exist' : 'it exists'}, ${pods}`;
    }
    case 'CreateMember':
      if (answer.result === 'taken') return 'another Job has the name';
      if (answer.result === 'stale') return 'not sent: the Job has changed; decided again';
      return answer.existing === true
        ? `${answer.member.name} existed already`
        : `created: ${answer.member.name}`;
    case 'RenewGuard':
      if (answer.result !== 'done') return answer.result;
      return answer.isStarted ? 'renewed' : 'it exists, and has not started yet';
    case 'EndGrant':
    case 'ShareOut':
    case 'EmitEvents':
      return 'done';
    case 'skipped':
      return 'not sent, because an earlier command failed';
    case 'HoldJob':
    case 'ReleaseJob':
    case 'ReleaseGuard':
    case 'ChangeMember':
    case 'DeleteMember':
    case 'WriteStatus':
    case 'SetSuspend':
    case 'DeleteJob':
      return answer.result;
  }
}
