/** The parts of a decision that the law reads. */
interface Decided {
  id: string;
  data: {
    now: number;
    commands: readonly { kind: string; why: unknown }[];
    waiting: { message: string } | null;
    broken?: unknown;
  };
}

/** More decisions than these at one instant are a loop, whatever they say. */
const MOST_AT_ONE_INSTANT = 20;

/**
 * The law that nothing is decided twice in a row without a delay. Call it with each decision, and with `news` when a fact from outside has arrived
 * since the one before: the same commands may be right again then. The function throws when the law is broken, and when the decision breaks an
 * invariant.
 */
export function repeatLaw(): (decided: Decided, hasNews: boolean) => void {
  let before = '';
  let instant = Number.NaN;
  let count = 0;
  return ({ data: { now, commands, waiting, broken } }, hasNews) => {
    if (broken !== undefined) throw new Error(`breaks an invariant: ${JSON.stringify(broken)}`);
    count = now === instant ? count + 1 : 1;
    const message = commands.map(({ why: _why, ...command }) => JSON.stringify(command)).join(' ');
    const isRepeat = now === instant && !hasNews && message !== '' && message === before;
    instant = now;
    before = message;
    if (isRepeat) throw new Error(`decided twice in a row without a delay: ${message.slice(0, 300)}`);
    if (count > MOST_AT_ONE_INSTANT)
      throw new Error(
        `${count} decisions at one instant, the last: ${message.slice(0, 300)} ${waiting?.message ?? ''}`,
      );
  };
}

/**
 * The law that a step without a decision names a later instant: the workflow would otherwise step again and again without a pause, and no count of
 * decisions would show it. @throws when the law is broken.
 */
export function requireLaterStep(
  { nextDecisionAt, decision }: { nextDecisionAt: number | null; decision: unknown },
  now: number,
): void {
  if (decision === null && nextDecisionAt !== null && nextDecisionAt <= now)
    throw new Error(`no decision at ${now}, and the next step is not later: ${nextDecisionAt}`);
}
