import type { Places } from '../places.ts';

/** What a caller may do: `read` queries, `submit` creates Jobs, `operate` suspends and resumes them. */
export const SCOPES = ['read', 'submit', 'operate'] as const;
export type AccessScope = (typeof SCOPES)[number];

/** Scopes, and where they hold. */
export interface Grant {
  readonly scopes: readonly AccessScope[];
  readonly places: Places;
}

/** The caller of a route: its name, which is recorded with its requests, its scopes, and where it has that of the route. */
export interface Caller extends Grant {
  readonly name: string;
  /** Null: a token of the file, or a program of this machine. */
  readonly person: Person | null;
}

/** Someone whom an identity provider or a cluster has identified. */
export interface Person {
  /** As clusters know this user. */
  readonly name: string;
  readonly groups: readonly string[];
  /** The cluster that identified the user, and the only one where the name means this user. Null: an identity provider. */
  readonly cluster: string | null;
  /** What else a cluster says of the user, as in a TokenReview. */
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Distinguishes callers: a token of the file and a person may have the same name. */
export function whoIs({ name, person }: Caller): string {
  return `${person === null ? 'token' : 'person'} ${name}`;
}
