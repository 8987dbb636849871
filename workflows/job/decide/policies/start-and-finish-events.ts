import type { Command, EmitEvents } from '../../commands.ts';
import { endBy } from '../../definitions/ending-writes.ts';
import type { JobFacts } from '../../../batch/facts.ts';

/**
 * The Events JobStart and JobFinish, if `jobledger.dev/start-and-finish-events` asks for them (J-12.6). The Events
 * belong to the status writes that set `startTime`, so they also follow each resume, and to the write of the terminal
 * condition.
 */
export function startAndFinishEvents({ annotations }: JobFacts, commands: readonly Command[]): Command[] {
  if (annotations?.startAndFinishEvents !== true) return [];
  const events = commands.flatMap(commandEvents);
  if (events.length === 0) return [];
  return [{ kind: 'EmitEvents', events, why: { rule: 'J-12.6', message: 'an annotation asks for it' } }];
}

/** The Events about the start and the end of the Job that a command writes. */
function commandEvents(command: Command): EmitEvents['events'] {
  if (command.kind !== 'WriteStatus') return [];
  const isStart = command.from.startTime === undefined && command.to.startTime !== undefined;
  const end = endBy(command);
  return [
    ...(isStart ? [{ type: 'Normal' as const, reason: 'JobStart', message: 'Job started' }] : []),
    ...(end === undefined
      ? []
      : [{ type: 'Normal' as const, reason: 'JobFinish', message: `Job finished: ${end.type}` }]),
  ];
}
