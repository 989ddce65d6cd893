/**
 * The cells of one line: `separator` between them, and quotes around those that hold it (RFC 4180).
 *
 * @returns `undefined` if a quote is not closed
 */
export function cellsOf(line: string, separator: string): string[] | undefined {
  if (!line.includes('"')) return line.split(separator)
  const cells: string[] = []
  let rest = line
  for (;;) {
    const quoted = /^ *"((?:[^"]|"")*)" */.exec(rest)
    const end = quoted === null ? rest.indexOf(separator) : quoted[0].length
    if (quoted === null && rest.trimStart().startsWith('"')) return undefined
    const cell =
      quoted === null
        ? rest.slice(0, end === -1 ? undefined : end)
        : (quoted[1] as string).replaceAll('""', '"')
    cells.push(cell)
    if (end === -1 || end === rest.length) return cells
    if (!rest.startsWith(separator, end)) return undefined
    rest = rest.slice(end + separator.length)
  }
}
