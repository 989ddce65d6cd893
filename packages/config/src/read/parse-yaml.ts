import { unquotedHint } from '@unikv/core/url'
import { Composer, type CST, type Document, LineCounter, Parser } from 'yaml'
import { limits } from '../tree/limits.ts'
import { wrong } from '../tree/wrong.ts'

/** A parsed file of YAML or JSON. */
export interface ParsedYaml {
  readonly document: Document.Parsed
  readonly lines: LineCounter
}

/**
 * Parse a file of YAML or JSON, with positions. Keys that are there twice are left to the caller: the parser compares each
 * with each.
 *
 * @throws {StoreError} `INVALID_CONFIG` that names the line, but quotes nothing
 */
export function parseYaml(text: string, file: string, isJson: boolean): ParsedYaml {
  if (isJson) checkJson(text, file)
  const lines = new LineCounter()
  const [document, another] = documentsIn(text, file, lines)
  if (document === undefined) throw wrong({ file, line: 1 }, 'the file is empty')
  const [problem] = [...document.errors, ...document.warnings]
  if (problem !== undefined) {
    const line = problem.linePos?.[0].line ?? lines.linePos(problem.pos[0]).line
    const found = unquotedHint(text).trim()
    const hint = found === '' ? '' : `. ${found}`
    const says =
      problem.code === 'TAG_RESOLVE_FAILED'
        ? 'the tag has no meaning here. Put a text that begins with ! in quotes'
        : `it is not ${isJson ? 'JSON' : 'YAML'}: ${withoutText(problem.message)}${hint}`
    throw wrong({ file, line }, says)
  }
  if (another !== undefined) {
    const { line } = lines.linePos(another.range[0])
    throw wrong({ file, line }, 'the file has several documents. Remove the lines ---')
  }
  return { document, lines }
}

/** The composer calls itself for each level, and a stack that is full may end the process: levels are counted first. */
function documentsIn(text: string, file: string, lineCounter: LineCounter): readonly Document.Parsed[] {
  const tokens = [...new Parser(lineCounter.addNewLine).parse(text)]
  if (isDeeper(tokens, limits.depth))
    throw wrong({ file, line: 1 }, `the document has more than ${limits.depth} levels`)
  const composer = new Composer({ uniqueKeys: false, intAsBigInt: true })
  return [...composer.compose(tokens)] as Document.Parsed[]
}

function isDeeper(tokens: readonly CST.Token[], limit: number): boolean {
  let level: readonly CST.Token[] = tokens
  for (let depth = 0; level.length > 0; depth++) {
    // A document, and for each level a collection and its items.
    if (depth > limit + 1) return true
    level = level.flatMap(tokensIn)
  }
  return false
}

function tokensIn(token: CST.Token): readonly CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value]
  if (!('items' in token)) return []
  return token.items.flatMap(({ key, value }) =>
    [key, value].filter((one) => one !== null && one !== undefined),
  )
}

/** YAML reads JSON too, but also much that is not JSON. */
function checkJson(text: string, file: string): void {
  try {
    JSON.parse(text)
  } catch (cause) {
    const [, position] = /position (\d+)/.exec((cause as Error).message) ?? []
    const at = position === undefined ? endOfJson(text) : Number(position)
    const line = text.slice(0, at).split('\n').length
    throw wrong(
      { file, line },
      'it is not JSON. JSON has no comments and no commas at the end; YAML may have both',
    )
  }
}

const token =
  /\s*(?:[{}[\],:]|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|$)\s*/y

/** Where a text stops to be made of the marks of JSON: the parser does not always tell. */
function endOfJson(text: string): number {
  token.lastIndex = 0
  let end = 0
  while (end < text.length && token.test(text)) end = token.lastIndex
  return end
}

/** A message of the parser up to what it quotes. */
function withoutText(message: string): string {
  return (message.split('\n')[0] as string).replace(/:.*| at line .*/s, '')
}
