import { isStoreError, StoreError } from '@unikv/core'
import { AbortController } from '@unikv/core/platform'
import type { ToolOptions } from '@unikv/snapshot'
import { exitCodes } from '../exit-code.ts'
import type { Terminal } from '../terminal.ts'
import { keyText } from './key-text.ts'
import { progressLine } from './progress-line.ts'

/** Do work with a line of progress. Ctrl-C ends it between two pages, and tells how to go on. */
export async function work(
  terminal: Terminal,
  run: (options: ToolOptions) => Promise<number>,
): Promise<number> {
  const abort = new AbortController()
  terminal.onInterrupt(() => abort.abort())
  const line = progressLine(terminal)
  try {
    return await run({ signal: abort.signal, onProgress: line.show })
  } catch (error) {
    line.end()
    if (!isStoreError(error)) throw error
    const resume = error.done === undefined ? '' : ' Run the same command with --resume to go on.'
    if (!abort.signal.aborted || error.code !== 'ABORTED') throw told(error, resume)
    terminal.error(`unikv: ${error.message}${resume}\n`)
    return exitCodes.interrupted
  } finally {
    line.end()
  }
}

/** The same error, with the key that it is about. */
function told(error: StoreError, resume: string): StoreError {
  const key = error.key === undefined ? '' : ` The key is ${keyText(error.key)}.`
  const message = inOptions(error.message)
  if (key === '' && resume === '' && message === error.message) return error
  const { code, store, operation } = error
  return new StoreError(code, `${message}${key}${resume}`, { cause: error.cause, store, operation })
}

/** Permissions of the library, and the options that give them here. */
function inOptions(message: string): string {
  return message
    .replace(/\bOverwrite( it)?(?=,| if)/, 'Use --overwrite')
    .replace(/\bor overwrite\b/, 'or use --overwrite')
    .replace(/\bResume it\b/, 'Use --resume')
    .replace(/\bDrop the expiry\b/, 'Use --drop-expiry')
}
