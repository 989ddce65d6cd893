import { StoreError } from '../contract/errors.ts'

/**
 * The error for an answer that does not fit the request: a proxy in front of the server gave it, or a server of another
 * kind. The outcome of a write is then unknown. `where` was asked, and should have answered like `server`.
 */
export function oddAnswer(where: string, server: string, isWrite: boolean): StoreError {
  const message = `${where} did not answer like ${server}. Check the address and any proxy in front of it.`
  return isWrite
    ? new StoreError(
        'OUTCOME_UNKNOWN',
        `${message} The write may or may not have taken effect. Read the key to find out.`,
      )
    : new StoreError('UNAVAILABLE', message, { retryable: false })
}

/**
 * How many bytes an answer to a request for a part must hold, by its `content-range`; `undefined`: it does not say, as
 * that of a whole.
 */
export function partLength(contentRange: string | undefined): number | undefined {
  const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(contentRange ?? '') ?? []
  return first === undefined ? undefined : Number(last) - Number(first) + 1
}
