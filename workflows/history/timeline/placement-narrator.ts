import type { PlacementDecided, PlacementEvent } from '../../placement/events.ts';
import type { MemberFacts, PlacedJobFacts } from '../../placement/facts.ts';
import { grantText } from '../../batch/index-grant.ts';
import { INDEXES } from '../../kubernetes/names.ts';
import { placedJobFacts } from '../../placement/observe/compact.ts';
import { fewText } from './few.ts';
import { specText, statusText } from './job-text.ts';
import { createDecisionLines, type Line } from './decision-lines.ts';
import { fieldChange, presentTexts } from './changes.ts';
import { placementCommandLine, placementOutcomeText } from './placement-command-text.ts';
import { requestLine } from './request-line.ts';
import { createIsOlder, OLDER, deletedText } from './observations.ts';

/** Describes the events of one placed Job in ledger order, each by its changes. */
export function createPlacementNarrator(superseded: ReadonlySet<string>): (event: PlacementEvent) => Line[] {
  const lines = createDecisionLines<PlacementDecided>(superseded, placementCommandLine);
  const members = new Map<string, MemberFacts>();
  const isOlder = createIsOlder();
  let job: PlacedJobFacts | null = null;
  return (event) => {
    switch (event.type) {
      case 'job.observed': {
        const now = placedJobFacts(event.data.cluster, event.data.object);
        if (isOlder(event, now, job)) return [{ about: 'job', message: OLDER }];
        const message = jobText(job, now);
        job = now;
        return [{ about: 'job', message }];
      }
      case 'job.deleted':
        return [{ about: 'job', message: deletedText(event.data.seen) }];
      case 'member.observed': {
        const { member } = event.data;
        const message = memberText(members.get(member.uid) ?? null, member);
        members.set(member.uid, member);
        return [{ about: aboutMember(member), message }];
      }
      case 'member.deleted':
        return [{ about: aboutMember(event.data.member), message: 'deleted' }];
      case 'request.received':
        return [requestLine(event.data)];
      case 'placement.decided':
        return [lines.decision(event)];
      case 'outcome.recorded':
        return [lines.outcome(event, placementOutcomeText(event.data.outcome))];
      case 'placement.folded':
      case 'placement.snapshotted':
        return [];
    }
  };
}

/** The subject of a line about a member. */
function aboutMember({ cluster, name }: { cluster: string; name: string }): string {
  return `member ${cluster}/${name}`;
}

/** The changes since the previous observation of a placed Job, as text. */
function jobText(before: PlacedJobFacts | null, now: PlacedJobFacts): string {
  const held = now.held && before?.held !== true ? 'its deletion waits for its members' : null;
  const deleting = now.deleting && before?.deleting !== true ? 'is being deleted' : null;
  const suspended = suspension(before?.spec, now.spec);
  const texts = presentTexts([
    deleting,
    held,
    suspended,
    ...followedText(before, now),
    ...statusText(before?.status ?? {}, now.status),
  ]);
  if (before === null) return fewText(['first seen', ...texts]);
  return texts.length === 0 ? 'no change that matters to the Job' : texts.join(', ');
}

/** The changes since the previous observation of a member, as text. */
function memberText(before: MemberFacts | null, now: MemberFacts): string {
  const deleting = now.deleting === true && before?.deleting !== true ? 'is being deleted' : null;
  const texts = presentTexts([
    deleting,
    suspension(before?.spec, now.spec),
    fieldChange(INDEXES, grantIn(before), grantIn(now)),
    ...followedText(before, now),
    ...statusText(before?.status ?? {}, now.status),
  ]);
  if (before === null) return fewText(['first seen', ...texts]);
  return texts.length === 0 ? 'no change that matters to the Job' : texts.join(', ');
}

type Followed = Pick<PlacedJobFacts | MemberFacts, 'spec' | 'annotations'>;

/** The changes of the values that a member gets from its home; empty for the first observation of the member. */
function followedText(before: Followed | null, now: Followed): (string | null)[] {
  if (before === null) return [];
  const [{ annotations: had = {} }, { annotations: has = {} }] = [before, now];
  const names = [...new Set([...Object.keys(had), ...Object.keys(has)])];
  return [
    ...specText(before.spec, now.spec),
    ...names.map((name) => fieldChange(name, had[name], has[name])),
  ];
}

/** The grant of indexes of a member as text. */
function grantIn(member: MemberFacts | null): string | undefined {
  return member?.grant === undefined ? undefined : grantText(member.grant);
}

/** The change of a suspension as text; null when it has not changed. */
function suspension(before: { suspend?: boolean } | undefined, now: { suspend?: boolean }): string | null {
  if ((before?.suspend ?? false) === (now.suspend ?? false)) return null;
  return now.suspend === true ? 'suspended' : 'resumed';
}
