import type { PlacementCommand } from '../../placement/commands.ts';
import type { PlacementOutcome } from '../../placement/outcomes.ts';
import { present } from './changes.ts';
import { few } from './few.ts';
import { statusWords } from './job-words.ts';
import { failureWords } from './outcome-words.ts';

/** A command about a placed Job and its reason, in words. */
export function placementCommandWords(command: PlacementCommand): string {
  return `→ ${command.kind}${contentWords(command)}: ${command.why.words} [${command.why.rule}]`;
}

function contentWords(command: PlacementCommand): string {
  switch (command.kind) {
    case 'CreateMember':
      return ` ${command.cluster}/${command.name}${command.continues === undefined ? '' : ', suspended, with the counters so far'}`;
    case 'ChangeMember':
      return ` ${command.cluster}/${command.name} (${Object.entries(command.spec)
        .map(([field, value]) => `${field}: ${String(value)}`)
        .join(', ')})`;
    case 'RenewGuard':
      return ` of ${command.cluster}/${command.name} for ${command.leaseSeconds} s`;
    case 'ReleaseGuard':
    case 'DeleteMember':
    case 'LookUpMember':
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

/** The outcome of a command about a placed Job, in words. */
export function placementOutcomeWords(answer: PlacementOutcome): string {
  if ('error' in answer) return failureWords(answer.error);
  if ('message' in answer) return `no answer: ${answer.message}`;
  switch (answer.kind) {
    case 'LookUpMember': {
      const { open } = answer.pods;
      const pods = open === 0 ? 'no pod is left that has not ended' : `${open} pods have not ended`;
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
