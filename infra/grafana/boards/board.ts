import { laidOut, POSTGRES, type Panel } from './panel.ts';

/** A dashboard, before it is written as Grafana's JSON. */
export interface Board {
  /** Its file, and its address in Grafana: `/d/<uid>`. */
  uid: string;
  title: string;
  about: string;
  variables: readonly Variable[];
  panels: readonly Panel[];
}

/** What a reader of a dashboard chooses, from what a statement gives. */
export interface Variable {
  name: string;
  label: string;
  sql: string;
  /** Several at once: it stands in SQL as a list of texts. Else it stands between quotes. */
  isMany: boolean;
}

/** The JSON that Grafana reads. */
export function boardJson({ uid, title, about, variables, panels }: Board): object {
  return {
    uid,
    title,
    description: about,
    tags: ['jobledger'],
    timezone: 'utc',
    editable: false,
    schemaVersion: 41,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    links: [
      { type: 'dashboards', title: 'Jobledger', tags: ['jobledger'], keepTime: true, asDropdown: true },
    ],
    templating: { list: variables.map(variableOf) },
    panels: laidOut(panels),
  };
}

function variableOf({ name, label, sql, isMany }: Variable): object {
  return {
    name,
    label,
    type: 'query',
    datasource: POSTGRES,
    query: sql,
    definition: sql,
    // When the dashboard is opened, and whenever its period changes.
    refresh: 2,
    multi: isMany,
    includeAll: isMany,
    ...(isMany && { current: { text: ['All'], value: ['$__all'] } }),
  };
}
