import { dataSource, POSTGRES, PROMETHEUS, withGridPositions, type Panel } from './panel.ts';

/** The definition of a dashboard, from which Grafana's JSON is written. */
export interface Board {
  /** The name of the dashboard's file, and its address in Grafana: `/d/<uid>`. */
  uid: string;
  title: string;
  about: string;
  variables: readonly Variable[];
  panels: readonly Panel[];
}

/** A variable that the viewer of a dashboard selects from the rows of a query. */
export interface Variable {
  name: string;
  label: string;
  sql: string;
  /**
   * True when the viewer can select several values; SQL then gets a list of quoted texts. SQL must itself quote the
   * value of any other variable.
   */
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
    templating: { list: [...dataSources(panels), ...variables.map(toVariable)] },
    panels: withGridPositions(panels),
  };
}

/**
 * Variables of the data sources that the panels use, so that an import asks no questions and the viewer can select
 * other data sources. The data sources of infra/deploy/grafana/provisioning are selected at first; without them, Grafana
 * selects the first data source of the type.
 */
function dataSources(panels: readonly Panel[]): object[] {
  const used = new Set(panels.map(({ query }) => dataSource(query)));
  const all = [
    {
      name: 'postgres',
      label: 'Postgres',
      of: POSTGRES,
      uid: 'jobledger-postgres',
      text: 'The ledger in SQL',
    },
    {
      name: 'prometheus',
      label: 'Prometheus',
      of: PROMETHEUS,
      uid: 'jobledger-prometheus',
      text: 'Metrics of the services',
    },
  ];
  return all
    .filter(({ of }) => used.has(of))
    .map(({ name, label, of, uid, text }) => ({
      name,
      label,
      type: 'datasource',
      query: of.type,
      current: { text, value: uid },
    }));
}

function toVariable({ name, label, sql, isMany }: Variable): object {
  return {
    name,
    label,
    type: 'query',
    datasource: POSTGRES,
    query: sql,
    definition: sql,
    // Grafana runs the query again when the dashboard is opened and when its time range changes.
    refresh: 2,
    multi: isMany,
    includeAll: isMany,
    ...(isMany && { current: { text: ['All'], value: ['$__all'] } }),
  };
}
