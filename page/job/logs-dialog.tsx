import { Modal } from '@mantine/core';
import { useMemo, type ReactElement } from 'react';
import type { JobDetails } from '../api/rows.ts';
import { CopyableText } from '../words/copied.tsx';
import { EmptyNote } from '../words/empty.tsx';
import { Name } from '../words/name.tsx';
import type { LifePod } from './job-life.ts';
import { kubectlLogs, logLink, podsWithLogs } from './logs.ts';
import { useLogUrl } from './use-log-url.ts';

/**
 * The place of each pod's log: the line for kubectl and, where a template is configured, a link. No log passes
 * through this page.
 */
export function LogsDialog(props: {
  job: JobDetails;
  pods: readonly LifePod[];
  opened: boolean;
  onClose: () => void;
}): ReactElement {
  const { job, pods, opened, onClose } = props;
  const template = useLogUrl(opened);
  // Sorting all pods for every redrawing of the page would be slow.
  const shown = useMemo(() => (opened ? podsWithLogs(pods) : []), [opened, pods]);
  return (
    <Modal opened={opened} onClose={onClose} title="Logs" size="lg">
      <div className="dialog logs">
        <p className="muted">
          Failed pods first. kubectl reads a log while the pod exists
          {template === null ? '' : '; the link leads to where logs are kept'}.
        </p>
        {shown.length === 0 && <EmptyNote message="This Job has had no pod yet." />}
        <ul>
          {shown.map((pod) => {
            const link = template === null ? null : logLink(template, job, pod);
            return (
              <li key={pod.uid}>
                <span className="log-of">
                  <Name text={pod.name} />
                  <span className="muted small">{pod.end_message ?? pod.phase ?? ''}</span>
                  {link !== null && (
                    <a href={link} target="_blank" rel="noreferrer">
                      Open its log ↗
                    </a>
                  )}
                </span>
                <CopyableText text={kubectlLogs(job, pod)} />
              </li>
            );
          })}
        </ul>
      </div>
    </Modal>
  );
}
