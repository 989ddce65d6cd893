import { StoreError } from '@unikv/core'
import { nearest } from '@unikv/core/adapter'

/** An error of a configuration, as one sentence that begins with the place. */
export function wrong(path: string, what: string, cause?: unknown): StoreError {
  const sentence = `${path === '' ? 'The configuration' : path}: ${what}`
  return new StoreError('INVALID_CONFIG', /[.?!]$/.test(sentence) ? sentence : `${sentence}.`, { cause })
}

/** A hint for a name that is not there. */
export function instead(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near === undefined ? `Known: ${known.join(', ') || 'none'}` : `Did you mean '${near}'?`
}
