import { isStoreError, type StoreError } from '@unikv/core'
import { isError } from '@unikv/core/platform'
import { keyText } from './copy/key-text.ts'

/** The message of an error, with that of its cause if it points to the cause. */
function sentenceOf(error: Error): string {
  const store = isStoreError(error) && error.store !== undefined ? `${error.store}: ` : ''
  const cause = pointsToCause(error.message) ? causeOf(error) : ''
  const message = error.message.replace('; see error.results', '')
  return `${store}${message}${cause}${isStoreError(error) ? failuresOf(error) : ''}`
}

/** Most keys that are named when a call failed in part. */
const mostFailures = 3

/** The keys of a call that failed in part, each with the reason. */
function failuresOf({ results = [] }: StoreError): string {
  const failed = results.filter(isStoreError)
  const named = failed.slice(0, mostFailures).map(({ key = '', message }) => ` ${keyText(key)}: ${message}`)
  return `${named.join('')}${failed.length > mostFailures ? ' …' : ''}`
}

/** The first line of the cause, behind those that only point further. */
function causeOf({ cause }: Error): string {
  if (!isError(cause)) return ''
  if (pointsToCause(cause.message)) return causeOf(cause)
  const line = cause.message.trim().split('\n')[0]?.trim() ?? ''
  return line === '' ? '' : ` The cause: ${line}`
}

function pointsToCause(message: string): boolean {
  return /\bsee the cause\b/i.test(message)
}

/** One sentence; with `--debug` the stack traces of the error and its causes. */
export function describe(error: unknown, isDebug: boolean): string {
  if (!isError(error)) return String(error)
  if (!isDebug) return sentenceOf(error)
  const cause = error.cause === undefined ? '' : `\ncaused by ${describe(error.cause, true)}`
  return `${error.stack ?? error.message}${cause}`
}
