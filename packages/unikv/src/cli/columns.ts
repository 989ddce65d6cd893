/** Columns as wide as they need, to the left, under a line. */
export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, i) => Math.max(cell.length, ...rows.map((row) => row[i]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] as number))
      .join('  ')
      .trimEnd()
  return `${[line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n')}\n`
}
