import { isoTime } from '../../ledger/instants.ts';
import type { PlacementDecided, PlacementEvent } from '../../placement/events.ts';
import type { TimelineLine } from '../timeline/line.ts';
import { createNarrator } from '../timeline/narrator.ts';
import { placementCommandText } from '../timeline/placement-command-text.ts';
import { parseCauseId } from '../why/cause-id.ts';
import type { Cause } from '../why/types.ts';

/** Finds the causes in the stream of a placed Job. */
export interface HomeCauses {
  /** The value is null when the stream does not contain the cause. */
  get: (id: string) => Cause | null;
  /** All causes that the given causes lead to, each cause once. */
  from: (roots: readonly string[]) => Cause[];
}

/** The ids of the causes of a command or an event, by its id. */
interface Causes {
  get(id: string): readonly string[] | undefined;
}

/** Creates the look-up of the causes in the stream of a placed Job. */
export function createHomeCauses(
  home: readonly PlacementEvent[],
  effective: ReadonlyMap<string, PlacementDecided>,
  { causes }: { causes: Causes },
): HomeCauses {
  const lines = linesById(home, effective);
  /** The cause with this id; null when the stream does not contain it. */
  const get = (id: string): Cause | null => {
    const because = [...(causes.get(id) ?? [])];
    const ref = parseCauseId(id);
    if (ref.kind === 'event') {
      const line = lines.get(id);
      return line === undefined
        ? null
        : { id, at: line.time, about: line.about, message: line.message, rule: null, because };
    }
    const data = effective.get(ref.event)?.data;
    if (data === undefined) return null;
    const cause = { id, at: isoTime(data.now), about: `decision ${data.number}` };
    if (ref.kind === 'waiting')
      return data.waiting === null
        ? null
        : { ...cause, message: `waits: ${data.waiting.message}`, rule: data.waiting.rule, because };
    const command = data.commands[ref.command];
    return command === undefined
      ? null
      : { ...cause, message: placementCommandText(command), rule: command.why.rule, because };
  };
  return {
    get,
    from(roots) {
      const found = new Map<string, Cause>();
      const open = [...roots];
      for (let id = open.pop(); id !== undefined; id = open.pop()) {
        const cause = found.has(id) ? null : get(id);
        if (cause === null) continue;
        found.set(id, cause);
        open.push(...cause.because);
      }
      return [...found.values()];
    },
  };
}

/** The changes of an event as text, by the id of the event. */
function linesById(
  home: readonly PlacementEvent[],
  effective: ReadonlyMap<string, PlacementDecided>,
): ReadonlyMap<string, TimelineLine> {
  const superseded = home.filter(({ type, id }) => type === 'placement.decided' && !effective.has(id));
  const narrate = createNarrator(new Set(superseded.map(({ id }) => id)));
  return new Map(home.flatMap((event) => narrate(event).map((line) => [event.id, line] as const)));
}
