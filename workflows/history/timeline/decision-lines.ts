import type { LedgerEvent } from '../../ledger-event.ts';
import { isoTime } from '../../job/definitions/instants.ts';
import type { Decision } from '../../job/record/stream.ts';
import type { TimelineLine } from './line.ts';

/** A line without its time, which is the event's. */
export type Line = Omit<TimelineLine, 'time'>;

/** Describes the decisions of a stream, and the outcomes of their commands. */
export interface DecisionLines<D extends Decision> {
  decision(event: D): Line;
  /** `words`: the outcome in words. */
  outcome(event: Extract<LedgerEvent, { type: 'command.answered' }>, words: string): Line;
}

/** `commandWords`: a command of this kind of stream and its reason, in words. */
export function createDecisionLines<D extends Decision>(
  superseded: ReadonlySet<string>,
  commandWords: (command: D['data']['commands'][number]) => string,
): DecisionLines<D> {
  const decisions = new Map<string, D>();
  return {
    decision(event) {
      const { number, predecessor, core, commands, waiting, lookAgainAt } = event.data;
      decisions.set(event.id, event);
      const before = predecessor === null ? undefined : decisions.get(predecessor);
      const mark = [
        superseded.has(event.id) ? '(superseded: the step ran again) ' : '',
        before === undefined || before.data.core === core ? '' : `core ${core} decides from here on: `,
      ].join('');
      const again = lookAgainAt === null ? '' : `, looks again at ${isoTime(lookAgainAt)}`;
      const waits = waiting === null ? '' : `waits: ${waiting.words} [${waiting.rule}]${again}`;
      const rest = commands.length === 0 ? 'nothing to do' : `${commands.length} ${plural(commands.length)}`;
      return {
        about: `decision ${number}`,
        words: mark + (waits === '' ? rest : commands.length === 0 ? waits : `${rest}, then ${waits}`),
        below: commands.map(commandWords),
      };
    },
    outcome({ data }, words) {
      const decision = decisions.get(data.decision);
      const kind = decision?.data.commands[data.command]?.kind ?? data.answer.kind;
      const attempt = data.attempt > 1 ? ` (attempt ${data.attempt})` : '';
      return {
        about: `answer ${decision?.data.number ?? '?'}.${data.command + 1}`,
        words: `${kind}${attempt}: ${words}`,
      };
    },
  };
}

function plural(count: number): string {
  return count === 1 ? 'command' : 'commands';
}
