import type { ReactElement } from 'react';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import type { SubmittedJob } from '../api/rows.ts';
import { Name } from './name.tsx';

/** A message with a link to the created Job. */
export function CreatedJobLink(props: { job: SubmittedJob; change: ChangeAddress }): ReactElement {
  const { cluster, namespace, name, uid } = props.job;
  return (
    <p role="status">
      created{' '}
      <a {...linkTo({ view: 'job', job: { cluster, namespace, name, uid } }, props.change)}>
        <Name text={`${cluster}/${namespace}/${name}`} />
      </a>
    </p>
  );
}
