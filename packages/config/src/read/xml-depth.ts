/**
 * Whether elements of a text in XML stand in more levels than a limit. The parser calls itself for each level, and a stack
 * that is full may end the process.
 */
export function isDeeper(text: string, limit: number): boolean {
  let depth = 0
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    const end = endOfMark(text, at)
    // A mark that is not closed is not well-formed: the parser goes no further, either.
    if (end < 0) return false
    const isOpening = !/[!?/]/.test(text[at + 1] ?? '!') && text[end - 2] !== '/'
    if (isOpening && ++depth > limit) return true
    if (text[at + 1] === '/') depth--
    at = end
  }
  return false
}

/** Marks in which others do not count, by how they start. */
const sections = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const

/** The position behind a mark; negative if it is not closed. */
function endOfMark(text: string, start: number): number {
  for (const [open, close] of sections) {
    if (!text.startsWith(open, start)) continue
    const end = text.indexOf(close, start + open.length)
    return end < 0 ? end : end + close.length
  }
  for (let at = start + 1; at < text.length; at++) {
    const sign = text[at]
    if (sign === '>') return at + 1
    if (sign !== '"' && sign !== "'") continue
    at = text.indexOf(sign, at + 1)
    if (at < 0) return at
  }
  return -1
}
