import type { Table } from '../table.ts'

/**
 * A table as text columns for gnuplot, spreadsheets and MATLAB: `#` header lines, tabs, decimal points, full
 * precision, `NaN` where nothing was measured.
 */
export function datText({ title, columns, rows }: Table): string {
  const body = rows.map((row) => row.map((cell) => (cell === null ? 'NaN' : String(cell))).join('\t'))
  return [`# ${title}`, `# ${columns.join('\t')}`, ...body, ''].join('\n')
}

/** A table as comma-separated values (RFC 4180): a header line, empty fields where nothing was measured. */
export function csvText({ columns, rows }: Table): string {
  const body = rows.map((row) => row.map((cell) => (cell === null ? '' : String(cell))).join(','))
  return [columns.join(','), ...body, ''].join('\r\n')
}
