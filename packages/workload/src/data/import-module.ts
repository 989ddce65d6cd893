import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StoreError } from '@unikv/core'
import { isError } from '@unikv/core/platform'
import { printable } from './printable.ts'

/** Node.js 20 reads no TypeScript, and later ones read only a part of it. */
const needsCompiler = new Set(['ERR_UNKNOWN_FILE_EXTENSION', 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'])

/**
 * The default export of a user's JavaScript or TypeScript module.
 *
 * @param what the module in words, such as `data module`
 * @throws {StoreError} `INVALID_ARGUMENT` if it cannot be loaded
 */
export async function importModule(path: string, what: string): Promise<unknown> {
  const file = resolve(path)
  try {
    return ((await imported(file)) as { readonly default?: unknown }).default
  } catch (cause) {
    const why = isError(cause) ? cause.message : String(cause)
    throw new StoreError('INVALID_ARGUMENT', `The ${what} ${printable(path)} cannot be loaded: ${why}`, {
      cause,
    })
  }
}

async function imported(file: string): Promise<unknown> {
  const { href } = pathToFileURL(file)
  try {
    return await import(href)
  } catch (error) {
    if (!needsCompiler.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
  const { createJiti } = await import('jiti')
  return createJiti(href, { fsCache: false }).import(file)
}
