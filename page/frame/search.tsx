import { Autocomplete } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { Scope } from '../address/page-address.ts';
import type { ChangeAddress } from '../address/use-page-address.ts';
import { api, requireBody } from '../api/client.ts';
import { jobByUid } from '../api/job-by-uid.ts';
import type { ListedJob } from '../api/rows.ts';
import { Name } from '../components/name.tsx';
import { StatusWord } from '../components/status-word.tsx';
import { isUid, searchedFilters } from './searched.ts';
import { isTyping } from '../components/typing.ts';

/** The time without a key press before the search begins, in milliseconds. */
const TYPING_MS = 200;
const MOST = 8;

/** The field that finds Jobs by a part of their name, by a label (`team=maths`) or by uid. The slash key moves the focus to this field. */
export function Search(props: { scope: Scope; change: ChangeAddress }): ReactElement {
  const { scope, change } = props;
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const found = useFoundJobs(usePausedText(text.trim()), scope);
  useEffect(() => {
    // Moves the focus to the field at the slash key, unless the user is typing elsewhere.
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      field.current?.focus();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  // Empties the field, and removes the focus.
  const leave = (): void => {
    setText('');
    field.current?.blur();
  };
  // Opens the page of a found Job.
  const open = ({
    cluster,
    namespace,
    name,
    uid,
  }: Pick<ListedJob, 'cluster' | 'namespace' | 'name' | 'uid'>): void => {
    change({ view: 'job', job: { cluster, namespace, name, uid } });
    leave();
  };
  const byKey = new Map(found.map((job) => [`${job.cluster}/${job.uid}`, job]));
  return (
    <form
      role="search"
      className="search"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = text.trim();
        const exact = found.find(({ uid }) => uid === wanted);
        if (exact !== undefined) return open(exact);
        change({ view: 'fleet', filters: { ...scope, ...searchedFilters(wanted) } });
        leave();
      }}
    >
      <Autocomplete
        ref={field}
        aria-label="Search for a Job"
        placeholder="Search by name, label or uid"
        maxLength={253}
        value={text}
        onChange={setText}
        data={[...byKey.keys()]}
        filter={({ options }) => options}
        limit={MOST}
        rightSection={<kbd className="key">/</kbd>}
        rightSectionPointerEvents="none"
        comboboxProps={{ transitionProps: { duration: 0 } }}
        onOptionSubmit={(key) => {
          const job = byKey.get(key);
          if (job !== undefined) open(job);
        }}
        renderOption={({ option }) => {
          const job = byKey.get(option.value);
          return job === undefined ? null : (
            <span className="found">
              <StatusWord word={job.status} />
              <span>
                <Name text={job.name} />
                <span className="muted small">
                  {' '}
                  {job.namespace} · {job.cluster}
                </span>
              </span>
            </span>
          );
        }}
      />
    </form>
  );
}

/** The text after a pause in typing. */
function usePausedText(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return text === '' ? '' : paused;
}

/** The Jobs that match a text; empty for an empty text. */
function useFoundJobs(text: string, scope: Scope): readonly ListedJob[] {
  const { data: jobs = [] } = useQuery({
    queryKey: ['found', text, scope],
    enabled: text !== '',
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      if (!isUid(text)) return findByName(text, scope, signal);
      const job = await jobByUid(text, signal);
      return job === null ? [] : [job];
    },
  });
  return text === '' ? [] : jobs;
}

/** The Jobs of a scope whose name contains a text. */
async function findByName(text: string, scope: Scope, signal: AbortSignal): Promise<ListedJob[]> {
  const query = { ...scope, text, deleted: 'true' as const, limit: MOST };
  return (await requireBody(api.GET('/v1/jobs', { params: { query }, signal }))).items;
}
