import { type Awaitable, andThen } from '../contract/awaitable.ts'
import type { Mutation } from '../contract/store.ts'
import { newVersion } from '../contract/version.ts'
import { levelPastCaches } from '../stack/layers-of.ts'
import type { Engine } from './engine.ts'
import { outcomeOf, presenceOf } from './finish.ts'
import type { CallSettings } from './settings.ts'

/** `touch` with an expiry that has passed: delete the record. Resolves to whether it was there. */
export function expire(engine: Engine, key: string, settings: CallSettings): Awaitable<boolean> {
  const { store } = engine
  const mutation: Mutation<unknown> = { type: 'delete', key, version: newVersion() }
  // Asked past all caches: a key that is cached as absent may be there.
  const { consistency = levelPastCaches(store) } = settings
  const call = engine.call({ ...settings, consistency })
  return engine.exclusively('touch', [mutation], call, () =>
    andThen(store.read([{ key, head: true }], call), (found) => {
      if (!presenceOf(found)) return false
      return andThen(store.write([mutation], call), (results) => outcomeOf(results) !== undefined)
    }),
  )
}
