import { contains } from '../../batch/completion-indexes.ts';
import { grantedIndexes, keptGrant } from '../../batch/index-grant.ts';
import { isoTime } from '../../ledger/instants.ts';
import { isGift } from '../../placement/definitions/grants.ts';
import { indexesGivenBy } from '../../placement/definitions/tenures.ts';
import type { PlacementCommand, PlacementCommandOf } from '../../placement/commands.ts';
import type { PlacementOutcomeRecorded, PlacementDecided, PlacementEvent } from '../../placement/events.ts';
import type { MemberFacts } from '../../placement/facts.ts';
import { createRestoredMembers, type RestoredMembers } from '../placements/restored-members.ts';
import { commandCauseId } from '../why/cause-id.ts';

/** The time during which a cluster could run an index, with the causes of its beginning and its end. */
export interface Stay {
  member: MemberOfStay;
  /** The number of the grant of indexes with which the member got the index; 0 when the Job is not spread. */
  number: number;
  /** The command that gave the index. */
  gift: string;
  /** The command to the member that takes the index back. */
  takenBack?: string;
  /** The member's report that it does not keep the index. */
  reported?: string;
  /** The command to stop the member. */
  stopped?: string;
  /** The command that makes the member end with the Job. */
  ended?: string;
  /** The end of the stay: the end of the grant, or a list without a pod of the index. */
  left?: string;
}

/** A member as its home knows it. */
export interface MemberOfStay {
  grant: number;
  cluster: string;
  name: string;
  /** The value is null when no outcome shows that the member was created. */
  uid: string | null;
  /** The outcome of the creation. */
  created?: string;
  /** The command to stop the member. */
  stopped?: string;
  /** The latest list of all its pods. */
  listed?: string;
}

/** The way in which a placed Job gave an index to its members. */
export interface IndexRecord {
  stays: Stay[];
  /** The member whose status first showed the index as completed or failed, and the observation. */
  finished: { cluster: string; as: 'completed' | 'failed'; by: string; at: string } | null;
  /** The ids of the causes of each command or event, by its id. */
  causes: ReadonlyMap<string, string[]>;
}

interface Reading extends IndexRecord {
  index: number;
  causes: Map<string, string[]>;
  members: Map<number, MemberOfStay>;
  restored: RestoredMembers;
  firstSeen?: string;
  /** The latest command that shared the Job out. */
  shared?: string;
  /** The event that last freed the index. */
  freed?: string;
}

/** Reads the stream of a placed Job; `effective` are the effective decisions of the Job. */
export function readIndex(
  events: readonly PlacementEvent[],
  effective: ReadonlyMap<string, PlacementDecided>,
  index: number,
): IndexRecord {
  const restored = createRestoredMembers();
  const reading: Reading = {
    index,
    stays: [],
    finished: null,
    causes: new Map(),
    members: new Map(),
    restored,
  };
  for (const event of events) {
    if (event.type === 'job.observed') reading.firstSeen ??= event.id;
    if (event.type === 'placement.decided' && effective.has(event.id)) readDecision(reading, event);
    if (event.type === 'outcome.recorded') {
      const command = effective.get(event.data.decision)?.data.commands[event.data.command];
      if (command !== undefined) readOutcome(reading, event, command);
    }
    if (event.type === 'member.observed') readMember(reading, event.data.member, event);
    if (event.type === 'member.deleted') restored.note(event.data.member);
  }
  return reading;
}

/** Reads the commands of a decision that concern the index. */
function readDecision(reading: Reading, { id, data }: PlacementDecided): void {
  reading.restored.decided();
  for (const [at, command] of data.commands.entries()) {
    const cause = commandCauseId(id, at);
    reading.causes.set(cause, commandCauses(reading, command));
    if (command.kind === 'ShareOut') reading.shared = cause;
    else if (isGift(command)) readGift(reading, command, cause);
    else if (command.kind === 'ChangeMember') readChange(reading, command, cause);
    else if (command.kind === 'EndGrant') endStay(reading, command.grant, cause);
  }
}

/** The causes of a command that concern the index. */
function commandCauses(reading: Reading, command: PlacementCommand): string[] {
  const { firstSeen, shared, freed } = reading;
  if (command.kind === 'ShareOut') return shared === undefined ? definedIds(firstSeen) : [];
  if (!('grant' in command)) return [];
  const stay = openStay(reading, command.grant);
  const member = reading.members.get(command.grant);
  switch (command.kind) {
    case 'CreateMember':
    case 'RenewGuard':
      return member === undefined ? definedIds(shared ?? firstSeen, freed) : definedIds(stay?.gift);
    case 'ChangeMember':
      if (command.stop === 'spill') return definedIds(member?.listed, stay?.gift);
      return command.indexes === undefined ? definedIds(stay?.gift) : definedIds(shared, stay?.gift ?? freed);
    case 'LookUpMember':
      return command.givenUp === undefined
        ? definedIds(member?.stopped)
        : definedIds(stay?.takenBack, stay?.reported);
    case 'EndGrant':
      return definedIds(member?.listed, member?.stopped ?? stay?.gift);
    case 'ReleaseGuard':
    case 'DeleteMember':
      return [];
  }
}

