import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { type Action, builtIn, TunerLog } from '../src/index.ts'
import { Following } from '../src/run/following.ts'
import type { TunedStore } from '../src/tactic.ts'
import { actionOf } from './actions.ts'

const never = new AbortController().signal
const cacheOf = (maxEntries: number): object => ({ maxEntries, freshForMs: 5000 })

/** A process whose manager counts its reloads. */
function processWith(layers: readonly unknown[]) {
  const found = { reloads: 0, layers }
  const manager = {
    get configuration() {
      return { stores: { users: { url: 'postgres://app@db/app', layers: found.layers } } }
    },
    reload: async (change: (now: unknown) => { stores: { users: { layers: readonly unknown[] } } }) => {
      found.reloads += 1
      found.layers = change(manager.configuration).stores.users.layers
    },
  }
  const place = { name: 'users', kind: 'postgres', table: 'users', kv: {}, manager }
  const following = new Following({
    tactics: builtIn,
    placeOf: () => place as unknown as Omit<TunedStore, 'signal'>,
    onError: (error) => {
      throw error
    },
  })
  return { found, follow: (actions: readonly Action[]) => following.follow(actions, never) }
}

const added = actionOf({
  id: 'aaaaaa',
  at: 1,
  tactic: 'add-cache',
  place: 'layer cache',
  change: { layer: 'cache', at: 'outermost', before: null, after: cacheOf(10_000) } as never,
})
const grown = actionOf({
  id: 'bbbbbb',
  at: 2,
  tactic: 'grow-cache',
  place: 'layer cache',
  change: { layer: 'cache', at: 'outermost', before: cacheOf(10_000), after: cacheOf(40_000) } as never,
})

test('of two changes of one layer that are kept, the later one counts, and nothing is reloaded again', async () => {
  const { found, follow } = processWith(['json'])
  for (let look = 0; look < 5; look += 1) await follow([added, grown])
  expect(found).toEqual({ reloads: 1, layers: [{ cache: cacheOf(40_000) }, 'json'] })
  for (let look = 0; look < 5; look += 1) await follow([added, { ...grown, isOn: false, state: 'undone' }])
  expect(found).toEqual({ reloads: 2, layers: [{ cache: cacheOf(10_000) }, 'json'] })
})

test('what was changed again later is not taken back before that', async () => {
  const log = new TunerLog(keyValue(memory()))
  await log.propose(added)
  await log.propose(grown)
  await expect(log.answer('aaaaaa', 'undoing', 'ada')).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining('The action bbbbbb (a change) was done after aaaaaa'),
  })
  expect(await log.answer('bbbbbb', 'undoing', 'ada')).toMatchObject({ state: 'undoing' })
})
