/** A query and the display of its result. Widths are in columns of Grafana's 24-column grid. */
export interface Panel {
  title: string;
  /** The meaning of the panel, and the way to read it. */
  about: string;
  /** `lines` and `bars` over time; `number` for single values; `table` for rows. */
  kind: 'lines' | 'bars' | 'number' | 'table';
  width: number;
  /** Grafana's name of the unit, such as s, short or percentunit. */
  unit?: string;
  /** The columns that link to another page, with the URL of each. */
  links?: Readonly<Record<string, string>>;
  query: SqlQuery | PromQuery;
}

/** One statement for Postgres. A time series has a column `time`; a text column names its lines. */
export interface SqlQuery {
  sql: string;
}

/** Expressions for Prometheus, keyed by legend. */
export interface PromQuery {
  expressions: Readonly<Record<string, string>>;
}

/** The data sources of queries: the viewer chooses each in a variable of the dashboard. */
export const POSTGRES = { type: 'grafana-postgresql-datasource', uid: '${postgres}' };
export const PROMETHEUS = { type: 'prometheus', uid: '${prometheus}' };

const COLUMNS = 24;
const HEIGHTS = { lines: 8, bars: 8, number: 4, table: 9 };
const TYPES = { lines: 'timeseries', bars: 'timeseries', number: 'stat', table: 'table' };

/** Converts panels to Grafana's JSON, laid out from left to right in rows. */
export function withGridPositions(panels: readonly Panel[]): object[] {
  let [x, y, height] = [0, 0, 0];
  return panels.map((panel, index) => {
    if (x + panel.width > COLUMNS) [x, y, height] = [0, y + height, 0];
    const gridPos = { x, y, w: panel.width, h: HEIGHTS[panel.kind] };
    [x, height] = [x + panel.width, Math.max(height, gridPos.h)];
    return { id: index + 1, gridPos, ...toPanel(panel) };
  });
}

function toPanel({ title, about, kind, unit, links = {}, query }: Panel): object {
  return {
    type: TYPES[kind],
    title,
    description: about,
    datasource: dataSource(query),
    targets: 'sql' in query ? [sqlTarget(query, kind)] : promTargets(query),
    fieldConfig: {
      defaults: { ...(unit !== undefined && { unit }), ...(kind === 'bars' && { custom: BARS }) },
      overrides: Object.entries(links).map(([column, url]) => ({
        matcher: { id: 'byName', options: column },
        properties: [{ id: 'links', value: [{ title: `this ${column}`, url }] }],
      })),
    },
    ...(kind === 'number' && {
      options: { reduceOptions: { calcs: ['lastNotNull'], values: 'sql' in query } },
    }),
  };
}

/** The data source that answers a query. */
export function dataSource(query: Panel['query']): typeof POSTGRES {
  return 'sql' in query ? POSTGRES : PROMETHEUS;
}

const BARS = { drawStyle: 'bars', fillOpacity: 60, lineWidth: 0, stacking: { mode: 'normal' } };

function sqlTarget({ sql }: SqlQuery, kind: Panel['kind']): object {
  const overTime = kind === 'lines' || kind === 'bars';
  return {
    refId: 'A',
    datasource: POSTGRES,
    editorMode: 'code',
    rawQuery: true,
    rawSql: sql,
    format: overTime ? 'time_series' : 'table',
  };
}

function promTargets({ expressions }: PromQuery): object[] {
  return Object.entries(expressions).map(([legend, expr], index) => ({
    refId: `Q${index + 1}`,
    datasource: PROMETHEUS,
    expr,
    legendFormat: legend,
  }));
}
