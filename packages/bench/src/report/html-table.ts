import { escapeHtml } from './escape-html.ts'

/**
 * A table whose first column names the rows. Cells are HTML already.
 *
 * @param told what is told of each row, as a line of its own below it; empty: nothing
 */
export function htmlTable(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  told: readonly string[] = [],
): string {
  const headCells = head.map((cell) => `<th scope="col">${escapeHtml(cell)}</th>`).join('')
  const below = (text: string | undefined): string =>
    text === undefined || text === ''
      ? ''
      : `<tr class="told"><td colspan="${head.length}"><div>${text}</div></td></tr>`
  const body = rows.map(
    ([name = '', ...cells], i) =>
      `<tr><th scope="row">${name}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>${below(told[i])}`,
  )
  return `<div class="scroll"><table><caption>${escapeHtml(caption)}</caption><thead><tr>${headCells}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
}
