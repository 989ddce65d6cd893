// JSON as text, read no further than is shown: numbers keep their digits, and names that come twice stay.

/** A value in a text of JSON. */
export interface JsonPart {
  readonly kind: 'object' | 'array' | 'string' | 'other'
  /** Only members of objects have it, as it is written. */
  readonly name: string | undefined
  readonly start: number
  readonly end: number
}

/** The whole of a text that is JSON; `undefined`: it is not. */
export function wholeOf(text: string): JsonPart | undefined {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  const start = text.length - text.trimStart().length
  return partAt(text, start, text.trimEnd().length, undefined)
}

/** The values right inside an object or an array. */
export function partsOf(text: string, { kind, start, end }: JsonPart): readonly JsonPart[] {
  const parts: JsonPart[] = []
  let at = start + 1
  const skip = (): void => {
    while (/[\s,:]/.test(text[at] ?? '')) at += 1
  }
  for (;;) {
    skip()
    if (at >= end - 1) return parts
    let name: string | undefined
    if (kind === 'object') {
      const after = endOf(text, at)
      name = text.slice(at, after)
      at = after
      skip()
    }
    const after = endOf(text, at)
    parts.push(partAt(text, at, after, name))
    at = after
  }
}

function partAt(text: string, start: number, end: number, name: string | undefined): JsonPart {
  const first = text[start]
  const kind = first === '{' ? 'object' : first === '[' ? 'array' : first === '"' ? 'string' : 'other'
  return { kind, name, start, end }
}

/** The place behind the value that begins here. */
function endOf(text: string, start: number): number {
  const first = text[start]
  if (first === '"') return stringEnd(text, start)
  if (first !== '{' && first !== '[') {
    const rest = /[\s,\]}]/g
    rest.lastIndex = start
    return rest.exec(text)?.index ?? text.length
  }
  let depth = 0
  const marks = /["{}[\]]/g
  marks.lastIndex = start
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    const [mark] = found
    if (mark === '"') marks.lastIndex = stringEnd(text, found.index)
    else depth += mark === '{' || mark === '[' ? 1 : -1
    if (depth === 0) return found.index + 1
  }
  return text.length
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at + 1
  }
  return text.length
}

/** JSON in lines, each number as it was written; another text as it is. */
export function inLines(text: string): string {
  const whole = wholeOf(text)
  if (whole === undefined) return text
  let [depth, lines] = [0, '']
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs) ?? []
  const line = (): string => `\n${'  '.repeat(depth)}`
  for (const [i, token] of tokens.entries()) {
    const isEmpty = /^[}\]]$/.test(tokens[i + 1] ?? '')
    if (/^[{[]$/.test(token)) {
      depth += 1
      lines += isEmpty ? token : token + line()
    } else if (/^[}\]]$/.test(token)) {
      depth -= 1
      lines += /^[{[]$/.test(tokens[i - 1] ?? '') ? token : line() + token
    } else lines += token === ',' ? `,${line()}` : token === ':' ? ': ' : token
  }
  return lines
}
