import { wrapped } from '@unikv/bench/words'

/** A table for people. Text is aligned left, numbers are aligned right. */
export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Columns of numbers. */
  readonly numbers?: readonly number[]
  /** Rows that something is wrong with: red where there are colors. */
  readonly wrong?: readonly number[]
}

/** A paragraph, a heading or a table. */
export type Section = string | Table

/** A column is not made narrower than this: the table is folded instead. */
const LEAST_WIDTH = 14

/** Sections as text for a terminal of a width. */
export function sectionsText(sections: readonly Section[], width = 80, hasColors = false): string {
  const parts = sections.map((one) =>
    typeof one === 'string' ? paragraphs(one, width) : tableText(one, width, hasColors),
  )
  return `${parts.join('\n\n')}\n`
}

/** The same as GitHub-flavored Markdown. */
export function sectionsMarkdown(sections: readonly Section[]): string {
  return `${sections.map((one) => (typeof one === 'string' ? one : tableMarkdown(one))).join('\n\n')}\n`
}

/** Columns as wide as they need, under a line. */
export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${tableText({ head, rows }, Number.POSITIVE_INFINITY)}\n`
}

function paragraphs(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => wrapped(line, width, /^(· | )/.test(line) ? '  ' : ''))
    .join('\n')
}

function tableText(table: Table, width: number, hasColors = false): string {
  const { head, rows, numbers = [], wrong = [] } = table
  const natural = head.map((cell, i) => Math.max(cell.length, ...rows.map((row) => row[i]?.length ?? 0)))
  return blocks(natural, width)
    .map((shown) => {
      const widths = fitted(
        shown.map((i) => natural[i] as number),
        width,
      )
      const line = (cells: readonly string[]): string =>
        linesOf(
          shown.map((i) => cells[i] ?? ''),
          widths,
          shown.map((i) => numbers.includes(i)),
        )
      return [
        line(head),
        widths.map((one) => '─'.repeat(one)).join('  '),
        ...rows.map((row, i) => (hasColors && wrong.includes(i) ? red(line(row)) : line(row))),
      ].join('\n')
    })
    .join('\n\n')
}

/** Line by line, so that a terminal that shows a part of them shows it right. */
function red(text: string): string {
  return text
    .split('\n')
    .map((line) => `\u001b[31m${line}\u001b[39m`)
    .join('\n')
}

/** Columns that fit beside each other, the first one in every block. */
function blocks(natural: readonly number[], width: number): number[][] {
  const found: number[][] = []
  let used = 0
  for (let i = 1; i < natural.length; i++) {
    const needed = Math.min(natural[i] as number, LEAST_WIDTH) + 2
    if (found.length === 0 || used + needed > width) {
      found.push([0])
      used = natural[0] as number
    }
    found.at(-1)?.push(i)
    used += needed
  }
  return found.length === 0 ? [[0]] : found
}

/** The widest columns give way, but for the first, which names the rows. */
function fitted(natural: readonly number[], width: number): number[] {
  const widths = [...natural]
  const total = (): number => widths.reduce((sum, one) => sum + one + 2, -2)
  while (total() > width && widths.length > 1) {
    const widest = Math.max(...widths.slice(1))
    if (widest <= 1) break
    widths[widths.lastIndexOf(widest)] = widest - 1
  }
  return widths
}

/** Cells beside each other, each broken at spaces where its column is too narrow. */
function linesOf(
  cells: readonly string[],
  widths: readonly number[],
  areNumbers: readonly boolean[],
): string {
  const broken = cells.map((cell, i) => wrapped(cell, widths[i] as number, '').split('\n'))
  const height = Math.max(...broken.map((lines) => lines.length))
  return Array.from({ length: height }, (_, at) =>
    broken
      .map((lines, i) => {
        const text = lines[at] ?? ''
        return areNumbers[i] ? text.padStart(widths[i] as number) : text.padEnd(widths[i] as number)
      })
      .join('  ')
      .trimEnd(),
  ).join('\n')
}

function tableMarkdown({ head, rows, numbers = [] }: Table): string {
  const line = (cells: readonly string[]): string =>
    `| ${head.map((_, i) => (cells[i] ?? '').replaceAll('|', '\\|')).join(' | ')} |`
  const rule = head.map((_, i) => (numbers.includes(i) ? '--:' : '---'))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}
