import type { Command } from '../../job/commands.ts';
import { toEndType } from '../../batch/conditions.ts';
import { endingAmong } from '../../job/definitions/ending-writes.ts';
import { isoTime } from '../../ledger/instants.ts';
import type { Condition } from '../../kubernetes/objects.ts';
import type { JobEnd } from './types.ts';

/** The pods that the commands of a decision create and delete, and whether the commands end the Job. */
export interface Effect {
  created: readonly string[];
  deleted: readonly string[];
  ending: Pick<Condition, 'type' | 'reason' | 'message'> | null;
}

/** The pods that commands create and delete, and the end of the Job that they announce. */
export function commandsEffect(commands: readonly Command[]): Effect {
  return {
    created: commands.flatMap((command) =>
      command.kind === 'CreatePods' ? command.pods.map(({ name }) => name) : [],
    ),
    deleted: commands.flatMap((command) =>
      command.kind === 'DeletePods' ? command.pods.map(({ uid }) => uid) : [],
    ),
    ending: findEnding(commands),
  };
}

/** True when two decisions create and delete the same pods and end the Job in the same way. */
export function isSameEffect(a: Effect, b: Effect): boolean {
  return (
    JSON.stringify([a.created, a.deleted, a.ending]) === JSON.stringify([b.created, b.deleted, b.ending])
  );
}

/** The end of the Job that commands announce; null when they do not end it. */
function findEnding(commands: readonly Command[]): Effect['ending'] {
  const ending = endingAmong(commands);
  if (ending === null) return null;
  const { type, reason = '', message = '' } = ending.condition;
  return { type, reason, message };
}

/** The end that this condition announces; `at` is the time of the decision, in milliseconds. */
export function toJobEnd(
  { type, reason = '', message = '' }: NonNullable<Effect['ending']>,
  at: number,
): JobEnd {
  return { type: toEndType(type) ?? 'Complete', reason, message, at: isoTime(at) };
}
