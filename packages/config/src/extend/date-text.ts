/** The parts of a time in UTC, by the letters of a format. */
const parts: Readonly<Record<string, (date: Date) => number>> = {
  yyyy: (date) => date.getUTCFullYear(),
  MM: (date) => date.getUTCMonth() + 1,
  dd: (date) => date.getUTCDate(),
  HH: (date) => date.getUTCHours(),
  mm: (date) => date.getUTCMinutes(),
  ss: (date) => date.getUTCSeconds(),
  SSS: (date) => date.getUTCMilliseconds(),
}

/**
 * A time in UTC by a format of Java: `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss` and `SSS`; other letters stand in apostrophes.
 *
 * @returns `undefined` for letters that are none of these
 */
export function dateText(ms: number, format: string): string | undefined {
  const date = new Date(ms)
  const pieces = format.match(/'[^']*'|([A-Za-z])\1*|[^A-Za-z']+|'/g) ?? []
  const texts = pieces.map((piece) => {
    if (piece === "''") return "'"
    if (piece.startsWith("'")) return piece.length > 1 ? piece.slice(1, -1) : undefined
    if (!/^[A-Za-z]/.test(piece)) return piece
    const part = Object.hasOwn(parts, piece) ? parts[piece] : undefined
    return part === undefined ? undefined : String(part(date)).padStart(piece.length, '0')
  })
  return texts.some((text) => text === undefined) ? undefined : texts.join('')
}
