import { StoreError } from '@unikv/core'
import type { Judgement } from './study.ts'

/** Reasons that are told; the others are in the result. */
const told = 3

/** The judgement of runs that say nothing about their stores, for these reasons; `undefined`: there are none. */
export function invalidBy(reasons: readonly string[]): Judgement | undefined {
  if (reasons.length === 0) return undefined
  const more = reasons.length > told ? [`${reasons.length - told} more runs are invalid.`] : []
  return { status: 'invalid', error: [...reasons.slice(0, told), ...more].join(' ') }
}

/** A sentence for the user about what was given. */
export function wrong(message: string, options?: { readonly cause: unknown }): StoreError {
  return new StoreError('INVALID_ARGUMENT', message, options)
}
