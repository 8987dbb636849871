import type { AnyCore } from '../../workflows/kind.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';

type Settings = Parameters<AnyCore['decide']>[2];

/** How long after an event a decision is tried, in milliseconds: at once, after the usual delays, and long after. */
const LATER = [0, 15_000, 10 * 86_400_000];

/** The most events of a stream after which two cores are compared. */
const MOST_COMPARED = 60;

interface Difference {
  event: string;
  of: string;
  texts: [string, string];
}

/**
 * Where two cores differ first in a stream, null when they never do. After each event, of a long stream after each few, the
 * states must have the same text, and the decisions that they lead to, now and later, under each of the settings. Texts
 * show the order of keys too.
 */
export function firstDifference(
  stream: readonly LedgerEvent[],
  settings: readonly Settings[],
  cores: readonly [AnyCore, AnyCore],
): Difference | null {
  const few = Math.ceil(stream.length / MOST_COMPARED);
  const states = cores.map((core) => core.INITIAL_STATE);
  for (let at = 0; at < stream.length; at += few) {
    const events = stream.slice(at, at + few);
    const { id: event = '', time = '' } = events.at(-1) ?? {};
    const differing = (of: string, by: (core: AnyCore, which: number) => unknown): Difference | null => {
      const [one = '', other = ''] = cores.map((core, which) => JSON.stringify(by(core, which)));
      return one === other ? null : { event, of, texts: [one, other] };
    };
    const folded = differing('state', (core, which) => {
      const facts = events.flatMap((each) => core.compact(each) ?? []);
      return (states[which] = core.fold(states[which] ?? core.INITIAL_STATE, facts));
    });
    if (folded !== null) return folded;
    for (const each of settings)
      for (const later of LATER) {
        const now = Date.parse(time) + later;
        const decided = differing(`decision after ${later} ms`, (core, which) =>
          core.decide(states[which] ?? core.INITIAL_STATE, now, each),
        );
        if (decided !== null) return decided;
      }
  }
  return null;
}
