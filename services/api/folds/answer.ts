import { replaySteps } from '../../../workflows/history/replay/replay-steps.ts';
import { replayTo } from '../../../workflows/history/replay/replay-to.ts';
import { whatIf } from '../../../workflows/history/what-if/what-if.ts';
import { whatIfPlacements } from '../../../workflows/history/what-if-placements/what-if-placements.ts';
import { whatIfStarts } from '../../../workflows/history/what-if-starts/what-if-starts.ts';
import { membersWithIndex, whyIndex } from '../../../workflows/history/why-index/why-index.ts';
import { why } from '../../../workflows/history/why/why.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { zoneRules } from '../../adapters/time-zones.ts';
import { readCronJobStream, readHistory, readStream } from '../../read-model/streams/stream.ts';
import type { FoldAnswer, FoldKind, FoldQuestion } from './questions.ts';

/** Reads the streams that a question is about, and folds them. */
export function answerTo<K extends FoldKind>(run: Run, question: FoldQuestion<K>): Promise<FoldAnswer<K>>;
export async function answerTo(run: Run, question: FoldQuestion): Promise<FoldAnswer<FoldKind>> {
  switch (question.kind) {
    case 'replay':
      return replayTo(await readStream(run, question.job), question.point);
    case 'steps':
      return replaySteps(await readStream(run, question.job), question.point, question.range);
    case 'why':
      return answerWhy(run, question);
    case 'what-if':
      return answerWhatIf(run, question);
    case 'what-if-placements':
      return whatIfPlacements(await readStream(run, question.job), question.change);
    case 'what-if-starts':
      return whatIfStarts(await readCronJobStream(run, question.cronJob), question.change, zoneRules);
  }
}

/** Explains a Job. The answer about an index of a placed Job also needs the streams of the members that could run the index. */
async function answerWhy(
  run: Run,
  { job, question, members }: FoldQuestion<'why'>,
): Promise<FoldAnswer<'why'>> {
  const events = await readHistory(run, job);
  if (question.about !== 'index') return why(events, question);
  const streams = new Map<string, JobEvent[]>();
  for (const { cluster, uid } of membersWithIndex(events, question.index))
    if (members.some((member) => member.cluster === cluster && member.uid === uid))
      streams.set(uid, await readStream(run, { cluster, uid }));
  return whyIndex(events, question.index, streams);
}

/** Applies a change to Jobs. The streams are read one at a time, so that only one stream is in memory. */
async function answerWhatIf(
  run: Run,
  { jobs, change }: FoldQuestion<'what-if'>,
): Promise<FoldAnswer<'what-if'>> {
  const answers: FoldAnswer<'what-if'> = [];
  for (const job of jobs) answers.push(whatIf(await readStream(run, job), change));
  return answers;
}
