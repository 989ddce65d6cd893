import { wrapped } from './words.ts'

/** A table for people, before it is text, Markdown or anything else. */
export interface ReportTable {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** So many columns at the left name the row; they are repeated where a table is folded. @default 1 */
  readonly names?: number
  /** Index of a column of sentences, which a page shows below their rows. @default none */
  readonly told?: number
}

/** A name is not made narrower. */
const leastWidth = 10

/**
 * A table as aligned text. Columns that do not fit go below, beside the names of their rows; names that leave no place for
 * a figure take several lines.
 */
export function textOf(table: ReportTable, width = 80): string {
  const { title, head, rows, names = 1 } = table
  const widths = widthsOf(table, width)
  const blocks = folded(widths, names, width).map((columns) => {
    const line = (cells: readonly string[]): string =>
      columns
        .map((column) => aligned(cells[column] ?? '', widths[column] as number, column < names))
        .join('  ')
        .trimEnd()
    const lines = (cells: readonly string[]): readonly string[] => linesOf(cells, widths).map(line)
    return [...lines(head), line(widths.map((one) => '─'.repeat(one))), ...rows.flatMap(lines)].join('\n')
  })
  return `${wrapped(title, width, '  ')}\n${blocks.join('\n\n')}\n`
}

/** The widths of the columns; the widest names are narrowed until the widest figure fits beside them. */
function widthsOf({ head, rows, names = 1 }: ReportTable, width: number): number[] {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const own = widths.slice(0, names)
  let excess = own.reduce((sum, one) => sum + one + 2, Math.max(-2, ...widths.slice(names))) - width
  while (excess > 0) {
    const widest = own.indexOf(Math.max(...own))
    const cut = Math.min(excess, (own[widest] as number) - leastWidth)
    if (cut <= 0) break
    own[widest] = (own[widest] as number) - cut
    excess -= cut
  }
  return [...own, ...widths.slice(names)]
}

/** The lines of a row. */
function linesOf(cells: readonly string[], widths: readonly number[]): readonly (readonly string[])[] {
  const parts = cells.map((cell, column) => partsOf(cell, widths[column] as number))
  const count = Math.max(1, ...parts.map(({ length }) => length))
  return Array.from({ length: count }, (_, line) => parts.map((part) => part[line] ?? ''))
}

/** A cell in lines, at its spaces where it has some. */
function partsOf(cell: string, width: number): readonly string[] {
  if (cell.length <= width) return [cell]
  const space = cell.lastIndexOf(' ', width)
  const end = space > 0 ? space : width
  return [cell.slice(0, end), ...partsOf(cell.slice(space > 0 ? end + 1 : end), width)]
}

/** Text without tags in Markdown: names of workloads and folders may look like one. */
export function markdownText(text: string): string {
  return text.replace(/<(?=[a-z/!?])/gi, '&lt;')
}

/** A table as GitHub-flavored Markdown. */
export function markdownOf({ title, head, rows, names = 1 }: ReportTable): string {
  const line = (cells: readonly string[]): string =>
    `| ${head.map((_, column) => (cells[column] ?? '').replaceAll('|', '\\|')).join(' | ')} |`
  const rule = head.map((_, column) => (column < names ? '---' : '--:'))
  return markdownText([`**${title}**`, '', line(head), line(rule), ...rows.map(line), ''].join('\n'))
}

/** Columns of each block: the names, and as many others as fit beside them, at least one. */
function folded(widths: readonly number[], names: number, width: number): number[][] {
  const own = widths.slice(0, names).map((_, column) => column)
  const ownWidth = own.reduce((sum, column) => sum + (widths[column] as number) + 2, -2)
  const blocks: number[][] = []
  let used = 0
  for (let column = names; column < widths.length; column++) {
    const needed = (widths[column] as number) + 2
    if (blocks.length === 0 || used + needed > width) {
      blocks.push([...own])
      used = ownWidth
    }
    blocks.at(-1)?.push(column)
    used += needed
  }
  return blocks.length === 0 ? [own] : blocks
}

function aligned(cell: string, width: number, isName: boolean): string {
  return isName ? cell.padEnd(width) : cell.padStart(width)
}
