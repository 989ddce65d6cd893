import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { encryption, type KmsKeysOptions } from '../../src/index.ts'
import { watchedKeys } from '../kms-doubles.ts'
import { dataset } from '../stored.ts'

/** Keys and numbers to store. */
export const entries = (count: number, from = 0): [string, number][] =>
  Array.from({ length: count }, (_, i) => [`user ${from + i}`, from + i])

/** What a service that hangs waits for. */
export const never = (): Promise<void> =>
  new Promise(() => {
    // It never answers.
  })

/** A store, a watched service, and a stack with its keys. */
export function opened(options: Partial<KmsKeysOptions> = {}) {
  const store = memory()
  const made = watchedKeys(options)
  const stackOf = (keys = made.keys) => keyValue(store, [json(), encryption({ dataset, keys })])
  return { ...made, store, stackOf, users: stackOf() }
}
