import type { TracedStream } from './ids.ts';

/** A finished span. Instants are milliseconds since 1970. */
export interface JobSpan {
  stream: TracedStream;
  name: string;
  kind: 'producer' | 'consumer' | 'client' | 'internal';
  /**
   * The ledger's id of the event, command or Job that the span represents. Absent when the span has no children.
   */
  of?: string;
  /** The ledger's id of the cause; null for the root. */
  parent: string | null;
  /** Further causes. */
  links?: readonly string[];
  start: number;
  end: number;
  attributes?: Record<string, string | number>;
  /** The reason why the step failed. */
  error?: string;
}

export type RecordSpan = (span: JobSpan) => void;
