import { isOfKind, type LedgerEvent } from '../../../workflows/ledger-event.ts';
import { PLACEMENT_MANAGER } from '../../../workflows/kubernetes/names.ts';
import type { KafkaConnection } from '../../../services/adapters/kafka/connection.ts';
import { readLedger } from '../../ledger/read-ledger.ts';
import type { KnownMember, Surveyed } from './surveyed.ts';

type Found = Omit<Surveyed, 'members'>;

/**
 * Reads from the whole ledger the members that a detachment affects: members of the cluster's placed Jobs in every cluster, and members in the
 * cluster itself. The result is empty, without a reading, if the cluster has no such Jobs. @throws NewerRecordError.
 */
export async function readMembers(kafka: KafkaConnection, found: Found): Promise<KnownMember[]> {
  if (!concernsPlacement(found)) return [];
  const uids = new Set(found.jobs.map(({ metadata }) => metadata.uid));
  const members = membersIn(
    ({ cluster, uid, home }) =>
      (home.cluster === found.cluster && uids.has(home.uid)) || (cluster === found.cluster && uids.has(uid)),
  );
  await readLedger(kafka, members.add);
  return members.all();
}

/** True when the cluster has placed Jobs, or Jobs that may be members. */
export function concernsPlacement({ jobs }: Pick<Found, 'jobs'>): boolean {
  return jobs.some(({ managedBy, home }) => managedBy === PLACEMENT_MANAGER || home !== null);
}

/** Collects the members that the events of the ledger show and that are not deleted. The events of a stream must come in order. */
export function membersIn(isWanted: (member: KnownMember) => boolean) {
  const members = new Map<string, KnownMember>();
  return {
    add(event: LedgerEvent): void {
      if (!isOfKind('PlacedJob', event)) return;
      if (event.type === 'member.deleted') members.delete(memberKey(event.data.member));
      if (event.type !== 'outcome.recorded') return;
      const { outcome, cluster, placedJobUid } = event.data;
      if (!('member' in outcome) || outcome.member === null) return;
      const [namespace = '', name = ''] = event.subject.split('/');
      const { member } = outcome;
      const found: KnownMember = {
        cluster: member.cluster,
        namespace: member.namespace,
        name: member.name,
        uid: member.uid,
        home: { cluster, namespace, name, uid: placedJobUid },
      };
      if (isWanted(found)) members.set(memberKey(member), found);
    },
    all: () => [...members.values()],
  };
}

/** Identifies a member among all clusters. */
function memberKey({ cluster, uid }: { cluster: string; uid: string }): string {
  return `${cluster}/${uid}`;
}
