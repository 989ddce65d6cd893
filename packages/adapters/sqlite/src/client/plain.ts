import type { ErrorCode } from '@unikv/core'
import { isStoreError, StoreError } from '@unikv/core/adapter'
import { isError } from '@unikv/core/platform'
import { isPage, type Outcome } from '../jobs.ts'

/** A `StoreError` as data: classes do not survive the crossing between threads. */
interface PlainError {
  readonly plainError: {
    readonly code: ErrorCode
    readonly message: string
    readonly retryable: boolean
    readonly cause: { readonly name: string; readonly message: string; readonly code: unknown } | undefined
  }
}

/** Outcomes as data. */
export function toPlain(outcomes: readonly Outcome[]): readonly unknown[] {
  return outcomes.map((outcome) => {
    if ('error' in outcome) return { error: plainOf(outcome.error) }
    const { answer } = outcome
    if (isPage(answer)) {
      const entries = answer.entries.map((one) =>
        'entry' in one ? { ...one, entry: plainOf(one.entry) } : one,
      )
      return { answer: { ...answer, entries } }
    }
    return { answer: answer.map(plainOf) }
  })
}

/** Outcomes of data. */
export function fromPlain(outcomes: readonly unknown[]): readonly Outcome[] {
  return (outcomes as readonly Outcome[]).map((outcome): Outcome => {
    if ('error' in outcome) return { error: errorOf<StoreError>(outcome.error) }
    const { answer } = outcome
    if (isPage(answer)) {
      const entries = answer.entries.map((one) =>
        'entry' in one ? { ...one, entry: errorOf(one.entry) } : one,
      )
      return { answer: { ...answer, entries } }
    }
    return { answer: (answer as readonly unknown[]).map(errorOf) as typeof answer }
  })
}

function plainOf(value: unknown): unknown {
  if (!isStoreError(value)) return value
  const { code, message, retryable, cause } = value
  const { code: causeCode } = (cause ?? {}) as { readonly code?: unknown }
  return {
    plainError: {
      code,
      message,
      retryable,
      cause: isError(cause) ? { name: cause.name, message: cause.message, code: causeCode } : undefined,
    },
  } satisfies PlainError
}

function errorOf<T>(value: T): T | StoreError {
  if (typeof value !== 'object' || value === null || !('plainError' in value)) return value
  const { code, message, retryable, cause } = (value as unknown as PlainError).plainError
  if (cause === undefined) return new StoreError(code, message, { retryable })
  const { name, message: said, code: causeCode } = cause
  return new StoreError(code, message, {
    retryable,
    cause: Object.assign(new Error(said), { name, code: causeCode }),
  })
}
