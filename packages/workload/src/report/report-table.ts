import { wrapped } from './words/wrapped.ts'

/** A table for people, before it is text, Markdown or anything else. */
export interface ReportTable {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** So many columns at the left name the row; they are repeated where a table is folded. @default 1 */
  readonly names?: number
}

/** A table as aligned text. Columns that do not fit go below, beside the names of their rows. */
export function textOf(table: ReportTable, width = 80): string {
  const { title, head, rows, names = 1 } = table
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const blocks = folded(widths, names, width).map((columns) => {
    const line = (cells: readonly string[]): string =>
      columns
        .map((column) => aligned(cells[column] ?? '', widths[column] as number, column < names))
        .join('  ')
    return [head, widths.map((one) => '─'.repeat(one)), ...rows]
      .map((cells) => line(cells).trimEnd())
      .join('\n')
  })
  return `${wrapped(title, width, '  ')}\n${blocks.join('\n\n')}\n`
}

/** A table as GitHub-flavored Markdown. */
export function markdownOf({ title, head, rows, names = 1 }: ReportTable): string {
  const line = (cells: readonly string[]): string =>
    `| ${head.map((_, column) => (cells[column] ?? '').replaceAll('|', '\\|')).join(' | ')} |`
  const rule = head.map((_, column) => (column < names ? '---' : '--:'))
  return [`**${title}**`, '', line(head), line(rule), ...rows.map(line), ''].join('\n')
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