/** Reads the command that gives the index to a new member. */
function readGift(
  reading: Reading,
  command: PlacementCommandOf<'CreateMember' | 'RenewGuard'>,
  cause: string,
): void {
  const { grant, cluster, name } = command;
  if (reading.members.has(grant)) return;
  const member: MemberOfStay = { grant, cluster, name, uid: null };
  reading.members.set(grant, member);
  const indexes = indexesGivenBy(command);
  if (indexes === null || includesIndex(reading, indexes))
    reading.stays.push({ member, number: indexes === null ? 0 : 1, gift: cause });
}

/** Reads a command that gives the index to a member, or takes the index from it. */
function readChange(reading: Reading, command: PlacementCommandOf<'ChangeMember'>, cause: string): void {
  const member = reading.members.get(command.grant);
  if (member === undefined) return;
  const { indexes, stop } = command;
  const stay = openStay(reading, command.grant);
  if (stop !== undefined) {
    member.stopped = cause;
    if (stay !== undefined) stay.stopped ??= cause;
  }
  if (indexes === undefined) return;
  if (includesIndex(reading, indexes.indexes)) {
    if (stay === undefined) reading.stays.push({ member, number: indexes.number, gift: cause });
  } else if (stay !== undefined && indexes.end !== undefined) stay.ended ??= cause;
  else if (stay !== undefined) stay.takenBack ??= cause;
}

/** Reads the outcome of a command that concerns the index. */
function readOutcome(
  reading: Reading,
  { id, data }: PlacementOutcomeRecorded,
  command: PlacementCommand,
): void {
  const { outcome } = data;
  reading.causes.set(id, [commandCauseId(data.decision, data.command)]);
  if (!('grant' in command)) return;
  const member = reading.members.get(command.grant);
  if (member === undefined) return;
  if ('member' in outcome && outcome.member !== null) {
    if (member.uid === null && outcome.kind !== 'ChangeMember') {
      member.uid = outcome.member.uid;
      member.created = id;
    }
    readMember(reading, outcome.member, { id, time: isoTime(outcome.at) });
  }
  if (outcome.kind === 'LookUpMember') noteList(reading, member, id, outcome);
}

/** Reads a list of all pods of a member, or of the pods of the indexes that the member has given up. */
function noteList(
  reading: Reading,
  member: MemberOfStay,
  id: string,
  outcome: Extract<PlacementOutcomeRecorded['data']['outcome'], { kind: 'LookUpMember' }>,
): void {
  if (outcome.result !== 'done') return;
  if (outcome.givenUp === undefined) member.listed = id;
  else if (
    isProof(reading, outcome.member) &&
    outcome.pods.open === 0 &&
    includesIndex(reading, outcome.givenUp)
  )
    endStay(reading, member.grant, id);
}

/** True when a list with this member shows all its pods. */
function isProof({ restored }: Reading, member: MemberFacts | null): boolean {
  return member !== null && !restored.has(member);
}

/** Reads a member in an outcome or an observation; `seen` is the event in which the member was observed. */
function readMember(reading: Reading, facts: MemberFacts, seen: { id: string; time: string }): void {
  reading.restored.note(facts);
  const member = [...reading.members.values()].find(({ uid }) => uid === facts.uid);
  if (member === undefined) return;
  const stay = openStay(reading, member.grant);
  const kept = keptGrant({ status: facts.status });
  if (stay?.takenBack !== undefined && kept !== null && !includesIndex(reading, kept.indexes))
    stay.reported ??= seen.id;
  if (reading.finished !== null) return;
  const { completedIndexes = '', failedIndexes = '' } = facts.status;
  const as = includesIndex(reading, completedIndexes)
    ? 'completed'
    : includesIndex(reading, failedIndexes)
      ? 'failed'
      : null;
  if (as !== null) reading.finished = { cluster: member.cluster, as, by: seen.id, at: seen.time };
}

/** Ends the stay of the index in a member, because of this command or event. */
function endStay(reading: Reading, grant: number, by: string): void {
  const stay = openStay(reading, grant);
  if (stay === undefined) return;
  stay.left = by;
  reading.freed = by;
}

/** The stay of the index in the member of this grant that has not ended. */
function openStay({ stays }: Reading, grant: number): Stay | undefined {
  return stays.find(({ member, left }) => member.grant === grant && left === undefined);
}

/** True when the text of indexes contains the index. */
function includesIndex({ index }: Reading, indexes: string): boolean {
  return contains(grantedIndexes({ indexes }), index);
}

/** The ids that are not undefined. */
function definedIds(...ids: (string | undefined)[]): string[] {
  return ids.filter((id) => id !== undefined);
}
