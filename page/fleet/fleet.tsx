import { Button, Skeleton } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { COLUMNS, NEWEST_FIRST, type FleetAddress, type FleetFilters } from '../address/page-address.ts';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import { useCaller } from '../api/use-caller.ts';
import { addressScope } from '../address/scope.ts';
import { EmptyNote } from '../components/empty.tsx';
import { Failure } from '../components/failure.tsx';
import { useTitle } from '../components/use-title.ts';
import { BulkActions } from './jobs/bulk-actions.tsx';
import { Counts } from './counts.tsx';
import { FilterChips } from './filters/filter-chips.tsx';
import { Groups } from './groups/groups.tsx';
import { Histogram } from './histogram/histogram.tsx';
import { jobKey } from './jobs/job-rows.ts';
import { JobTable } from './jobs/job-table.tsx';
import { Toolbar } from './toolbar.tsx';
import { useJobs } from './jobs/use-jobs.ts';
import { ViewMenu } from './view-menu.tsx';

/** The view of the Jobs of all clusters. */
export function Fleet({ address, change }: { address: FleetAddress; change: ChangeAddress }): ReactElement {
  const { filters, length, group, sort = NEWEST_FIRST, columns = COLUMNS } = address;
  const { jobs, query } = useJobs(filters, sort);
  const { isPending, hasNextPage, isFetching, error } = query;
  const scopes = useCaller().data?.scopes ?? [];
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  useTitle('Jobs');
  // Changes parts of the fleet's address.
  const show = (next: Partial<FleetAddress>, how: 'push' | 'replace' = 'replace'): void =>
    change({ view: 'fleet', ...address, ...next }, how);
  // Changes the filters, with an entry in the browser's history.
  const showFilters = (next: FleetFilters): void => show({ filters: next }, 'push');
  const scope = addressScope({ view: 'fleet', filters });
  const isFiltered = Object.keys(filters).length > Object.keys(scope).length;
  return (
    <main className="view fleet">
      <div className="heading">
        <h1>Jobs</h1>
        <p className="muted" role="status">
          {isPending
            ? 'loading'
            : `${jobs.length.toLocaleString('en')}${hasNextPage ? ' loaded; scroll for more' : ' shown'}`}
          {filters.deleted === undefined && ', deleted ones included'}
        </p>
        <div className="actions">
          <a className="quiet-link" {...linkTo({ view: 'what-if', filters, set: [] }, change)}>
            What if these Jobs had another policy?
          </a>
          <ViewMenu address={{ view: 'fleet', ...address }} change={change} />
          {scopes.includes('submit') && (
            <Button
              component="a"
              {...linkTo(
                { view: 'submit', ...(filters.cluster !== undefined && { cluster: filters.cluster }) },
                change,
              )}
            >
              Submit a Job
            </Button>
          )}
        </div>
      </div>
      <Counts
        filters={filters}
        // The page reads the rows before the counts, because the API finds rows much faster than it counts many Jobs.
        isWanted={!isPending}
        onStatus={(status) => {
          const { status: _, ...rest } = filters;
          showFilters(status.length === 0 ? rest : { ...rest, status });
        }}
      />
      <Histogram
        filters={filters}
        length={length ?? 'week'}
        onLength={(next) => show({ length: next })}
        isWanted={!isPending}
        onPeriod={(period) => {
          const { from: _from, before: _before, ...rest } = filters;
          showFilters(period === null ? rest : { ...rest, from: period.from, before: period.to });
        }}
      />
      <section className="panel list" aria-label="List of Jobs">
        <div className="list-tools">
          <FilterChips filters={filters} jobs={jobs} onFilters={showFilters} />
          <Toolbar address={address} onChange={(next) => change({ view: 'fleet', ...next }, 'replace')} />
        </div>
        {group !== undefined && <Groups filters={filters} by={group} onFilters={showFilters} />}
        <BulkActions
          chosen={jobs.filter((job) => chosen.has(jobKey(job)))}
          onClear={() => setChosen(new Set())}
        />
        {error !== null && <Failure error={error} />}
        {isPending && <TableSkeleton />}
        {!isPending && error === null && jobs.length === 0 && (
          <EmptyNote message={isFiltered ? 'No Job matches.' : 'No Job was seen in this scope yet.'}>
            {isFiltered && (
              <Button variant="default" onClick={() => showFilters(scope)}>
                Remove the filters
              </Button>
            )}
          </EmptyNote>
        )}
        {jobs.length > 0 && (
          <JobTable
            jobs={jobs}
            columns={columns}
            selection={
              scopes.includes('operate')
                ? { keys: chosen, toggle: (key) => setChosen(withToggled(chosen, key)) }
                : null
            }
            change={change}
            onEnd={() => {
              if (hasNextPage && !isFetching) void query.fetchNextPage();
            }}
          />
        )}
      </section>
    </main>
  );
}

/** The set with the key if it lacked the key, otherwise without it. */
function withToggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** The placeholder of the table while the page reads the first rows. */
function TableSkeleton(): ReactElement {
  return (
    <div className="table-skeleton" aria-hidden="true">
      {Array.from({ length: 8 }, (_, row) => (
        <div key={row} className="job-row">
          <Skeleton height={20} width={90} radius="xl" />
          <Skeleton height={14} width="22%" />
          <Skeleton height={8} width="14%" />
          <Skeleton height={14} width="34%" />
          <Skeleton height={14} width="10%" />
        </div>
      ))}
    </div>
  );
}
