import type { ApiFailure } from '../../../workflows/decision/api-failure.ts';
import { STALE } from '../../adapters/kubernetes/events-on-job.ts';
import type { EventKey } from './emit-events.ts';

/** An outcome before it gets the instant of its record. */
export type WithoutInstant<Outcome> = Outcome extends unknown ? Omit<Outcome, 'at'> : never;

/** The completed parts of one command, such as the outcomes of single pods, as plain JSON of the function that sends the command. */
export interface PartialProgress {
  /** The parts that earlier attempts of the command completed. */
  before: readonly unknown[];
  /** Replaces the kept parts: `done` has all parts that are completed so far, those of `before` included. */
  keep(done: readonly unknown[]): void;
}

/** The fields that a context has for each command separately. */
export interface PerCommandContext {
  /** The key that determines the names of Events, so that a repeated attempt of the command creates no new Events. */
  eventKey: EventKey;
  /** The progress of this command in its earlier attempts and in this attempt. */
  parts: PartialProgress;
}

/**
 * Sends a command. Declared as a method, whose parameters the compiler compares in both directions, so that a caller may use
 * the function for one kind of command as a function for every kind.
 */
export type Send<Context, Command, Outcome> = {
  send(context: Context & PerCommandContext, command: Command): Promise<WithoutInstant<Outcome>>;
}['send'];

/**
 * The commands about one kind of object: how each command is sent, and what its outcome means for the next ones.
 * `Context` is the context that the commands of one attempt of an activity share. A lane is a sequence of commands that wait
 * for each other; the commands of different lanes do not.
 */
export interface CommandTable<Context, Command extends { kind: string }, Outcome> {
  /**
   * Compares a command with the live object before it is sent: null when the command applies, otherwise its outcome. The
   * function is absent when the functions in `send` compare the command with the live object themselves.
   */
  check?(context: Context & PerCommandContext, command: Command): Promise<WithoutInstant<Outcome> | null>;
  /**
   * Sends a command, and gives its outcome. @throws the error of an outage, which is not an outcome, so that the
   * activity is repeated.
   */
  send: {
    readonly [Name in Command['kind']]: Send<Context, Extract<Command, { kind: Name }>, Outcome>;
  };
  /** The outcome of a command that is not sent, because an earlier command of its lane ended the lane (`endsLane`). */
  skip(context: Context & PerCommandContext, command: Command): Promise<WithoutInstant<Outcome>>;
  /** True when the later commands of the lane are skipped, because the decision assumed another outcome. */
  endsLane(command: Command, outcome: Outcome): boolean;
  /**
   * The name of the lane of a command. The name is null for a command of
   * all lanes, which follows all earlier commands and precedes all later commands. The function is absent when only one
   * lane exists.
   */
  commandLane?(command: Command): string | null;
  /** Reports the outcome of a command to users, in Events with the exact words of the server and in metrics. */
  report(context: Context & PerCommandContext, command: Command, outcome: Outcome): Promise<void>;
}

/** The failure of one pod or Job of a command to which the command does not apply any more; the server is not asked. */
export function staleFailure(message: string): ApiFailure {
  return { status: 409, reason: STALE, message };
}
