import type { LedgerEvent } from '../../ledger-event.ts';
import { isoTime } from '../../ledger/instants.ts';
import type { Decision } from '../../decision/stream.ts';
import type { TimelineLine } from './line.ts';

/** A line without its time, which is the time of the event. */
export type Line = Omit<TimelineLine, 'time'>;

/** Describes the decisions of a stream, and the outcomes of their commands. */
export interface DecisionLines<D extends Decision> {
  decision(event: D): Line;
  /** `message` is the outcome as text. */
  outcome(event: Extract<LedgerEvent, { type: 'outcome.recorded' }>, message: string): Line;
}

/**
 * Creates the description of the decisions of a stream and of their outcomes; `commandLine` describes a command of
 * this kind of stream and its reason, as text.
 */
export function createDecisionLines<D extends Decision>(
  superseded: ReadonlySet<string>,
  commandLine: (command: D['data']['commands'][number]) => string,
): DecisionLines<D> {
  const decisions = new Map<string, D>();
  return {
    decision(event) {
      const { number, predecessor, core, commands, waiting, nextDecisionAt } = event.data;
      decisions.set(event.id, event);
      const before = predecessor === null ? undefined : decisions.get(predecessor);
      const mark = [
        superseded.has(event.id) ? '(superseded: the step ran again) ' : '',
        before === undefined || before.data.core === core ? '' : `core ${core} decides from here on: `,
      ].join('');
      const again = nextDecisionAt === null ? '' : `, looks again at ${isoTime(nextDecisionAt)}`;
      const waits = waiting === null ? '' : `waits: ${waiting.message} [${waiting.rule}]${again}`;
      const rest =
        commands.length === 0 ? 'nothing to do' : `${commands.length} ${commandNoun(commands.length)}`;
      return {
        about: `decision ${number}`,
        message: mark + (waits === '' ? rest : commands.length === 0 ? waits : `${rest}, then ${waits}`),
        below: commands.map(commandLine),
      };
    },
    outcome({ data }, message) {
      const decision = decisions.get(data.decision);
      const kind = decision?.data.commands[data.command]?.kind ?? data.outcome.kind;
      const attempt = data.attempt > 1 ? ` (attempt ${data.attempt})` : '';
      return {
        about: `answer ${decision?.data.number ?? '?'}.${data.command + 1}`,
        message: `${kind}${attempt}: ${message}`,
      };
    },
  };
}

function commandNoun(count: number): string {
  return count === 1 ? 'command' : 'commands';
}
