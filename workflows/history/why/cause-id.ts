/** The id of a command of a decision, counted from 0. */
export function commandCauseId(decision: string, command: number): string {
  return `${decision}#${command}`;
}

/** The id of the reason to wait of a decision. */
export function waitingCauseId(decision: string): string {
  return `${decision}#waiting`;
}

/** The target of a cause id: an event, a command of a decision, or the reason to wait of a decision. */
export type CauseRef =
  | { kind: 'event'; event: string }
  | { kind: 'command'; event: string; command: number }
  | { kind: 'waiting'; event: string };

/** Parses the id of a cause. */
export function parseCauseId(id: string): CauseRef {
  const [, decision = id, part] = /^(.*)#(\d+|waiting)$/s.exec(id) ?? [];
  if (part === undefined) return { kind: 'event', event: id };
  return part === 'waiting'
    ? { kind: 'waiting', event: decision }
    : { kind: 'command', event: decision, command: Number(part) };
}
