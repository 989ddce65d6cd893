import { StoreError } from '@unikv/core'
import { readWhole } from '@unikv/core/files'

/**
 * Arguments in the place of a first one that names a file, such as `@out/repeat.txt`: those in the file, written as in a shell and
 * separated by white space, then the others. Only the first one, as later ones may be keys.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if the file cannot be read, holds nothing, or an open quote
 */
export async function withArgumentsFile(args: readonly string[]): Promise<readonly string[]> {
  const [first = '', ...others] = args
  if (!first.startsWith('@')) return args
  const file = first.slice(1)
  const bytes = await readWhole(file).catch((cause: NodeJS.ErrnoException) => {
    throw wrong(`The file of arguments ${file} cannot be read (${cause.code}).`, cause)
  })
  const own = wordsOf(bytes.toString('utf8'), file)
  if (own.length === 0) throw wrong(`The file of arguments ${file} is empty.`)
  return [...own, ...others]
}

/** A word is made of parts without white space between them: `'…'`, `$'…'`, `"…"`, `\x` and plain text. */
const part =
  /'([^']*)'|\$'((?:[^'\\]|\\[^])*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\]+?(?=\$'|[\s'"\\]|$))/y

function wordsOf(text: string, file: string): readonly string[] {
  const words: string[] = []
  for (let at = skipped(text, 0); at < text.length; at = skipped(text, at)) {
    let word = ''
    while (at < text.length && !/\s/.test(text[at] as string)) {
      part.lastIndex = at
      const found = part.exec(text)
      if (found === null) throw wrong(`The file of arguments ${file} has a quote that does not end.`)
      const [all, single, ansi, double, escaped, plain] = found
      word +=
        single ??
        plain ??
        escaped ??
        (ansi === undefined ? double?.replace(/\\([^])/g, '$1') : ansiText(ansi))
      at += all.length
    }
    words.push(word)
  }
  return words
}

function skipped(text: string, from: number): number {
  const found = text.slice(from).search(/\S/)
  return found < 0 ? text.length : from + found
}

function ansiText(text: string): string {
  return text.replace(/\\u([\da-f]{4})|\\([^])/g, (_, code?: string, other?: string) =>
    code === undefined ? (other as string) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

function wrong(message: string, cause?: unknown): StoreError {
  return new StoreError('INVALID_ARGUMENT', message, cause === undefined ? {} : { cause })
}
