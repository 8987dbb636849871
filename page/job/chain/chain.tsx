import { useMemo, type ReactElement } from 'react';
import { linkTo, type ChangeAddress } from '../../address/use-page-address.ts';
import type { PageAddress } from '../../address/page-address.ts';
import type { JobChain, JobDetails } from '../../api/rows.ts';
import { Name } from '../../components/name.tsx';
import { StatusWord } from '../../components/status-word.tsx';
import { chainGraph, linkText } from './chain-graph.ts';
import { LayeredPicture } from '../../components/layered-picture.tsx';

/** The Jobs of a chain in their order, as a picture and as a list. A click on a Job opens its page. */
export function Chain(props: { job: JobDetails; chain: JobChain; change: ChangeAddress }): ReactElement {
  const { job, chain, change } = props;
  const { nodes, edges } = useMemo(() => chainGraph(chain, job.uid, Date.now()), [chain, job.uid]);
  // The address of the chain on the page of a Job.
  const chainAddress = (name: string, uid: string): PageAddress => ({
    view: 'job',
    job: { cluster: job.cluster, namespace: job.namespace, name, uid, tab: 'chain' },
  });
  const inOrder = nodes.toSorted((a, b) => a.column - b.column || a.row - b.row);
  const byUid = new Map(chain.jobs.map((each) => [each.uid, each]));
  return (
    <section aria-labelledby="chain">
      <h2 id="chain" className="unseen">
        Chain
      </h2>
      <div className="panel">
        <p className="muted small">As it is now, left to right: each Job starts after those before it.</p>
        <LayeredPicture
          label="Jobs from left to right; each Job waits for the Jobs on its left"
          nodes={nodes}
          edges={edges}
          chosen={job.uid}
          onChosen={(id) => {
            const other = byUid.get(id);
            if (other !== undefined && id !== job.uid) change(chainAddress(other.name, id));
          }}
          begins="left"
        />
        {!chain.complete && <p role="note">The chain has more Jobs than are shown.</p>}
      </div>
      <ul className="panel chain-list" aria-label="Jobs of the chain">
        {inOrder.map(({ id, title, more }) => {
          const known = byUid.get(id);
          return (
            <li key={id}>
              {known === undefined ? (
                <>
                  <Name text={title} /> <span className="muted small">{more}</span>
                </>
              ) : (
                <a {...linkTo(chainAddress(title, id), change)}>
                  <Name text={title} />
                </a>
              )}{' '}
              {known !== undefined && <StatusWord word={known.status} />}
              {id === job.uid && <span className="muted small"> this Job</span>}
              <ul className="muted">
                {chain.links
                  .filter((link) => link.waiting_uid === id)
                  .map((link) => (
                    <li key={link.awaited}>
                      <Name text={linkText(link)} />
                    </li>
                  ))}
              </ul>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
