import { StoreError } from '@unikv/core'
import { nearest } from '@unikv/core/adapter'
import { maskArguments } from '@unikv/stores/lazy'

/** An error of a configuration, as one sentence that begins with the place. A URL in it has no user and password any more. */
export function wrong(path: string, what: string, cause?: unknown): StoreError {
  const whole = `${path === '' ? 'The configuration' : path}: ${what}`
  const sentence = maskArguments([whole], whole)
  return new StoreError('INVALID_CONFIG', /[.?!]$/.test(sentence) ? sentence : `${sentence}.`, { cause })
}

/** A hint for a name that is not there. */
export function instead(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near === undefined ? `Known: ${known.join(', ') || 'none'}` : `Did you mean '${near}'?`
}
