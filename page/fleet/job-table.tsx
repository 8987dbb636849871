import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactElement } from 'react';
import type { Sort } from '../address/page-address.ts';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import type { ListedJob } from '../api/rows.ts';
import { Instant } from '../words/instant.tsx';
import { Name } from '../words/name.tsx';
import { StatusWord } from '../words/status-word.tsx';
import { jobKey } from './job-rows.ts';

/** Pixels; the style sheet has the same height. */
const ROW_HEIGHT = 32;

/** The titles of the columns and, for sortable ones, the order. */
const COLUMNS: readonly (readonly [title: string, sort?: Sort, reverse?: Sort])[] = [
  ['Cluster'],
  ['Namespace'],
  ['Name', 'name', '-name'],
  ['Status'],
  ['Succeeded'],
  ['Failed'],
  ['Active'],
  ['Created', '-created', 'created'],
  ['Ended', '-finished', 'finished'],
  ['Waiting'],
];

/** A table of any number of Jobs: only visible rows exist. `onEnd` is called when the last ones become visible. */
export function JobTable(props: {
  jobs: readonly ListedJob[];
  sort: Sort;
  onSort: (sort: Sort) => void;
  change: ChangeAddress;
  onEnd: () => void;
}): ReactElement {
  const { jobs, sort, onSort, change, onEnd } = props;
  const scrolled = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: jobs.length,
    getScrollElement: () => scrolled.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => keyAt(jobs, index),
    overscan: 12,
  });
  const visible = rows.getVirtualItems();
  const last = visible.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= jobs.length - 1) onEnd();
  });
  return (
    // Focusable, so that it can be scrolled by keyboard.
    <div className="job-table" ref={scrolled} tabIndex={0} role="region" aria-label="Table of Jobs">
      <div role="table" aria-label="Jobs" aria-rowcount={jobs.length + 1}>
        <div role="rowgroup" className="head">
          <div role="row" className="row" aria-rowindex={1}>
            {COLUMNS.map(([title, by, reverse]) =>
              by === undefined || reverse === undefined ? (
                <span role="columnheader" key={title}>
                  {title}
                </span>
              ) : (
                <span role="columnheader" key={title} aria-sort={directionOf(sort, [by, reverse])}>
                  <button type="button" onClick={() => onSort(sort === by ? reverse : by)}>
                    {title}
                    {SIGNS[directionOf(sort, [by, reverse])]}
                  </button>
                </span>
              ),
            )}
          </div>
        </div>
        <div role="rowgroup" className="body" style={{ height: rows.getTotalSize() }}>
          {visible.map(({ index, key, start }) => {
            const job = jobs[index];
            return (
              job !== undefined && <Row key={key} job={job} index={index} start={start} change={change} />
            );
          })}
        </div>
      </div>
    </div>
  );
}

const SIGNS = { none: '', ascending: ' ↑', descending: ' ↓' } as const;

/** The direction of a column in the present order. */
function directionOf(sort: Sort, ofColumn: readonly Sort[]): keyof typeof SIGNS {
  if (!ofColumn.includes(sort)) return 'none';
  return sort.startsWith('-') ? 'descending' : 'ascending';
}

function keyAt(jobs: readonly ListedJob[], index: number): string {
  const job = jobs[index];
  return job === undefined ? String(index) : jobKey(job);
}

function Row(props: { job: ListedJob; index: number; start: number; change: ChangeAddress }): ReactElement {
  const { job, index, start, change } = props;
  const { cluster, namespace, name, uid } = job;
  const link = linkTo({ view: 'job', job: { cluster, namespace, name, uid } }, change);
  return (
    <div
      role="row"
      className="row"
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${start}px)`, position: 'absolute' }}
    >
      <span role="cell">
        <Name text={cluster} />
      </span>
      <span role="cell">
        <Name text={namespace} />
      </span>
      <span role="cell">
        <a {...link}>
          <Name text={name} />
        </a>
      </span>
      <span role="cell">
        <StatusWord word={job.status} />
      </span>
      <span role="cell">
        {job.succeeded}
        {job.completions !== null && `/${job.completions}`}
      </span>
      <span role="cell">{job.failed}</span>
      <span role="cell">{job.active}</span>
      <span role="cell">
        <Instant at={job.created_at} />
      </span>
      <span role="cell">
        <Instant at={job.finished_at} />
      </span>
      <span role="cell">
        <Name text={job.waiting_words ?? ''} />
      </span>
    </div>
  );
}
