import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState, type ReactElement } from 'react';
import { COLUMNS, type FleetColumn } from '../../address/page-address.ts';
import type { ChangeAddress } from '../../address/use-page-address.ts';
import type { ListedJob } from '../../api/rows.ts';
import { isTyping } from '../../components/typing.ts';
import { COLUMN_TITLES } from './columns.ts';
import { JobRow, type Selection } from './job-row.tsx';
import { jobKey } from './job-rows.ts';

/** The height of a row in pixels, as in the style sheet. */
const ROW_HEIGHT = 56;

/** A table of any number of Jobs, which renders only the visible rows. The table calls `onEnd` when the last rows become visible. */
export function JobTable(props: {
  jobs: readonly ListedJob[];
  columns: readonly FleetColumn[];
  /** The value is null when the user may not change Jobs. */
  selection: Selection | null;
  change: ChangeAddress;
  onEnd: () => void;
}): ReactElement {
  const { jobs, columns, selection, change, onEnd } = props;
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  // The table's position is measured again, because the part above it can change its height.
  useLayoutEffect(() => {
    // Measures the position of the table on the page.
    const measure = (): void =>
      setTop(Math.round((body.current?.getBoundingClientRect().top ?? 0) + scrollY));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  const rows = useWindowVirtualizer({
    count: jobs.length,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => keyAt(jobs, index),
    scrollMargin: top,
    overscan: 10,
  });
  const visible = rows.getVirtualItems();
  const last = visible.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= jobs.length - 1) onEnd();
  });
  useRowKeys(body);
  return (
    <div role="table" aria-label="Jobs" aria-rowcount={jobs.length + 1} className="jobs">
      <div role="rowgroup" className="jobs-head">
        <div role="row" className="job-row" aria-rowindex={1}>
          {selection !== null && (
            <span role="columnheader" className="col-choice">
              <span className="unseen">Chosen</span>
            </span>
          )}
          <span role="columnheader" className="col-status">
            Status
          </span>
          <span role="columnheader" className="col-name">
            Job
          </span>
          {COLUMNS.filter((column) => columns.includes(column)).map((column) => (
            <span role="columnheader" key={column} className={`col-${column}`}>
              {COLUMN_TITLES[column]}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" className="jobs-body" ref={body} style={{ height: rows.getTotalSize() }}>
        {visible.map(({ index, key, start }) => {
          const job = jobs[index];
          return (
            job !== undefined && (
              <JobRow
                key={key}
                job={job}
                index={index}
                start={start - top}
                columns={columns}
                selection={selection}
                change={change}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

/** The key of the Job in a row; empty for a row that is not loaded. */
function keyAt(jobs: readonly ListedJob[], index: number): string {
  const job = jobs[index];
  return job === undefined ? String(index) : jobKey(job);
}

/** Moves the selection from Job to Job with the keys j and k. */
function useRowKeys(body: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    // Moves the focus to the next row at the key j, and to the previous row at the key k.
    const onKey = (event: KeyboardEvent): void => {
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      const links = [...(body.current?.querySelectorAll<HTMLElement>('a.job-link') ?? [])].toSorted(
        (a, b) => rowIndex(a) - rowIndex(b),
      );
      const present = links.findIndex((link) => link === document.activeElement);
      links[present < 0 ? 0 : present + step]?.focus();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [body]);
}

/** The index of the row of a link. */
function rowIndex(link: HTMLElement): number {
  return Number(link.closest('[aria-rowindex]')?.getAttribute('aria-rowindex'));
}
