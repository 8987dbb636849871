import { contains, parseIndexes } from '../../workflows/batch/completion-indexes.ts';
import type { Installation } from '../support/installation.ts';
import { uptime, type WitnessedRun } from '../support/placed-jobs.ts';
import type { Finding } from './findings.ts';
import type { RoundJob } from './jobs.ts';

export interface RunFigures {
  /** Containers that the witness saw. */
  runs: number;
  /** Pairs of runs of an index at once in two clusters, separately for Jobs that accept this and for other Jobs. */
  overlapsAccepted: number;
  overlaps: number;
  /** Indexes without a run that reached its end. */
  indexesLost: number;
  /** Runs that began after the success of their index was recorded, separately for Jobs that accept this and for other Jobs. */
  repeatsAccepted: number;
  repeats: number;
  /** Such runs in another cluster, whose member was created by a decision before the success was recorded. No controller can prevent them. */
  repeatsUnderWay: number;
}

interface Recorded {
  name: string;
  completed: string;
  /** Milliseconds since 1970. */
  at: string;
}

/** A cluster was given indexes of a Job. */
interface Given {
  name: string;
  cluster: string;
  /** Null: all. */
  indexes: string | null;
  /** The time when the decision was recorded, in milliseconds since 1970. */
  at: string;
}

/** Compares the reports of the containers themselves with the record. */
export async function checkRuns(
  { sql }: Pick<Installation, 'sql'>,
  jobs: readonly RoundJob[],
  witness: { runs(): WitnessedRun[]; overlaps(): string[] },
): Promise<{ findings: Finding[]; figures: RunFigures }> {
  const recorded = await sql<Recorded>(
    `select job_name as name, data->'object'->'status'->>'completedIndexes' as completed,
       (extract(epoch from min(time)) * 1000)::bigint as at
     from jobledger.events
     where type = 'job.observed' and data->>'cluster' = 'east' and data->'object'->'status' ? 'completedIndexes'
     group by 1, 2`,
  );
  const given = await sql<Given>(
    `select job_name as name, command->>'cluster' as cluster,
       coalesce(command->'indexes'->>'indexes', command->>'indexes') as indexes,
       (extract(epoch from time) * 1000)::bigint as at
     from jobledger.events, jsonb_array_elements(data->'commands') as command
     where type = 'placement.decided' and command->>'kind' in ('CreateMember', 'ChangeMember')
     order by time`,
  );
  const runs = witness.runs();
  const overlapping = witness.overlaps();
  const booted = Date.now() - uptime() * 1000;
  const findings: Finding[] = [];
  const figures: RunFigures = {
    runs: runs.length,
    overlapsAccepted: 0,
    overlaps: 0,
    indexesLost: 0,
    repeatsAccepted: 0,
    repeats: 0,
    repeatsUnderWay: 0,
  };
  for (const { name, policy, completions } of jobs) {
    const isAccepted = policy === 'MoveAfter';
    const overlaps = overlapping.filter((text) => text.startsWith(`${name}/`));
    figures[isAccepted ? 'overlapsAccepted' : 'overlaps'] += overlaps.length;
    if (!isAccepted) findings.push(...overlaps.map((text) => ({ guarantee: 'overlap' as const, text })));
    const known = recorded
      .filter((each) => each.name === name)
      .map(({ completed, at }) => ({ indexes: parseIndexes(completed, completions), at: Number(at) }));
    for (let index = 0; index < completions; index += 1) {
      const own = runs.filter(({ run }) => run === `${name}/${index}`);
      if (!own.some(({ isDone }) => isDone)) {
        figures.indexesLost += 1;
        findings.push({ guarantee: 'lost', text: `no run of ${name}/${index} has reached its end` });
      }
      const success = Math.min(
        ...known.filter(({ indexes }) => contains(indexes, index)).map(({ at }) => at),
      );
      const late = own.filter(({ from }) => booted + from * 1000 > success);
      const isUnderWay = ({ cluster, from }: WitnessedRun): boolean => {
        const last = given.findLast(
          (each) =>
            each.name === name &&
            each.cluster === cluster &&
            Number(each.at) < booted + from * 1000 &&
            (each.indexes === null || contains(parseIndexes(each.indexes, completions), index)),
        );
        const hasSucceededHere = own.some(
          (each) => each.cluster === cluster && each.isDone && each.until <= from,
        );
        return last !== undefined && Number(last.at) < success && !hasSucceededHere;
      };
      const again = late.filter((run) => !isUnderWay(run));
      figures.repeatsUnderWay += late.length - again.length;
      figures[isAccepted ? 'repeatsAccepted' : 'repeats'] += again.length;
      if (isAccepted) continue;
      for (const { cluster, from, until } of again)
        findings.push({
          guarantee: 'repeated',
          text: `${name}/${index} ran in ${cluster} from ${from} to ${until}, after its success was recorded at ${(success - booted) / 1000}`,
        });
    }
  }
  return { findings, figures };
}
