import type { Condition } from '../../kubernetes/objects.ts';
import type { Command, WriteStatus } from '../commands.ts';
import { endingCondition, terminalCondition } from '../../batch/conditions.ts';

type StatusChange = Pick<WriteStatus, 'from' | 'to'>;

/** The condition with which a status write first shows that the Job ends; undefined for any other write. */
export function endingBegunBy({ from, to }: StatusChange): Condition | undefined {
  return endingCondition(from) === undefined ? endingCondition(to) : undefined;
}

/** The condition with which a status write finishes the Job; undefined for any other write. */
export function endBy({ from, to }: StatusChange): Condition | undefined {
  return terminalCondition(from) === undefined ? terminalCondition(to) : undefined;
}

/** The first status write among the commands that shows the end of the Job, with its position and the condition. */
export function endingAmong(commands: readonly Command[]): { at: number; condition: Condition } | null {
  return firstWrite(commands, endingBegunBy);
}

/** The first status write among the commands that finishes the Job, with its position and the condition. */
export function endAmong(commands: readonly Command[]): { at: number; condition: Condition } | null {
  return firstWrite(commands, endBy);
}

/** The first status write among the commands for which a condition is found, with its position and the condition. */
function firstWrite(
  commands: readonly Command[],
  findCondition: (write: StatusChange) => Condition | undefined,
): { at: number; condition: Condition } | null {
  for (const [at, command] of commands.entries()) {
    const condition = command.kind === 'WriteStatus' ? findCondition(command) : undefined;
    if (condition !== undefined) return { at, condition };
  }
  return null;
}
