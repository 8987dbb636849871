import { isDeepStrictEqual } from 'node:util';
import { isNodeSuitable } from './node-choice.ts';
import type { NodesOfRoom, SeenNode } from './room.ts';
import type { Kept } from './watch-collection.ts';
import { dropOldest } from '../../../adapters/drop-oldest.ts';

/** The nodes of a cluster, as its watch shows them. */
export type SeenNodes = Kept<SeenNode> & NodesOfRoom;

/** The most comparisons of a part of a choice with a node in one call, without the comparisons of the first choice. */
const MOST_COMPARISONS = 400_000;

/** The most choices that are remembered, because tenants may write any number of choices. */
const MOST_CHOICES = 200;

export function createSeenNodes(): SeenNodes {
  const nodes = new Map<string, SeenNode>();
  const found = new Map<string, boolean[]>();
  let all: SeenNode[] | null = null;
  const forgetResults = (): void => {
    found.clear();
    all = null;
  };
  const listNodes = (): SeenNode[] => (all ??= [...nodes.values()]);
  return {
    set(uid, node) {
      // Most updates of a node report only its health.
      if (isDeepStrictEqual(nodes.get(uid), node)) return;
      nodes.set(uid, node);
      forgetResults();
    },
    delete(uid) {
      const had = nodes.delete(uid);
      if (had) forgetResults();
      return had;
    },
    clear() {
      nodes.clear();
      forgetResults();
    },
    all: listNodes,
    suiting(choices) {
      let comparisons = 0;
      return choices.map((choice, at) => {
        const known = found.get(choice.text);
        if (known !== undefined) return known;
        if (at > 0) comparisons += choice.parts * listNodes().length;
        if (comparisons > MOST_COMPARISONS) return null;
        const suiting = listNodes().map((node) => isNodeSuitable(node, choice));
        found.set(choice.text, suiting);
        dropOldest(found, MOST_CHOICES);
        return suiting;
      });
    },
  };
}
