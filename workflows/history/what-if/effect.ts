import type { Command } from '../../job/commands.ts';
import { isoTime } from '../../job/definitions/instants.ts';
import type { Condition } from '../../kubernetes/objects.ts';
import type { End } from './types.ts';

/** What the commands of one decision do to pods, and whether they end the Job: all else follows from that. */
export interface Effect {
  created: readonly string[];
  deleted: readonly string[];
  ending: Pick<Condition, 'type' | 'reason' | 'message'> | null;
}

const ENDINGS = new Set(['FailureTarget', 'SuccessCriteriaMet', 'Failed', 'Complete']);

export function effectOf(commands: readonly Command[]): Effect {
  return {
    created: commands.flatMap((command) =>
      command.kind === 'CreatePods' ? command.pods.map(({ name }) => name) : [],
    ),
    deleted: commands.flatMap((command) =>
      command.kind === 'DeletePods' ? command.pods.map(({ uid }) => uid) : [],
    ),
    ending: commands.flatMap(endingBy)[0] ?? null,
  };
}

export function isSameEffect(a: Effect, b: Effect): boolean {
  return (
    JSON.stringify([a.created, a.deleted, a.ending]) === JSON.stringify([b.created, b.deleted, b.ending])
  );
}

/** The interim condition, or the terminal one, that a status has and the one before had not. */
function endingBy(command: Command): NonNullable<Effect['ending']>[] {
  if (command.kind !== 'WriteStatus') return [];
  const had = new Set(trueEndings(command.from.conditions).map(({ type }) => type));
  if (had.size > 0) return [];
  return trueEndings(command.to.conditions).map(({ type, reason = '', message = '' }) => ({
    type,
    reason,
    message,
  }));
}

function trueEndings(conditions: readonly Condition[] = []): Condition[] {
  return conditions.filter(({ type, status }) => ENDINGS.has(type) && status === 'True');
}

/** How the Job ends by this condition, and when that was decided, in milliseconds. */
export function endOf({ type, reason = '', message = '' }: NonNullable<Effect['ending']>, at: number): End {
  const isFailure = type === 'FailureTarget' || type === 'Failed';
  return { type: isFailure ? 'Failed' : 'Complete', reason, message, at: isoTime(at) };
}
