import { Button, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, requireBody } from '../../api/client.ts';
import type { ListedJob } from '../../api/rows.ts';
import { Name } from '../../components/name.tsx';

/** The buttons for requests about the chosen Jobs. */
export function BulkActions(props: {
  chosen: readonly ListedJob[];
  onClear: () => void;
}): ReactElement | null {
  const { chosen, onClear } = props;
  const [asked, setAsked] = useState<'suspend' | 'resume' | null>(null);
  const work = useMutation({
    mutationFn: (request: 'suspend' | 'resume') =>
      runInTurn(requestableJobs(chosen, request), ({ cluster, uid, name }) => {
        const params = { path: { job: name }, query: { cluster, uid } };
        return requireBody(
          request === 'suspend'
            ? api.POST('/v1/jobs/{job}/suspend', { params })
            : api.POST('/v1/jobs/{job}/resume', { params }),
        );
      }),
    onSuccess: (outcomes) => {
      if (outcomes.every(({ problem }) => problem === null)) onClear();
    },
  });
  if (chosen.length === 0) return null;
  const able = { suspend: requestableJobs(chosen, 'suspend'), resume: requestableJobs(chosen, 'resume') };
  const pods = able.suspend.reduce((sum, { active }) => sum + active, 0);
  return (
    <div className="bulk" role="region" aria-label="Chosen Jobs">
      <strong>{chosen.length} chosen</strong>
      <Button variant="default" disabled={able.suspend.length === 0} onClick={() => setAsked('suspend')}>
        Suspend {able.suspend.length > 0 && able.suspend.length}
      </Button>
      <Button variant="default" disabled={able.resume.length === 0} onClick={() => setAsked('resume')}>
        Resume {able.resume.length > 0 && able.resume.length}
      </Button>
      <button type="button" className="link" onClick={onClear}>
        choose none
      </button>
      {work.data !== undefined && <BulkProblems outcomes={work.data} />}
      <Modal
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title={
          asked === 'suspend' ? `Suspend ${able.suspend.length} Jobs?` : `Resume ${able.resume.length} Jobs?`
        }
      >
        <div className="dialog">
          <p>
            {asked === 'suspend'
              ? `${pods} ${pods === 1 ? 'pod stops' : 'pods stop'}. Work that the programs have not saved is lost.`
              : 'The pods of these Jobs start again.'}
          </p>
          <Button
            color={asked === 'suspend' ? 'red' : 'blue'}
            onClick={() => {
              if (asked !== null) work.mutate(asked);
              setAsked(null);
            }}
          >
            {asked === 'suspend' ? 'Suspend' : 'Resume'}
          </Button>
        </div>
      </Modal>
    </div>
  );
}

/** The list of Jobs whose request has failed, with the reasons. */
function BulkProblems({ outcomes }: { outcomes: readonly BulkOutcome[] }): ReactElement | null {
  const refused = outcomes.filter(({ problem }) => problem !== null);
  if (refused.length === 0) return null;
  return (
    <ul role="alert" className="failure">
      {refused.map(({ name, problem }) => (
        <li key={name}>
          <Name text={name} />: {problem}
        </li>
      ))}
    </ul>
  );
}

type Choosable = Pick<ListedJob, 'claimed' | 'suspend' | 'finished_at' | 'deleted_at'>;

/** The Jobs that a request would change: open Jobs of Jobledger that do not have the requested state already. */
function requestableJobs<T extends Choosable>(jobs: readonly T[], request: 'suspend' | 'resume'): T[] {
  return jobs.filter(
    ({ claimed, suspend, finished_at: finished, deleted_at: deleted }) =>
      claimed && finished === null && deleted === null && suspend === (request === 'resume'),
  );
}

interface BulkOutcome {
  name: string;
  /** The value is null when the request succeeded. */
  problem: string | null;
}

/** Sends a request about each Job, one after the other, so that many requests do not overload the API. */
async function runInTurn<T extends { name: string }>(
  jobs: readonly T[],
  work: (job: T) => Promise<unknown>,
): Promise<BulkOutcome[]> {
  const outcomes: BulkOutcome[] = [];
  for (const job of jobs)
    try {
      await work(job);
      outcomes.push({ name: job.name, problem: null });
    } catch (error) {
      outcomes.push({ name: job.name, problem: error instanceof Error ? error.message : String(error) });
    }
  return outcomes;
}
