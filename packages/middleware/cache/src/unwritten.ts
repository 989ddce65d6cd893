import { type Awaitable, type Mutation, newVersion, type WriteResult } from '@unikv/core'

/** A stand-in for writes that other code has already made. */
export interface Unwritten {
  readonly mutations: readonly (Mutation<never> & { readonly type: 'delete' })[]
  /** Does nothing. */
  readonly write: () => Awaitable<readonly WriteResult[]>
}

/** Writes of these keys as far as caches are concerned. */
export function unwritten(keys: readonly string[]): Unwritten {
  const mutations = keys.map((key) => ({ type: 'delete' as const, key, version: newVersion() }))
  return { mutations, write: () => mutations.map(({ version }) => ({ version })) }
}
