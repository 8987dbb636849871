import { Button, Menu } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { JobDetails } from '../../api/rows.ts';
import { TimeAgo } from '../../components/ago.tsx';
import { Name } from '../../components/name.tsx';
import { useRuns } from '../life/use-job.ts';

/** The picker of another run of the same owner, for a comparison. */
export function CompareMenu({ job, onRun }: { job: JobDetails; onRun: (uid: string) => void }): ReactElement {
  const [isOpened, setOpened] = useState(false);
  const { data: runs } = useRuns(job, isOpened);
  return (
    <Menu position="bottom-end" width={340} onOpen={() => setOpened(true)}>
      <Menu.Target>
        <Button variant="default">Compare</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          Other runs of {job.owner_kind} <Name text={job.owner_name ?? ''} />
        </Menu.Label>
        {runs?.length === 0 && <Menu.Item disabled>There is no other run.</Menu.Item>}
        {(runs ?? []).map((run) => (
          <Menu.Item key={run.uid} onClick={() => onRun(run.uid)}>
            <Name text={run.name} />{' '}
            <span className="muted small">
              {run.status}, <TimeAgo at={run.created_at} />
            </span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
