import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { WhatIfAddress } from '../address/page-address.ts';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import { api, requireBody } from '../api/client.ts';
import type { WhatIfOfJob } from '../api/rows.ts';
import { FilterChips } from '../fleet/filters/filter-chips.tsx';
import { fleetQuery } from '../api/fleet-query.ts';
import { Failure } from '../components/failure.tsx';
import { Instant } from '../components/instant.tsx';
import { Name } from '../components/name.tsx';
import { ScrollBox } from '../components/scrolled.tsx';
import { TableHead } from '../components/table-head.tsx';
import { useTitle } from '../components/use-title.ts';
import { earlierText, possiblyChangedJobs, sumTotals } from './compared-jobs.ts';
import { PolicyForm } from './policy-form.tsx';

/** The number of Jobs in a request; the API returns fewer Jobs if they have many events. */
const PAGE_SIZE = 200;

/** Shows the Jobs that would have ended differently with other values in their specs. */
export function WhatIfPage({
  address,
  change,
}: {
  address: WhatIfAddress;
  change: ChangeAddress;
}): ReactElement {
  const { filters, set } = address;
  const { data, error, isFetching, hasNextPage, fetchNextPage } = useWhatIfs(address);
  useTitle('What if');
  const compared = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <main className="view what-if-page">
      <div className="heading">
        <h1>What if these Jobs had another policy?</h1>
      </div>
      <section className="panel" aria-label="Which Jobs">
        <h2>Which Jobs</h2>
        <FilterChips
          filters={filters}
          jobs={[]}
          onFilters={(next) => change({ view: 'what-if', filters: next, set }, 'replace')}
        />
      </section>
      <section className="panel" aria-label="Another policy">
        <h2>Another policy</h2>
        {/* The address may change without the form: the browser's Back. */}
        <PolicyForm
          key={set.join('\n')}
          set={set}
          onSet={(next) => change({ view: 'what-if', filters, set: next })}
        />
      </section>
      {error !== null && <Failure error={error} />}
      {set.length > 0 && (
        <section className="panel" aria-label="Result">
          <p role="status">
            {isFetching ? 'comparing; ' : ''}
            <WhatIfTotals compared={compared} />
          </p>
          {hasNextPage && (
            <Button variant="default" disabled={isFetching} onClick={() => void fetchNextPage()}>
              Compare older Jobs
            </Button>
          )}
          <ComparedJobTable compared={compared} set={set} change={change} />
        </section>
      )}
    </main>
  );
}

/** The results of the what-if for the Jobs of the filters, page by page. */
function useWhatIfs({ filters, set }: WhatIfAddress) {
  return useInfiniteQuery({
    queryKey: ['what-ifs', filters, set],
    enabled: set.length > 0,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = { ...fleetQuery(filters), set: [...set], limit: PAGE_SIZE };
      const params = { query: { ...query, ...(cursor !== undefined && { cursor }) } };
      return requireBody(api.GET('/v1/what-if', { params, signal }));
    },
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

/** The numbers of results, and the saved pod-hours. */
function WhatIfTotals({ compared }: { compared: readonly WhatIfOfJob[] }): ReactElement {
  const { same, different, unknown, refused, savedHours } = sumTotals(compared);
  return (
    <>
      {compared.length} Jobs compared: {same} the same, {different} different, {unknown} unknown, {refused}{' '}
      without result; {savedHours.toFixed(2)} pod hours saved
    </>
  );
}

/** The Jobs whose end the policy would or might have changed. */
function ComparedJobTable(props: {
  compared: readonly WhatIfOfJob[];
  set: readonly string[];
  change: ChangeAddress;
}): ReactElement | null {
  const { compared, set, change } = props;
  const shown = possiblyChangedJobs(compared);
  if (shown.length === 0) return null;
  return (
    <ScrollBox label="Table of compared Jobs">
      <table className="table compared">
        <TableHead
          columns={[
            'Job',
            'result',
            'what happened',
            'what would have happened',
            'earlier by',
            'pod hours saved',
          ]}
        />
        <tbody>
          {shown.map((job) => {
            const { cluster, namespace, name, uid, what_if: whatIf, refused } = job;
            const link = linkTo({ view: 'job', job: { cluster, namespace, name, uid, set } }, change);
            return (
              <tr key={`${cluster}/${uid}`}>
                <th scope="row">
                  <a {...link}>
                    <Name text={`${cluster}/${namespace}/${name}`} />
                  </a>
                </th>
                {whatIf === null ? (
                  <td colSpan={5}>
                    no result: <Name text={refused ?? ''} />
                  </td>
                ) : (
                  <>
                    <td>{whatIf.comparison}</td>
                    <td>
                      <ComparedEnd end={whatIf.actual} />
                    </td>
                    <td>
                      {whatIf.comparison === 'unknown' ? (
                        'unknown'
                      ) : (
                        <ComparedEnd end={whatIf.counterfactual} />
                      )}
                    </td>
                    <td>{earlierText(whatIf)}</td>
                    <td>{whatIf.pod_hours.saved?.toFixed(4) ?? 'unknown'}</td>
                  </>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** The end of a Job as text; `not ended` without an end. */
function ComparedEnd({ end }: { end: NonNullable<WhatIfOfJob['what_if']>['actual'] }): ReactElement {
  if (end === null) return <>not ended</>;
  return (
    <>
      {end.type} <Name text={end.reason} /> <Instant at={end.at} isShort />
    </>
  );
}
