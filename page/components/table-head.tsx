import type { ReactElement } from 'react';

/** The head of a table, with a cell for each column; a column of row headers has an empty text. */
export function TableHead({ columns }: { columns: readonly string[] }): ReactElement {
  return (
    <thead>
      <tr>
        {columns.map((column) =>
          column === '' ? (
            <td key={column} />
          ) : (
            <th key={column} scope="col">
              {column}
            </th>
          ),
        )}
      </tr>
    </thead>
  );
}
