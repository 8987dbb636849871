import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import type { ChangeAddress } from '../address/use-page-address.ts';
import { api, requireBody } from '../api/client.ts';
import { ApiError } from '../api/problem.ts';
import type { SubmittedJob, SubmittedManifest } from '../api/rows.ts';
import { useClusters } from '../api/use-clusters.ts';
import { Failure } from '../components/failure.tsx';
import { Name } from '../components/name.tsx';
import { Picker } from '../components/picker.tsx';
import { useTitle } from '../components/use-title.ts';
import { CreatedJobLink } from '../components/created-job-link.tsx';
import { Editor } from './editor.tsx';
import { findProblems, readManifest, type ManifestFinding } from './manifest.ts';

const EXAMPLE = `apiVersion: batch/v1
kind: Job
metadata:
  generateName: example-
  namespace: default
spec:
  backoffLimit: 3
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: busybox
          command: ["true"]
`;

/** The view that checks a manifest in the cluster or creates its Job. */
export function SubmitPage(props: { cluster: string | undefined; change: ChangeAddress }): ReactElement {
  const { change } = props;
  useTitle('Submit a Job');
  const clusters = useClusters();
  const cluster = props.cluster ?? clusters[0] ?? '';
  const [text, setText] = useState(EXAMPLE);
  const [findings, setFindings] = useState<readonly ManifestFinding[]>([]);
  const submit = useMutation({
    mutationFn: ({ manifest, dryRun }: { manifest: SubmittedManifest; dryRun: boolean }) =>
      requireBody(
        api.POST('/v1/clusters/{cluster}/jobs', {
          params: { path: { cluster }, query: { dry_run: dryRun ? 'true' : 'false' } },
          body: manifest,
        }),
      ),
    onError: (error) => setFindings(error instanceof ApiError ? findProblems(text, error.message) : []),
  });
  // Sends the manifest to the API; a dry run only validates it.
  const send = (dryRun: boolean): void => {
    const { object, findings: wrong } = readManifest(text);
    setFindings(wrong);
    submit.reset();
    // The API itself validates the manifest.
    if (object !== null) submit.mutate({ manifest: object as SubmittedManifest, dryRun });
  };
  return (
    <main className="view submit">
      <div className="heading">
        <h1>Submit a Job</h1>
        <Picker
          label="Cluster"
          value={cluster}
          options={clusters}
          onChange={(chosen) =>
            change({ view: 'submit', ...(chosen !== null && { cluster: chosen }) }, 'replace')
          }
        />
      </div>
      <Editor
        label="Manifest"
        initial={EXAMPLE}
        findings={findings}
        onChange={(next) => {
          setText(next);
          setFindings([]);
        }}
      />
      <div className="buttons">
        <Button variant="default" disabled={submit.isPending} onClick={() => send(true)}>
          Check
        </Button>
        <Button disabled={submit.isPending} onClick={() => send(false)}>
          Submit
        </Button>
      </div>
      {submit.error !== null && <Failure error={submit.error} />}
      {submit.error === null &&
        findings.map((finding) => <ManifestProblem key={finding.from} finding={finding} text={text} />)}
      {submit.data !== undefined && <SubmittedJobNote job={submit.data} change={change} />}
    </main>
  );
}

/** A finding with the line that it is about. */
function ManifestProblem({ finding, text }: { finding: ManifestFinding; text: string }): ReactElement {
  const line = text.slice(0, finding.from).split('\n').length;
  return (
    <p role="alert" className="failure">
      line {line}: <Name text={finding.message} />
    </p>
  );
}

/** A note about a created or validated Job. */
function SubmittedJobNote({ job, change }: { job: SubmittedJob; change: ChangeAddress }): ReactElement {
  if (job.dry_run) return <p role="status">The cluster would create this Job.</p>;
  return <CreatedJobLink job={job} change={change} />;
}
