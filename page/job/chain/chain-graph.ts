import type { JobChain } from '../../api/rows.ts';
import { shortInstant } from '../../components/instants.ts';
import { waitPhrase } from '../../components/wait-text.ts';
import { statusTone } from '../../components/tone.ts';
import { assignColumns, placeNodes, type LayeredNode } from '../../components/layers.ts';

/** The Jobs of a chain as layers, each to the right of its predecessors. */
export interface ChainGraph {
  nodes: LayeredNode[];
  /** An edge from the awaited Job to the waiting Job. */
  edges: [from: string, to: string][];
}

/** Places the Jobs of a chain in layers. `uid` is the Job whose page shows the chain. The id of a Job that was not seen yet contains its name. */
export function chainGraph({ jobs, links }: JobChain, uid: string, now: number): ChainGraph {
  const edges = links.map((link): [string, string] => [idOfAwaited(link), link.waiting_uid]);
  const seen = jobs.map(
    ({ uid: id, name, status: state, reason, waiting_for: wait, started_at, finished_at }) => {
      const at = finished_at ?? started_at;
      return {
        id,
        title: name,
        more: [state, reason ?? (wait === null ? null : waitPhrase(wait))].filter(Boolean).join(': '),
        when: at === null ? '' : shortInstant(Date.parse(at), now),
        tone: statusTone(state),
        isMain: id === uid,
      };
    },
  );
  const known = new Set(seen.map(({ id }) => id));
  const missing = links.filter((link) => !known.has(idOfAwaited(link)));
  const unseen = [...new Map(missing.map((link) => [idOfAwaited(link), link])).values()].map((link) => ({
    id: idOfAwaited(link),
    title: link.awaited,
    more: 'not seen yet',
    when: '',
    tone: 'off' as const,
    isMain: false,
  }));
  const nodes = [...seen, ...unseen];
  const columns = assignColumns(
    nodes.map(({ id }) => id),
    edges,
  );
  return { nodes: placeNodes(nodes, columns), edges };
}

/** The id of an awaited Job: its uid, or a text with its name as long as no Job of this name was seen. */
function idOfAwaited({ awaited, awaited_uid: uid }: JobChain['links'][number]): string {
  return uid ?? `name ${awaited}`;
}

const CONDITIONS: Readonly<Record<string, string>> = {
  Succeeded: 'has succeeded',
  Failed: 'has failed',
  Finished: 'has ended',
};

/** A link as text, such as `after extract has succeeded: done`. */
export function linkText({
  awaited,
  condition,
  condition_status: standing,
  status: state,
}: JobChain['links'][number]): string {
  const wanted = `after ${awaited} ${CONDITIONS[condition] ?? condition}`;
  return `${wanted}: ${standingText(standing)}${state === 'deleted' ? '; the waiting Job was deleted' : ''}`;
}

const STANDINGS: Readonly<Record<string, string>> = {
  met: 'done',
  waiting: 'not yet',
  unmeetable: 'the Job ended otherwise',
  missing: 'no such Job was seen yet',
  deleted: 'that Job was deleted before its end',
  unknown: 'not known yet',
};

/** The state of an awaited Job's condition, as text. */
export function standingText(standing: string): string {
  return STANDINGS[standing] ?? standing;
}
