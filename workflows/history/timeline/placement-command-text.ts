import type { PlacementCommand, PlacementCommandOf } from '../../placement/commands.ts';
import type { PlacementOutcome } from '../../placement/outcomes.ts';
import { presentTexts } from './changes.ts';
import { fewText } from './few.ts';
import { statusText } from './job-text.ts';
import { failureText } from './outcome-text.ts';

/** The line of a command with its reason and the code of its rule. */
export function placementCommandLine(command: PlacementCommand): string {
  return `→ ${placementCommandText(command)} [${command.why.rule}]`;
}

/** A command about a placed Job as text, without the code of the rule. */
export function placementCommandText(command: PlacementCommand): string {
  return `${command.kind}${contentText(command)}: ${command.why.message}`;
}

/** The content of a command about a placed Job as text, without its reason. */
function contentText(command: PlacementCommand): string {
  switch (command.kind) {
    case 'CreateMember':
      return ` ${command.cluster}/${command.name}${withIndexes(command.indexes)}${command.continues === undefined ? '' : ', suspended, with the counters so far'}`;
    case 'ChangeMember':
      return ` ${command.cluster}/${command.name}${changeText(command)}`;
    case 'RenewGuard':
      return ` of ${command.cluster}/${command.name} for ${command.leaseSeconds} s${withIndexes(command.part?.indexes)}`;
    case 'LookUpMember':
      return ` ${command.cluster}/${command.name}${command.givenUp === undefined ? '' : `, its pods of ${indexText(command.givenUp)}`}`;
    case 'ReleaseGuard':
    case 'DeleteMember':
      return ` ${command.cluster}/${command.name}`;
    case 'EndGrant':
      return ` of ${command.cluster} (${command.reason})`;
    case 'ShareOut':
      return ` ${fewText(Object.entries(command.shares).map(([cluster, pods]) => `${cluster} ${pods}`))}`;
    case 'WriteStatus':
      return ` (${presentTexts(statusText(command.from, command.to)).join(', ')})`;
    case 'EmitEvents':
      return ` ${fewText(command.events.map(({ reason }) => reason))}`;
    case 'SetSuspend':
      return ` ${String(command.suspend)}`;
    case 'AddFinalizer':
    case 'RemoveFinalizer':
    case 'DeleteJob':
      return '';
  }
}

/** The changes of a member as text. */
function changeText({ spec, annotations, indexes }: PlacementCommandOf<'ChangeMember'>): string {
  const changes = Object.entries({ ...spec, ...annotations }).map(
    ([field, value]) => `${field}: ${value ?? 'removed'}`,
  );
  if (indexes !== undefined)
    changes.push(indexes.end === undefined ? indexText(indexes.indexes) : `ends: ${indexes.end}`);
  return changes.length === 0 ? '' : ` (${changes.join(', ')})`;
}

/** The indexes of a command as the end of its text; empty when the command names no indexes. */
function withIndexes(indexes: string | undefined): string {
  return indexes === undefined ? '' : ` with ${indexText(indexes)}`;
}

/** Indexes of a spread Job as text. */
export function indexText(indexes: string): string {
  if (indexes === '') return 'no index';
  return /^\d+$/.test(indexes) ? `index ${indexes}` : `indexes ${indexes}`;
}

/** The outcome of a command about a placed Job, as text. */
export function placementOutcomeText(outcome: PlacementOutcome): string {
  if ('error' in outcome) return failureText(outcome.error);
  if ('message' in outcome) return `no answer: ${outcome.message}`;
  switch (outcome.kind) {
    case 'LookUpMember': {
      const { open } = outcome.pods;
      const of =
        'givenUp' in outcome && outcome.givenUp !== undefined ? ` of ${indexText(outcome.givenUp)}` : '';
      const pods = open === 0 ? `no pod${of} is left that has not ended` : `${open} pods${of} have not ended`;
      return `${outcome.member === null ? 'it does not exist' : 'it exists'}, ${pods}`;
    }
    case 'CreateMember':
      if (outcome.result === 'taken') return 'another Job has the name';
      if (outcome.result === 'stale') return 'not sent: the Job has changed; decided again';
      return outcome.existing === true
        ? `${outcome.member.name} existed already`
        : `created: ${outcome.member.name}`;
    case 'RenewGuard':
      if (outcome.result !== 'done') return outcome.result;
      return outcome.isStarted ? 'renewed' : 'it exists, and has not started yet';
    case 'EndGrant':
    case 'ShareOut':
    case 'EmitEvents':
      return 'done';
    case 'skipped':
      return 'not sent, because an earlier command failed';
    case 'AddFinalizer':
    case 'RemoveFinalizer':
    case 'ReleaseGuard':
    case 'ChangeMember':
    case 'DeleteMember':
    case 'WriteStatus':
    case 'SetSuspend':
    case 'DeleteJob':
      return outcome.result;
  }
}
