import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { withDigest } from '../../adapters/events/event-codec.ts';
import type { LiveRecord } from '../../live-topic/live-topic.ts';
import type { NodeDeleted, NodeFacts, NodeObserved } from '../../../workflows/ledger/nodes.ts';
import { nodeFacts, type WatchedNode } from './node-facts.ts';

/** The events that record changes of nodes, and the records of the live topic that remember the recorded facts. */
export interface NodeChanges {
  events: (NodeObserved | NodeDeleted)[];
  records: LiveRecord[];
}

/** The nodes of a cluster: what a watch shows, and what is recorded. */
export interface RecordedNodes {
  /** Notes a version of a node, at an RFC 3339 time. */
  observed(node: WatchedNode, time: string): void;
  /** Notes a deletion that the watch reported. */
  deleted(node: WatchedNode, time: string): void;
  /** Notes the UIDs of a complete list: the other nodes were deleted. */
  listed(uids: ReadonlySet<string>, time: string): void;
  /** The changes of at most `limit` nodes that are not recorded. */
  changes(limit: number): NodeChanges;
  /** The changes are recorded. */
  confirm(changes: NodeChanges): void;
}

/** A version of a node that may differ from the recorded one; `facts` is null after its deletion. */
interface Seen {
  facts: NodeFacts | null;
  since: string;
  resourceVersion: string;
  createdAt: string | undefined;
  seen: boolean;
}

const FACTS = z.looseObject({ name: z.string(), capacity: z.record(z.string(), z.string()) });

/**
 * Compares the nodes of a cluster with the facts that the live topic has. Several changes of a node between two calls of
 * `changes` are one event, so that a node whose labels change all the time costs little.
 */
export function createRecordedNodes(
  { cluster, epoch = 0 }: { cluster: string; epoch?: number | undefined },
  records: readonly LiveRecord[],
): RecordedNodes {
  const recorded = new Map<string, NodeFacts>();
  for (const { cluster: of, kind, key, value } of records) {
    const { data } = FACTS.safeParse(value);
    if (of === cluster && kind === 'nodes' && data !== undefined) recorded.set(key, data);
  }
  /** The newest version of each node that may differ from the recorded facts. */
  const present = new Map<string, Seen>();
  const suffix = epoch === 0 ? '' : `/epoch-${epoch}`;
  const isRecorded = (uid: string, { facts }: Seen): boolean =>
    isDeepStrictEqual(recorded.get(uid) ?? null, facts);

  const noteDeletion = (uid: string, at: Pick<Seen, 'since' | 'resourceVersion' | 'seen'>): void =>
    void present.set(uid, { facts: null, createdAt: undefined, ...at });
  return {
    observed(node, time) {
      const { uid, resourceVersion, creationTimestamp: createdAt } = node.metadata;
      const facts = nodeFacts(node);
      // Most versions of a node report only its health. `since` is the time of the first version with these facts.
      if (isDeepStrictEqual(present.get(uid)?.facts ?? recorded.get(uid), facts)) return;
      present.set(uid, { facts, since: time, resourceVersion, createdAt, seen: true });
    },
    deleted: ({ metadata: { uid, resourceVersion } }, since) =>
      noteDeletion(uid, { since, resourceVersion, seen: true }),
    listed(uids, since) {
      for (const uid of [...recorded.keys(), ...present.keys()])
        if (!uids.has(uid) && present.get(uid)?.facts !== null)
          noteDeletion(uid, { since, resourceVersion: '', seen: false });
    },
    changes(limit) {
      for (const [uid, seen] of present) if (isRecorded(uid, seen)) present.delete(uid);
      const changed = [...present].slice(0, limit);
      const events = changed.map(([uid, seen]) =>
        nodeEvent(cluster, uid, seen, { recorded: recorded.get(uid), suffix }),
      );
      const live = changed.map(([key, { facts: value }]) => ({
        cluster,
        kind: 'nodes' as const,
        key,
        value,
      }));
      return { events, records: live };
    },
    confirm({ records: live }) {
      for (const { key, value } of live) {
        if (value === null) recorded.delete(key);
        else recorded.set(key, value as NodeFacts);
      }
    },
  };
}

function nodeEvent(
  cluster: string,
  uid: string,
  { facts, since, resourceVersion, createdAt, seen }: Seen,
  { recorded, suffix }: { recorded: NodeFacts | undefined; suffix: string },
): NodeObserved | NodeDeleted {
  const time = new Date().toISOString();
  const about = { source: cluster, subject: cluster, time };
  if (facts === null)
    return withDigest<NodeDeleted>({
      id: `${cluster}/node/${uid}/deleted${suffix}`,
      type: 'node.deleted',
      ...about,
      data: { cluster, nodeUid: uid, name: recorded?.name ?? '', since, seen },
    });
  const first = recorded === undefined && createdAt !== undefined;
  return withDigest<NodeObserved>({
    id: `${cluster}/node/${uid}/${resourceVersion}${suffix}`,
    type: 'node.observed',
    ...about,
    data: { cluster, nodeUid: uid, resourceVersion, since: first ? createdAt : since, node: facts },
  });
}
