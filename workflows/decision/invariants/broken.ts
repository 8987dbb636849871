import type { Reason } from '../reason.ts';

/** The rules that no decision may break. The list has the invariants of every kind. */
export const INVARIANTS = [
  'index-in-two-grants',
  'creation-beyond-parallelism',
  'refused-after-an-unanswered-request',
  'ended-without-proof',
  'unrecorded-uid',
  'falling-counter',
  'start-twice',
  'start-beside-another',
  'start-after-an-unknown-one',
  'falling-time',
] as const;
export type Invariant = (typeof INVARIANTS)[number];

/** An invariant that a decision breaks; it is recorded with the decision. */
export interface BrokenInvariant {
  invariant: Invariant;
  message: string;
}

/** The reason to wait while the commands that make work run are withheld. */
export function withheldBecause(broken: readonly BrokenInvariant[]): Reason {
  return {
    rule: 'J-18.1',
    message: `nothing is created: ${brokenText(broken)}`,
  };
}

/** All broken invariants, as text. */
export function brokenText(broken: readonly BrokenInvariant[]): string {
  return broken.map(({ message }) => message).join('; ');
}

/** The invariants that a withheld decision breaks; empty for any other decision. */
export function withheldIn({
  waiting,
  broken = [],
}: {
  waiting: Reason | null;
  broken?: readonly BrokenInvariant[];
}): readonly BrokenInvariant[] {
  return waiting?.rule === 'J-18.1' ? broken : [];
}

/** The Kubernetes Event, a Warning, about a withheld decision. */
export function eventAbout({ message }: Reason): {
  type: 'Warning';
  reason: string;
  message: string;
} {
  return { type: 'Warning', reason: 'DecisionWithheld', message };
}

/**
 * The message about a command that names unrecorded objects. The message lists at most ten of these objects, because
 * an approval covers this message.
 */
export function unrecordedText(command: string, unknown: readonly { uid: string; name: string }[]): string[] {
  if (unknown.length === 0) return [];
  const named = unknown.slice(0, 10).map(({ uid, name }) => `${name} (${uid})`);
  const others = unknown.length - named.length;
  const all = others === 0 ? named : [...named, `and ${others} others`];
  return [`${command} ${all.join(', ')}, which is not recorded`];
}

/** The findings of a rule. */
export function toFindings(invariant: Invariant, messages: readonly string[]): BrokenInvariant[] {
  return messages.map((each) => ({ invariant, message: each }));
}
