import type { Answer } from '../../../workflows/job/answers.ts';
import type { Command } from '../../../workflows/job/commands.ts';

type WithoutInstant<A> = A extends Answer ? Omit<A, 'at'> : never;

/** The answer to any command, before the instant is added. */
export type AnyAnswer = WithoutInstant<Answer>;

/** What carrying out a command of a kind returns; the instant is added where the outcome is recorded. */
export type AnswerTo<K extends Command['kind']> = WithoutInstant<Extract<Answer, { kind: K }>>;
