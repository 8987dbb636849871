import { compareVersions } from '../../../workflows/ledger/resource-version.ts';
import { terminalCondition } from '../../../workflows/batch/conditions.ts';
import type { PlacementCommand } from '../../../workflows/placement/commands.ts';
import { grantNumberIn } from '../../../workflows/placement/definitions/member-name.ts';
import type {
  MemberDeleted,
  MemberObserved,
  PlacementOutcomeRecorded,
  PlacementDecided,
  PlacementEvent,
} from '../../../workflows/placement/events.ts';
import type { MemberFacts } from '../../../workflows/placement/facts.ts';
import type { PlacementRow } from '../../read-model/tables/placements.ts';
import { indexesGivenBy } from '../../../workflows/placement/definitions/tenures.ts';
import {
  dropOutdatedRequests,
  addGivenIndexes,
  noteListRequest,
  endGivenUpIndexes,
} from './granted-indexes.ts';
import { instantAt, toTimestamp, versionNumber } from './instants.ts';
import { findStored, type Rows } from './rows.ts';
import { parseSubject } from './subjects.ts';

/** The grants of a placed Job after an event; empty when no grant changes. */
export function placementChanges(rows: Rows, event: PlacementEvent): PlacementRow[] {
  switch (event.type) {
    case 'placement.decided':
      return foldDecision(rows, event);
    case 'outcome.recorded':
      return foldOutcome(rows, event);
    case 'member.observed':
      return foldObserved(rows, event);
    case 'member.deleted':
      return foldDeleted(rows, event);
    case 'job.observed':
    case 'job.deleted':
    case 'request.received':
    case 'placement.folded':
    case 'placement.snapshotted':
      return [];
  }
}

type AboutGrant = Extract<PlacementCommand, { grant: number }>;

/** The rows of the grants that a decision changes. The last command about a grant determines its row. */
function foldDecision(rows: Rows, { id, subject, data }: PlacementDecided): PlacementRow[] {
  const changed = new Map<number, PlacementRow>();
  for (const command of data.commands) {
    if (!('grant' in command)) continue;
    const before =
      changed.get(command.grant) ?? findStored(rows.placements, data.cluster, data.jobUid, command.grant);
    const row = before ?? newGrantRow(command, { id, subject, data });
    changed.set(command.grant, rowAfterCommand(row, command, { id, now: data.now }));
  }
  return [...changed.values()];
}

/** The row of a grant that a command gives. */
function newGrantRow(
  { grant, cluster: placedIn, name, why }: AboutGrant,
  { id, subject, data }: Pick<PlacementDecided, 'id' | 'subject' | 'data'>,
): PlacementRow {
  const { namespace, name: job } = parseSubject(subject);
  return {
    cluster: data.cluster,
    job_uid: data.jobUid,
    grant_number: grant,
    namespace,
    job_name: job,
    placed_in: placedIn,
    member_name: name,
    member_uid: null,
    resource_version: null,
    given_at: instantAt(data.now) ?? '',
    decision: id,
    rule: why.rule,
    message: why.message,
    stopping: null,
    refused: null,
    indexes: null,
    succeeded: 0,
    failed: 0,
    ended_at: null,
    end_reason: null,
    end_decision: null,
    end_message: null,
    overlapped: false,
    granted: null,
  };
}

/** The row of a grant after a command about the grant. */
function rowAfterCommand(
  row: PlacementRow,
  command: AboutGrant,
  { id, now }: { id: string; now: number },
): PlacementRow {
  const given = indexesGivenBy(command);
  const since = instantAt(now) ?? '';
  const held =
    given === null
      ? indexesAfterLookUp(row, command)
      : addGivenIndexes(row.granted, given, { since, decision: id });
  if (command.kind === 'ChangeMember' && command.stop !== undefined)
    return {
      ...row,
      granted: held,
      stopping: command.stop,
      overlapped: row.overlapped || command.stop === 'returned',
    };
  // A member that has finished may have left work for another member.
  if (command.kind !== 'EndGrant' || (row.ended_at !== null && command.reason !== 'ended'))
    return { ...row, granted: held };
  return {
    ...row,
    ended_at: instantAt(now),
    end_reason: command.reason,
    end_decision: id,
    end_message: command.why.message,
    ...(command.reason === 'refused' && { refused: command.why.message }),
  };
}

/** The granted indexes of a member after a command that gives the member no index. */
function indexesAfterLookUp({ granted }: PlacementRow, command: AboutGrant): PlacementRow['granted'] {
  if (command.kind !== 'LookUpMember' || command.givenUp === undefined) return granted;
  return noteListRequest(granted, command.from?.epoch ?? 0);
}

