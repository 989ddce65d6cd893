import { escapeHtml } from './escape-html.ts'

/** A table whose first column names the rows. Cells are HTML already. */
export function htmlTable(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const headCells = head.map((cell) => `<th scope="col">${escapeHtml(cell)}</th>`).join('')
  const body = rows.map(
    ([name = '', ...cells]) =>
      `<tr><th scope="row">${name}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`,
  )
  return `<div class="scroll"><table><caption>${escapeHtml(caption)}</caption><thead><tr>${headCells}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
}
