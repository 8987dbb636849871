import type { TracedStream } from './ids.ts';

/** A finished span. Instants are milliseconds since the epoch. */
export interface JobSpan {
  stream: TracedStream;
  name: string;
  kind: 'producer' | 'consumer' | 'client' | 'internal';
  /** The id in the ledger of what the span stands for. Absent: nothing has this span as its parent. */
  of?: string;
  /** The id in the ledger of what caused it; null for the root. */
  parent: string | null;
  /** Further causes. */
  links?: readonly string[];
  start: number;
  end: number;
  attributes?: Record<string, string | number>;
  /** Why it failed. */
  error?: string;
}

export type RecordSpan = (span: JobSpan) => void;
