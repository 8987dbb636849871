import type { ApiFailure } from '../../../workflows/decision/api-failure.ts';
import { STALE } from '../../adapters/kubernetes/events-on-job.ts';
import type { EventKey } from './emit-events.ts';

/** An outcome before it gets the instant of its record. */
export type WithoutInstant<Outcome> = Outcome extends unknown ? Omit<Outcome, 'at'> : never;

/** The progress within one command, as plain JSON. */
export interface PartialProgress {
  /** The completed parts that are known from earlier attempts. */
  before: readonly unknown[];
  /** Keeps the completed parts for the next attempt. */
  keep(done: readonly unknown[]): void;
}

/** The part of a context that each command has of its own. */
export interface OfCommand {
  /** The key that determines the names of Events, so that a repeated attempt creates no new Events. */
  eventKey: EventKey;
  /** The progress of this command in earlier attempts and in this attempt. */
  parts: PartialProgress;
}

/** Sends a command. Declared as a method, so that the compiler accepts a function for the commands of one kind. */
export type Send<Context, Command, Outcome> = {
  send(context: Context & OfCommand, command: Command): Promise<WithoutInstant<Outcome>>;
}['send'];

/**
 * The commands about one kind of object: how each command is sent, and what its outcome means for the next ones.
 * `Context` is the context that the commands of one attempt share.
 */
export interface CommandTable<Context, Command extends { kind: string }, Outcome> {
  /**
   * The outcome of a command that does not apply any more, so that it is not sent; null when the command applies. The
   * function is absent when the functions in `send` compare the command with the live object themselves.
   */
  check?(context: Context & OfCommand, command: Command): Promise<WithoutInstant<Outcome> | null>;
  /**
   * Sends a command, and gives its outcome. @throws the error of an outage, which is not an outcome, so that the
   * attempt is repeated.
   */
  send: {
    readonly [Name in Command['kind']]: Send<Context, Extract<Command, { kind: Name }>, Outcome>;
  };
  /** The outcome of a command that follows a failed command. */
  skip(context: Context & OfCommand, command: Command): Promise<WithoutInstant<Outcome>>;
  /** True when later commands in the lane are skipped, because the decision assumed another outcome. */
  isLast(command: Command, outcome: Outcome): boolean;
  /**
   * The lane of a command; commands of different lanes do not wait for each other. The lane is null for a command of
   * all lanes, which follows all earlier commands and precedes all later commands. The function is absent when only one
   * lane exists.
   */
  commandLane?(command: Command): string | null;
  /** Reports the outcome of a command to users, in Events with the exact words of the server and in metrics. */
  report(context: Context & OfCommand, command: Command, outcome: Outcome): Promise<void>;
}

/** The failure of a part of a command that does not apply any more. */
export function staleFailure(message: string): ApiFailure {
  return { status: 409, reason: STALE, message };
}