function foldOutcome(rows: Rows, { data }: PlacementOutcomeRecorded): PlacementRow[] {
  const { outcome } = data;
  if (outcome.kind !== 'CreateMember' && outcome.kind !== 'LookUpMember') return [];
  const member = 'member' in outcome ? outcome.member : null;
  if (member === null) return [];
  const row = findGrantRow(rows, { cluster: data.cluster, jobUid: data.jobUid, member });
  if (row === undefined) return [];
  // A late outcome may show the end of the member.
  const known = rowAfterVersion(row, member);
  const granted = dropOutdatedRequests(known.granted, member.epoch);
  if (granted === null || !('pods' in outcome) || outcome.givenUp === undefined || outcome.pods.open > 0)
    return known === row && granted === row.granted ? [] : [{ ...known, granted }];
  return [{ ...known, granted: endGivenUpIndexes(granted, outcome.givenUp, instantAt(outcome.at) ?? '') }];
}

function foldObserved(rows: Rows, { data }: MemberObserved): PlacementRow[] {
  const { cluster, jobUid, member, mark } = data;
  const row = findGrantRow(rows, { cluster, jobUid, member });
  // Any user with the right to create Jobs can name a placed Job as a home. Only an outcome or the mark of the grant
  // shows which Job is the member.
  if (row === undefined || member.namespace !== row.namespace) return [];
  if (row.member_uid !== member.uid && mark !== row.decision) return [];
  const known = rowAfterVersion(row, member);
  return known === row ? [] : [{ ...known, granted: dropOutdatedRequests(row.granted, member.epoch) }];
}

/**
 * The row after a version of its member or of the Job that has replaced the member; the unchanged row when a newer
 * version is known.
 */
function rowAfterVersion(row: PlacementRow, member: MemberFacts): PlacementRow {
  if (!isNewer(member, row)) return row;
  const version = versionNumber(member.resourceVersion, member);
  return { ...row, member_uid: member.uid, resource_version: version, ...observedColumns(row, member) };
}

/**
 * True when a version is newer than the version in the row. Versions are compared as in the core, by epoch and then by
 * resourceVersion.
 */
function isNewer(member: Pick<MemberFacts, 'resourceVersion' | 'epoch'>, row: PlacementRow): boolean {
  const version = versionNumber(member.resourceVersion, member);
  return row.resource_version === null || compareVersions(version, row.resource_version) > 0;
}

/**
 * The columns from a version of the member: the counters and the end of the member. After a restore of its cluster, a
 * member that had finished or was deleted may run again.
 */
function observedColumns(row: PlacementRow, { status }: MemberFacts): Partial<PlacementRow> {
  const counted = {
    indexes: status.completedIndexes ?? null,
    succeeded: status.succeeded ?? 0,
    failed: status.failed ?? 0,
  };
  const end = terminalCondition(status);
  if (end === undefined && (row.end_reason === 'finished' || row.end_reason === 'deleted'))
    return { ...counted, ended_at: null, end_reason: null, end_message: null };
  if (end === undefined || row.ended_at !== null) return counted;
  return {
    ...counted,
    ended_at: toTimestamp(status.completionTime ?? end.lastTransitionTime),
    end_reason: 'finished',
    end_message: [end.type, end.reason, end.message].filter((part) => (part ?? '') !== '').join(': '),
  };
}

function foldDeleted(rows: Rows, { time, data }: MemberDeleted): PlacementRow[] {
  const { cluster, jobUid, member } = data;
  const row = findGrantRow(rows, { cluster, jobUid, member });
  if (row === undefined || row.member_uid !== member.uid || row.ended_at !== null) return [];
  if (!isNewer(member, row)) return [];
  const granted = dropOutdatedRequests(row.granted, member.epoch);
  const home = findStored(rows.jobs, cluster, jobUid);
  if (home?.deletion_requested_at === null || home === undefined)
    return granted === row.granted ? [] : [{ ...row, granted }];
  return [
    {
      ...row,
      granted,
      resource_version: versionNumber(member.resourceVersion, member),
      ended_at: toTimestamp(time),
      end_reason: 'deleted',
      end_message: 'deleted with the placed Job',
    },
  ];
}

/** The row of the grant whose member has this name and cluster. */
function findGrantRow(
  rows: Rows,
  {
    cluster,
    jobUid,
    member,
  }: { cluster: string; jobUid: string; member: Pick<MemberFacts, 'name' | 'cluster'> },
): PlacementRow | undefined {
  const job = findStored(rows.jobs, cluster, jobUid);
  const number = job === undefined ? null : grantNumberIn(job.name, member.name);
  const row = number === null ? undefined : findStored(rows.placements, cluster, jobUid, number);
  return row?.placed_in === member.cluster ? row : undefined;
}
