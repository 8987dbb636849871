import { compact } from '../../job/observe/compact.ts';
import type { CommandAnswered, JobDecided, JobEvent } from '../../job/events.ts';
import type { JobFacts, PodFacts } from '../../job/facts.ts';
import { isoTime } from '../../job/definitions/instants.ts';
import { compareVersions } from '../../job/definitions/resource-version.ts';
import { outcomeWords } from './outcome-words.ts';
import { commandWords } from './command-words.ts';
import { jobWords } from './job-words.ts';
import type { TimelineLine } from './line.ts';
import { podWords } from './pod-words.ts';

/** The latest observations, to compare the next ones with. */
interface Memory {
  superseded: ReadonlySet<string>;
  job: JobFacts | null;
  pods: Map<string, PodFacts>;
  decisions: Map<string, JobDecided>;
}

/** Describes the events of one Job in ledger order, each by what changed. */
export function createNarrator(superseded: ReadonlySet<string>): (event: JobEvent) => TimelineLine[] {
  const memory: Memory = { superseded, job: null, pods: new Map(), decisions: new Map() };
  return (event) => narrate(memory, event).map((line) => ({ time: event.time, ...line }));
}

function narrate(memory: Memory, event: JobEvent): Omit<TimelineLine, 'time'>[] {
  const fact = compact(event);
  switch (event.type) {
    case 'job.observed': {
      if (fact?.type !== 'job.observed') return [];
      if (isOlder(fact.job, memory.job)) return [{ about: 'job', words: OLDER }];
      const words = jobWords(memory.job, fact.job);
      memory.job = fact.job;
      return [{ about: 'job', words }];
    }
    case 'job.deleted':
      return [{ about: 'job', words: `deleted${unseen(event.data.seen)}` }];
    case 'pod.observed': {
      if (fact?.type !== 'pod.observed') return [];
      const before = memory.pods.get(fact.pod.uid) ?? null;
      if (isOlder(fact.pod, before)) return [{ about: `pod ${fact.pod.name}`, words: OLDER }];
      const words = podWords(before, fact.pod, event.data.object);
      memory.pods.set(fact.pod.uid, fact.pod);
      return [{ about: `pod ${fact.pod.name}`, words }];
    }
    case 'pod.deleted':
      return [{ about: `pod ${event.data.podName}`, words: `deleted${unseen(event.data.seen)}` }];
    case 'command.received':
      return [{ about: 'request', words: `${event.data.command}, asked for by ${event.data.by}` }];
    case 'job.decided':
      return [decisionLine(memory, event)];
    case 'command.answered':
      return [outcomeLine(memory, event)];
    case 'job.folded':
    case 'job.snapshotted':
    case 'cluster.connected':
    case 'cluster.gap':
      return [];
  }
}

const OLDER = 'an older version, seen late';

function isOlder(now: { resourceVersion: string }, before: { resourceVersion: string } | null): boolean {
  return before !== null && compareVersions(now.resourceVersion, before.resourceVersion) < 0;
}

function unseen(seen: boolean): string {
  return seen ? '' : ' while nobody watched';
}

function decisionLine(memory: Memory, event: JobDecided): Omit<TimelineLine, 'time'> {
  const { number, predecessor, core, commands, waiting, lookAgainAt } = event.data;
  memory.decisions.set(event.id, event);
  const before = predecessor === null ? undefined : memory.decisions.get(predecessor);
  const mark = [
    memory.superseded.has(event.id) ? '(superseded: the step ran again) ' : '',
    before === undefined || before.data.core === core ? '' : `core ${core} decides from here on: `,
  ].join('');
  const again = lookAgainAt === null ? '' : `, looks again at ${isoTime(lookAgainAt)}`;
  const waits = waiting === null ? '' : `waits: ${waiting.words} [${waiting.rule}]${again}`;
  const rest = commands.length === 0 ? 'nothing to do' : `${commands.length} ${plural(commands.length)}`;
  return {
    about: `decision ${number}`,
    words: mark + (waits === '' ? rest : commands.length === 0 ? waits : `${rest}, then ${waits}`),
    below: commands.map(commandWords),
  };
}

function plural(count: number): string {
  return count === 1 ? 'command' : 'commands';
}

function outcomeLine(memory: Memory, { data }: CommandAnswered): Omit<TimelineLine, 'time'> {
  const decision = memory.decisions.get(data.decision);
  const kind = decision?.data.commands[data.command]?.kind ?? data.answer.kind;
  const attempt = data.attempt > 1 ? ` (attempt ${data.attempt})` : '';
  return {
    about: `answer ${decision?.data.number ?? '?'}.${data.command + 1}`,
    words: `${kind}${attempt}: ${outcomeWords(data.answer)}`,
  };
}
