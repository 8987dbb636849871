import { Modal } from '@mantine/core';
import { useMemo, type ReactElement } from 'react';
import type { JobDetails } from '../../api/rows.ts';
import { CopyableText } from '../../components/copied.tsx';
import { EmptyNote } from '../../components/empty.tsx';
import { Name } from '../../components/name.tsx';
import type { LifePod } from '../life/job-life.ts';
import { kubectlLogs, logLink, podsWithLogs } from './logs.ts';
import { useQuery } from '@tanstack/react-query';
import { API, authorizedFetch } from '../../api/client.ts';

/**
 * Shows where each pod's log is: a command line for kubectl and, if a template is configured, a link. The page itself reads no log.
 */
export function LogsDialog(props: {
  job: JobDetails;
  pods: readonly LifePod[];
  opened: boolean;
  onClose: () => void;
}): ReactElement {
  const { job, pods, opened, onClose } = props;
  const template = useLogUrl(opened);
  // The pods are sorted once, because a sort at each redraw of the page would be slow.
  const shown = useMemo(() => (opened ? podsWithLogs(pods) : []), [opened, pods]);
  return (
    <Modal opened={opened} onClose={onClose} title="Logs" size="lg">
      <div className="dialog logs">
        <p className="muted">
          Failed pods come first. kubectl reads a log as long as the pod exists
          {template === null ? '' : '; the link opens the log store'}.
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

/** The template of links to logs in the API's configuration; null if none is configured. */
function useLogUrl(enabled: boolean): string | null {
  const { data = null } = useQuery({
    queryKey: ['log-url'],
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const response = await authorizedFetch(`${API}/ui/logs`, { signal });
      return response.ok ? ((await response.json()) as { url: string | null }).url : null;
    },
  });
  return data;
}
