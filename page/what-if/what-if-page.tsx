import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { WhatIfAddress } from '../address/page-address.ts';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import { WayBack } from '../address/way-back.tsx';
import { api, bodyOf } from '../api/client.ts';
import type { WhatIfOfJob } from '../api/rows.ts';
import { Filters } from '../fleet/filters.tsx';
import { queryOf } from '../fleet/fleet-query.ts';
import { Failure } from '../words/failure.tsx';
import { Instant } from '../words/instant.tsx';
import { Name } from '../words/name.tsx';
import { earlierBy, shownOf, totalsOf } from './compared-jobs.ts';
import { PolicyForm } from './policy-form.tsx';

/** Jobs of one request; the API returns fewer when they have many events. */
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
  const compared = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <main>
      <WayBack filters={filters} change={change} />
      <h1>What if these Jobs had another policy?</h1>
      <Filters
        filters={filters}
        onChange={(next) => change({ view: 'what-if', filters: next, set }, 'replace')}
      />
      {/* The address may change without the form: the browser's Back. */}
      <PolicyForm
        key={set.join('\n')}
        set={set}
        onSet={(next) => change({ view: 'what-if', filters, set: next })}
      />
      {error !== null && <Failure error={error} />}
      {set.length > 0 && (
        <>
          <p role="status">
            {isFetching ? 'comparing; ' : ''}
            <Totals compared={compared} />
          </p>
          {hasNextPage && (
            <button type="button" disabled={isFetching} onClick={() => void fetchNextPage()}>
              Compare older Jobs
            </button>
          )}
          <Table compared={compared} set={set} change={change} />
        </>
      )}
    </main>
  );
}

function useWhatIfs({ filters, set }: WhatIfAddress) {
  return useInfiniteQuery({
    queryKey: ['what-ifs', filters, set],
    enabled: set.length > 0,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = { ...queryOf(filters), set: [...set], limit: PAGE_SIZE };
      const params = { query: { ...query, ...(cursor !== undefined && { cursor }) } };
      return bodyOf(api.GET('/v1/what-if', { params, signal }));
    },
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

function Totals({ compared }: { compared: readonly WhatIfOfJob[] }): ReactElement {
  const { same, different, unknown, refused, savedHours } = totalsOf(compared);
  return (
    <>
      {compared.length} Jobs compared: {same} the same, {different} different, {unknown} unknown, {refused}{' '}
      without result; {savedHours.toFixed(2)} pod hours saved
    </>
  );
}

/** The Jobs whose end the policy would or might have changed. */
function Table(props: {
  compared: readonly WhatIfOfJob[];
  set: readonly string[];
  change: ChangeAddress;
}): ReactElement | null {
  const { compared, set, change } = props;
  const shown = shownOf(compared);
  if (shown.length === 0) return null;
  return (
    <table className="compared">
      <thead>
        <tr>
          <th scope="col">Job</th>
          <th scope="col">result</th>
          <th scope="col">what happened</th>
          <th scope="col">what would have happened</th>
          <th scope="col">earlier by</th>
          <th scope="col">pod hours saved</th>
        </tr>
      </thead>
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
                    <End end={whatIf.actual} />
                  </td>
                  <td>{whatIf.comparison === 'unknown' ? 'unknown' : <End end={whatIf.counterfactual} />}</td>
                  <td>{earlierBy(whatIf)}</td>
                  <td>{whatIf.pod_hours.saved?.toFixed(4) ?? 'unknown'}</td>
                </>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function End({ end }: { end: NonNullable<WhatIfOfJob['what_if']>['actual'] }): ReactElement {
  if (end === null) return <>not ended</>;
  return (
    <>
      {end.type} <Name text={end.reason} /> <Instant at={end.at} />
    </>
  );
}
