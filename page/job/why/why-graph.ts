import type { ListedPod, WhyResponse } from '../../api/rows.ts';
import { assignColumns, placeNodes } from '../../components/layers.ts';
import { causeText, type ListedCause, type CauseText } from './cause-text.ts';

/** A node of the picture: one cause, or several similar causes. */
export interface WhyNode extends CauseText {
  id: string;
  causes: ListedCause[];
  /** The time of the first cause, in milliseconds since 1970. */
  at: number;
  /** True for a node on the shortest chain from the answer to a root. */
  isMain: boolean;
  column: number;
  row: number;
}

export interface WhyGraph {
  nodes: WhyNode[];
  /** The edges from cause to effect, by the ids of the nodes. */
  edges: [from: string, to: string][];
  /** The number of omitted steps after the first node of the shortest chain. */
  steps: number;
  columns: number;
  rows: number;
  /** The numbers of hidden causes: `others` are not on the shortest chain, and `folded` only updated counts. */
  hidden: { others: number; folded: number };
}

/** The largest length of a shortest chain that is shown in full; of a longer chain, only the first node and the last nodes are shown. */
const LONG = 5;

/** The length of a step over a success; it is greater than that of other steps, because failures explain a failure better. */
const DETOUR = 4;

/** The largest number of causes beside the shortest chain that are shown at first; more causes are shown only on demand. */
const MOST_BESIDE = 12;

/**
 * The causes as layers, from the roots at the left to the answer at the right. Causes that only updated counts are omitted, and their neighbours are
 * linked directly. With `isWhole`, all other causes are drawn; otherwise only the shortest chain and its direct causes.
 */
export function whyGraph(why: WhyResponse, pods: readonly ListedPod[], isWhole: boolean): WhyGraph {
  const known = new Map(why.causes.map((cause) => [cause.id, cause]));
  const texts = new Map(why.causes.map((cause) => [cause.id, causeText(cause, pods)]));
  // True for a cause that only updated counts.
  const isFolded = (id: string): boolean => texts.get(id)?.isFolded === true;
  // The nearest causes that are not folded, in place of the folded causes.
  const unfoldedCauses = (ids: readonly string[], seen = new Set<string>()): string[] =>
    ids.flatMap((id) => {
      const cause = known.get(id);
      if (cause === undefined || seen.has(id)) return [];
      seen.add(id);
      return isFolded(id) ? unfoldedCauses(cause.because, seen) : [id];
    });
  const because = new Map(
    why.causes
      .filter(({ id }) => !isFolded(id))
      .map((cause) => [cause.id, [...new Set(unfoldedCauses(cause.because))]]),
  );
  const answers = [...new Set(unfoldedCauses(why.answers.flatMap((answer) => answer.because)))];
  const chain = shortestChain(answers, because, (id) => (texts.get(id)?.tone === 'succeeded' ? DETOUR : 1));
  const main = isWhole || chain.length <= LONG ? chain : [...chain.slice(0, 1), ...chain.slice(2 - LONG)];
  // The steps in the middle of a long chain are omitted too.
  const left = new Set(chain.filter((id) => !main.includes(id)));
  if (left.size > 0) {
    const [root = '', first = ''] = main;
    because.set(first, [...(because.get(first) ?? []).filter((id) => !left.has(id)), root]);
    for (const id of left) because.delete(id);
  }
  const wanted = isWhole ? new Set(because.keys()) : withDirectCauses(main, because);
  const groups = groupsOfAlike([...wanted], { because, texts, known, main: new Set(main) });
  const groupById = new Map(groups.flatMap(({ id, members }) => members.map((member) => [member, id])));
  const edges = new Map<string, [string, string]>();
  for (const [effect, causes] of because)
    for (const cause of causes) {
      const [from, to] = [groupById.get(cause), groupById.get(effect)];
      if (from !== undefined && to !== undefined && from !== to) edges.set(`${from} ${to}`, [from, to]);
    }
  const columns = assignColumns(
    groups.map(({ id }) => id),
    [...edges.values()],
  );
  const nodes = placeNodes(
    groups.map((group) => toNode(group, { texts, known })),
    columns,
  );
  return {
    nodes,
    edges: [...edges.values()],
    steps: left.size,
    columns: Math.max(0, ...nodes.map(({ column }) => column)) + 1,
    rows: Math.max(0, ...nodes.map(({ row }) => row)) + 1,
    hidden: {
      others: because.size + left.size - wanted.size,
      folded: why.causes.filter(({ id }) => isFolded(id)).length,
    },
  };
}

/** The shortest chain from an answer back to a cause without causes; the root comes first. */
function shortestChain(
  answers: readonly string[],
  because: ReadonlyMap<string, readonly string[]>,
  getLength: (id: string) => number,
): string[] {
  const cameFrom = new Map<string, string | null>(answers.map((id) => [id, null]));
  const open = new Map(answers.map((id) => [id, getLength(id)]));
  const done = new Set<string>();
  for (;;) {
    const [nearest] = [...open].toSorted(([, a], [, b]) => a - b);
    if (nearest === undefined) return [...answers];
    const [id, length] = nearest;
    open.delete(id);
    done.add(id);
    const causes = because.get(id) ?? [];
    if (causes.length === 0) {
      const chain: string[] = [];
      for (let at: string | null = id; at !== null; at = cameFrom.get(at) ?? null) chain.push(at);
      return chain;
    }
    for (const cause of causes) {
      const way = length + getLength(cause);
      if (done.has(cause) || (open.get(cause) ?? Number.POSITIVE_INFINITY) <= way) continue;
      open.set(cause, way);
      cameFrom.set(cause, id);
    }
  }
}

/** The nodes of the chain, with their direct causes. */
function withDirectCauses(
  main: readonly string[],
  because: ReadonlyMap<string, readonly string[]>,
): Set<string> {
  const wanted = new Set(main);
  for (const id of main)
    for (const cause of because.get(id) ?? []) if (wanted.size < main.length + MOST_BESIDE) wanted.add(cause);
  return wanted;
}

interface Group {
  id: string;
  members: string[];
  isMain: boolean;
}

/** Groups the causes that have the same text and the same causes; each group is one node. */
function groupsOfAlike(
  ids: readonly string[],
  facts: {
    because: ReadonlyMap<string, readonly string[]>;
    texts: ReadonlyMap<string, CauseText>;
    known: ReadonlyMap<string, ListedCause>;
    main: ReadonlySet<string>;
  },
): Group[] {
  const { because, texts, known, main } = facts;
  const groups = new Map<string, Group>();
  for (const id of ids) {
    const { more, tone } = texts.get(id) ?? { more: '', tone: 'off' };
    const isPod = known.get(id)?.about.startsWith('pod ') === true;
    const key = isPod && !main.has(id) ? `${tone} ${more} ${(because.get(id) ?? []).toSorted().join()}` : id;
    const group = groups.get(key) ?? { id, members: [], isMain: main.has(id) };
    group.members.push(id);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** The node of a group of causes. */
function toNode(
  { id, members, isMain }: Group,
  facts: { texts: ReadonlyMap<string, CauseText>; known: ReadonlyMap<string, ListedCause> },
): Omit<WhyNode, 'column' | 'row'> {
  const causes = members.flatMap((member) => facts.known.get(member) ?? []);
  const own = facts.texts.get(id) ?? { title: '', more: '', tone: 'off' as const, isFolded: false };
  return {
    ...own,
    ...(members.length > 1 && { title: `${members.length} times: ${own.title.toLowerCase()}` }),
    id,
    causes,
    at: Math.min(...causes.map(({ at }) => Date.parse(at))),
    isMain,
  };
}
