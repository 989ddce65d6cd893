import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StoreError } from '@unikv/core'
import { kindOf } from '@unikv/core/adapter'

/**
 * The URL of a module that a worker thread imports: a `URL`, an absolute URL as text, or an absolute path. A relative
 * path could only be resolved from this package's own folder, which is never meant.
 *
 * @throws {StoreError} `INVALID_CONFIG` for anything else
 */
export function moduleUrl(operation: string, module: URL | string): string {
  const text = String(module)
  if (isAbsolute(text)) return pathToFileURL(text).href
  if (URL.canParse(text)) return text
  const line = /^\.{1,2}[/\\]/.test(text)
    ? `new URL(${JSON.stringify(text)}, import.meta.url)`
    : `import.meta.resolve(${JSON.stringify(text)})`
  throw new StoreError(
    'INVALID_CONFIG',
    `${operation} takes the URL or the absolute path of a module, got ${JSON.stringify(text)}. Write ${line}.`,
  )
}

/** Options of a module that a worker thread imports. */
export const moduleTable = {
  /** Node options of the worker thread, such as `['--import', 'tsx']`. @default those of this process */
  execArgv: (given: readonly string[] | undefined = process.execArgv, name: string, whose: string) => {
    if (Array.isArray(given) && given.every((item) => typeof item === 'string')) return given
    throw new StoreError(
      'INVALID_CONFIG',
      `\`${name}\` of ${whose}() must be an array of strings, got ${kindOf(given)}.`,
    )
  },
}
